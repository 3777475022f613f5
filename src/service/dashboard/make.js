// make.js - making a campaign, with advice on which algorithm to take.

import { api } from './api.js';
import { h, field, say, select, whole } from './dom.js';

const kinds = [['finite', 'One item a visitor, liked or not'], ['semi-bandit', 'Several items, each liked or not'], ['cascade', 'A list, read up to the first click']];
const trusts = [['central', 'This server may see answers'], ['local', 'Nobody: answers are randomized on the person’s device']];
const algorithms = {
  central: [['lik-imed', 'lik-imed'], ['batch-klucb', 'batch-klucb']],
  local: [['rr-imed', 'rr-imed'], ['rr-klucb', 'rr-klucb']],
};

export async function makePage(root) {
  const name = h('input', { type: 'text', required: true, autocomplete: 'off', pattern: '[A-Za-z0-9][A-Za-z0-9._\\-]{0,63}' });
  const arms = h('textarea', { rows: 5, required: true, spellcheck: 'false' });
  const kind = select(kinds, 'finite');
  const slots = h('input', { type: 'number', min: 1, max: 50, step: 1, value: 1 });
  const trust = select(trusts, 'central');
  const epsilon = h('input', { type: 'number', min: 0.01, max: 100, step: 'any', value: 1, required: true });
  const wait = h('input', { type: 'number', min: 0.1, max: 31622400, step: 'any', value: 3600, required: true });
  const rounds = h('input', { type: 'number', min: 100, max: 10000000, step: 1, value: 100000 });
  const algorithm = select(algorithms.central, 'lik-imed');
  const wrong = h('p', { class: 'wrong', role: 'alert' });
  const advice = h('div', { class: 'advice', role: 'status' });
  const ask = h('button', { type: 'button', class: 'second' }, 'Ask for advice');
  const slotField = field('How many are shown at once', slots);

  const names = () => arms.value.split(/[\s,]+/).filter((text) => text !== '');
  function settle() {
    slotField.hidden = kind.value === 'finite';
    algorithm.replaceChildren(...algorithms[trust.value].map(([value, text]) => h('option', { value }, text)));
  }
  kind.addEventListener('change', () => {
    if (kind.value !== 'finite' && slots.value === '1') {
      slots.value = '3';
    }
    settle();
  });
  trust.addEventListener('change', settle);
  settle();

  const wished = () => (kind.value === 'finite' ? 1 : Number(slots.value));
  function table(found) {
    return h('table', {}, h('caption', { class: 'hidden' }, 'The candidates, the best first'),
      h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, 'Algorithm'), h('th', { scope: 'col', class: 'number' }, 'Loses'))),
      h('tbody', {}, found.candidates.filter((row) => row.offered && row.regret !== null).slice(0, 5).map((row) => h('tr', {}, h('th', { scope: 'row' }, row.algorithm, row.algorithm === found.recommended ? h('span', { class: 'badge open' }, '✓ best') : null),
        h('td', { class: 'number' }, `${whole(Math.round(row.regret))}${row.rounds < found.rounds ? ' and more' : ''}`)))));
  }
  ask.addEventListener('click', async () => {
    const count = names().length;
    if (count < 2) {
      advice.replaceChildren(h('p', {}, 'Name at least two arms first.'));
      return;
    }
    ask.disabled = true;
    advice.replaceChildren(h('p', {}, 'Simulating the candidates…'));
    try {
      const found = await api.advise({ problem: kind.value, trust: trust.value, epsilon: Number(epsilon.value), arms: Math.min(count, 200), slots: wished(), rounds: Number(rounds.value) });
      // Where the server may see answers, what needs no code on people's devices is the simpler choice.
      const simplest = found.candidates.find((row) => row.offered && (trust.value === 'local' || row.model !== 'local'))?.algorithm ?? found.recommended;
      if (simplest) {
        if (![...algorithm.options].some((option) => option.value === simplest)) {
          algorithm.append(h('option', { value: simplest }, simplest));
        }
        algorithm.value = simplest;
      }
      advice.replaceChildren(h('p', {}, 'Take ', h('strong', {}, found.recommended ?? 'none of these'), '. ',
        simplest === found.recommended ? '' : `It randomizes answers on each person’s device; of those that need nothing there, take ${simplest}. `,
        `Of ${whole(found.rounds)} visitors it loses about the likes below, against somebody who knows what people like. `,
        found.without_privacy === null ? '' : `Without privacy: ${whole(Math.round(found.without_privacy))}. `, found.at_random === null ? '' : `At random: ${whole(Math.round(found.at_random))}.`),
      table(found), h('p', { class: 'hint' }, `Simulated: ${found.world}.`));
    } catch (error) {
      advice.replaceChildren(h('p', { class: 'wrong' }, error.message));
    }
    ask.disabled = false;
  });

  const form = h('form', {
    class: 'card',
    onsubmit: async (event) => {
      event.preventDefault();
      wrong.textContent = '';
      const spec = { name: name.value.trim(), algorithm: algorithm.value, arms: names(), slots: wished(), epsilon: Number(epsilon.value), wait_seconds: Number(wait.value) };
      if (kind.value === 'cascade') {
        spec.feedback = 'clicks';
      }
      try {
        await api.create(spec);
        location.hash = `#/campaign/${encodeURIComponent(spec.name)}`;
        say(`${spec.name} is made.`);
      } catch (error) {
        wrong.textContent = error.field ? `${error.field}: ${error.message}` : error.message;
      }
    },
  }, field('Name', name, 'Letters, digits, dots, _ and -.'), field('Arms', arms, 'What there is to show: one per line.'), field('What a visitor sees', kind), slotField,
  field('Who may see an answer before it has noise', trust),
  field('Epsilon', epsilon, 'The privacy budget of one answer: smaller hides more, and learning takes longer. 1 is a common choice.'),
  field('Seconds to wait for an answer', wait, 'Everything counts when this is over, answered or not, so that nobody sees who answered.'),
  field('Algorithm', algorithm), wrong, h('button', { type: 'submit' }, 'Make the campaign'));

  root.append(h('h1', {}, 'New campaign'), h('p', { class: 'soft' }, 'Its privacy can’t be changed later.'),
    h('div', { class: 'columns' }, form, h('section', { class: 'card', 'aria-labelledby': 'advice-title' }, h('h2', { id: 'advice-title' }, 'Which algorithm?'),
      h('p', {}, 'All that fit are played against simulated visitors, and the one that loses least is recommended: what ', h('code', {}, 'lotor advise'), ' does.'),
      field('About how many visitors will come', rounds), ask, advice)));
  return null;
}
