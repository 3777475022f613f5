// try.js - a small panel to be a visitor: ask what to show, say what was liked. It works on a sandbox copy of the
// campaign, unless an admin says that the real one is meant.

import { api } from './api.js';
import { h, card, say } from './dom.js';
import { field, tick } from './form.js';
import { duration, sentence, titleOf } from './format.js';
import { isHalted } from './status.js';
import { openReporter } from './reports.js';
import { confirmed } from './dialog.js';

const visitor = `console-${Math.random().toString(36).slice(2, 10)}`;

// Each arm's numbers for one made-up person: a vector of length 1.
function madeUpContext(campaign) {
  const vector = () => {
    const numbers = Array.from({ length: campaign.dimension }, () => Math.random() - 0.5);
    const length = Math.hypot(...numbers) * 1.001;
    return numbers.map((number) => Number((number / length).toFixed(3)));
  };
  return JSON.stringify(Object.fromEntries(campaign.arms.filter((arm) => !arm.removed).map((arm) => [arm.id, vector()])));
}

export function tryPanel(name, campaign, refresh) {
  const local = campaign.guarantee.model === 'local';
  const clicks = campaign.feedback === 'clicks';
  const titles = new Map(campaign.arms.map((arm) => [arm.id, titleOf(arm)]));
  const titleOfArm = (id) => titles.get(id) ?? id;
  const shown = h('div', { class: 'shown' });
  const ask = h('button', { type: 'button' }, 'Ask what to show');
  const result = h('p', { class: 'soft', role: 'status' });
  const real = h('input', { type: 'checkbox' });
  const realTick = tick('Use the real campaign', real, 'Your clicks then count as real feedback.');
  const where = h('p', { class: 'soft' });
  const context = campaign.dimension === null ? null : h('textarea', { rows: 4, spellcheck: 'false', class: 'mono' });
  if (context) {
    context.value = madeUpContext(campaign);
  }
  let target = null; // the campaign that is asked: the sandbox, or the real one
  let decision = null;

  function heard(text) {
    decision = null;
    shown.replaceChildren();
    result.textContent = text;
    ask.focus();
    refresh();
  }

  const counts = campaign.early_release ? 'It counts now' : `It counts when its ${duration(campaign.wait_seconds)} are over`;
  const place = () => (target === name ? 'the real campaign' : 'the sandbox');

  async function send(body) {
    try {
      const { status } = await api.reward(decision.event, body);
      heard(status === 'late' ? `Too late: the ${duration(campaign.wait_seconds)} for feedback were over, so this feedback does not count.` : `Sent to ${place()}. ${counts}, and shows only with noise.`);
    } catch (error) {
      say(error.message);
    }
  }

  // Sends the report alone. It is drawn once: a second draw would reveal more.
  async function report(at) {
    const asked = decision;
    if (!asked) {
      return;
    }
    decision = null;
    try {
      const sent = await (await openReporter(campaign.epsilon)).send(asked, at);
      heard(`Sent ${JSON.stringify(sent)}: randomized on your own device, where the click stays. ${counts}.`);
    } catch (error) {
      heard(sentence(error.message));
    }
  }

  // A button for each place and one for none; `take` gets the place, 0: none.
  function offerClicks(take) {
    const button = (words, at) => h('button', { type: 'button', class: 'second', onclick: () => take(at) }, words);
    shown.append(h('div', { class: 'buttons' }, decision.arms.map((id, i) => button(`Click ${titleOfArm(id)}`, i + 1)), button('No click', 0)));
  }

  function offer() {
    if (decision.randomizer) {
      shown.append(h('p', {}, 'Your click is randomized on your own device, in this page, before it is sent.'));
      offerClicks(report);
      return;
    }
    if (local) { // as the page said: the click does not leave it
      shown.append(h('p', {}, 'This ranking came without a randomizer: nothing is sent from here. Reload the page.'));
      return;
    }
    if (clicks) {
      offerClicks((at) => send({ click: at ? decision.arms[at - 1] : null }));
      return;
    }
    const marks = decision.arms.map((id) => h('button', { type: 'button', class: 'second like', 'aria-pressed': 'false',
      onclick: (event) => {
        const button = event.currentTarget;
        const on = button.getAttribute('aria-pressed') !== 'true';
        button.setAttribute('aria-pressed', String(on));
        button.textContent = on ? `♥ ${titleOfArm(id)}, liked` : `♡ ${titleOfArm(id)}`;
      } }, `♡ ${titleOfArm(id)}`));
    const [low, high] = campaign.reward_range;
    shown.append(h('p', {}, 'Press what you like, then send.'), h('div', { class: 'buttons' }, marks),
      h('div', { class: 'buttons' }, h('button', { type: 'button', class: 'send',
        onclick: () => send({ rewards: marks.map((mark) => (mark.getAttribute('aria-pressed') === 'true' ? high : low)) }) }, 'Send the rewards')));
    marks[0].focus();
  }

  // The campaign to ask: the real one if the box is ticked, else its sandbox copy, made when it is first needed.
  async function chooseTarget() {
    if (real.checked || campaign.metadata?.sandbox === true) {
      return name;
    }
    return (await api.sandbox(name)).name ?? `${name}-sandbox`;
  }

  ask.addEventListener('click', async () => {
    shown.replaceChildren();
    try {
      target = await chooseTarget();
      const user = campaign.rounds_per_user !== null || campaign.budget || campaign.sticky_seconds ? { user: visitor } : {};
      decision = await api.rank(target, { ...user, ...(context ? { context: JSON.parse(context.value) } : {}) });
    } catch (error) {
      const missing = error.code === 'no_such_path' || error.code === 'wrong_method';
      result.textContent = missing ? 'This server makes no sandbox copies. Choose the real campaign to try it.' : error instanceof SyntaxError ? 'The context is not JSON.' : error.message;
      return;
    }
    where.replaceChildren(target === name ? (real.checked ? 'Asked the real campaign.' : 'Asked this sandbox.') : h('span', {}, 'Asked the copy ', h('a', { href: `#/campaign/${encodeURIComponent(target)}` }, target), '.'));
    result.textContent = `To show: ${decision.arms.map(titleOfArm).join(', ')}.`;
    if (decision.event === null) {
      shown.append(h('p', {}, 'No feedback is wanted any more: the horizon, this visitor’s limit or the budget is reached.'));
    } else {
      offer();
    }
    refresh();
  });
  real.addEventListener('change', async () => {
    if (real.checked && !(await confirmed({ title: 'Use the real campaign?', words: 'Your clicks then count as feedback of a real person. You can’t undo that.', yes: 'Use the real campaign', danger: false }))) {
      real.checked = false;
    }
    shown.replaceChildren();
    result.textContent = '';
  });

  return {
    element: card('Try it', {}, h('p', { class: 'soft' }, 'Be a visitor. You work on a copy of this campaign, so nothing you do counts.'),
      local ? h('p', {}, h('a', { href: `/device#${encodeURIComponent(name)}` }, 'Open the device page'), ' to compare each click with the report that is sent.') : null,
      context ? field('Context', context, 'The numbers of each arm, for one made-up person.') : null, ask, result, shown, where, realTick),
    set(now) {
      for (const arm of now.arms) {
        titles.set(arm.id, titleOf(arm));
      }
      this.element.hidden = now.closed || now.archived || now.deleted;
      ask.disabled = isHalted(now);
    },
  };
}
