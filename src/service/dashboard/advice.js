// advice.js - which algorithm to take: the server simulates those that fit, while the form is filled in.

import { api } from './api.js';
import { h, card, table } from './dom.js';
import { field, number } from './form.js';
import { whole } from './format.js';

const PAUSE = 900; // milliseconds without a key press before it asks

// `read` gives the wish, or null while too little is known; `recommend` gets the list of what can be taken.
export function advicePanel(read, recommend) {
  const rounds = number({ min: 100, max: 10000000, step: 1, value: 100000 });
  const body = h('div', { class: 'advice', role: 'status' });
  let timer = 0;
  let asked = '';

  function show(found, trust) {
    const offered = found.candidates.filter((row) => row.offered && row.regret !== null && (trust === 'local' || row.model !== 'local'));
    if (offered.length === 0) {
      body.replaceChildren(h('p', {}, 'No algorithm of this server fits these settings.'));
      return;
    }
    recommend(offered.map((row) => row.algorithm));
    const lost = (row) => `${whole(Math.round(row.regret))}${row.rounds < found.rounds ? ' and more' : ''}`;
    body.replaceChildren(h('p', {}, 'Take ', h('strong', {}, offered[0].algorithm), `. Of ${whole(found.rounds)} visitors it loses about ${lost(offered[0])} rewards, compared with someone who knows the best choice from the start.`),
      h('ul', { class: 'plain-list' }, found.without_privacy === null ? null : h('li', {}, 'A usual algorithm without privacy: ', h('strong', {}, whole(Math.round(found.without_privacy)))),
        found.at_random === null ? null : h('li', {}, 'Choosing at random: ', h('strong', {}, whole(Math.round(found.at_random))))),
      offered.length > 1 ? table('Algorithms, the best first', [['Algorithm'], ['Rewards lost', 'number']], offered.slice(0, 4).map((row) => h('tr', {}, h('th', { scope: 'row' }, row.algorithm), h('td', { class: 'number', 'data-label': 'Rewards lost' }, lost(row)))), { class: 'tight' }) : null,
      h('p', { class: 'hint' }, `Simulated: ${found.world}.`));
  }

  async function ask() {
    const wish = read();
    if (!wish) {
      body.replaceChildren(h('p', { class: 'soft' }, 'Name at least two arms, and advice appears here.'));
      return;
    }
    const text = JSON.stringify({ ...wish, rounds: Number(rounds.value) });
    if (text === asked) {
      return;
    }
    asked = text;
    body.replaceChildren(h('p', { class: 'soft' }, h('span', { class: 'spinner', 'aria-hidden': 'true' }), 'Simulating…'));
    try {
      const found = await api.advise(JSON.parse(text));
      if (asked === text) {
        show(found, wish.trust);
      }
    } catch (error) {
      if (asked !== text) {
        return;
      }
      asked = '';
      if (error.code === 'busy') {
        timer = setTimeout(ask, 2 * PAUSE);
        return;
      }
      body.replaceChildren(h('p', { class: 'soft' }, error.message));
    }
  }
  function later() {
    clearTimeout(timer);
    timer = setTimeout(ask, PAUSE);
  }
  rounds.addEventListener('input', later);
  ask();
  return {
    element: card('Advice', {}, field('About how many visitors will come', rounds), body),
    later,
    end: () => { clearTimeout(timer); asked = 'left'; },
  };
}
