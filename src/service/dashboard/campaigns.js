// campaigns.js - the list of campaigns: search, filter, sort, and what each one has found out.

import { api } from './api.js';
import { h, empty, pageHead, table } from './dom.js';
import { input, field, select } from './form.js';
import { count, plain, titleOf, when, whole } from './format.js';
import { badge, levelBadge, mark, stateOf } from './status.js';
import { resultOf } from './result.js';
import { may } from './session.js';

export { badge, isHalted } from './status.js';
export { titleOf } from './format.js';

const SIGNS = { good: '✓', bad: '✕', open: '…', none: '·' };
const SORTS = {
  newest: ['Newest first', (a, b) => b.created - a.created],
  oldest: ['Oldest first', (a, b) => a.created - b.created],
  name: ['By name', (a, b) => titleOf(a).localeCompare(titleOf(b))],
  rounds: ['Most rounds first', (a, b) => b.decisions - a.decisions],
};

const address = (campaign) => `#/campaign/${encodeURIComponent(campaign.name)}`;

// Fills in results, few at a time.
async function fillResults(waiting, isOpen) {
  async function work() {
    for (let next = waiting.shift(); next && isOpen(); next = waiting.shift()) {
      const [campaign, cell] = next;
      const found = await api.campaign(campaign.name).then(resultOf, (error) => ({ kind: 'none', title: 'Not loaded', text: error.message }));
      cell.replaceChildren(h('strong', {}, found.title), h('span', { class: `verdict ${found.kind}` }, h('span', { 'aria-hidden': 'true' }, `${SIGNS[found.kind]} `), found.text));
    }
  }
  await Promise.all([work(), work(), work()]);
}

// That of a user, if the rounds of a user are limited. Weak is said to be weak.
function epsilonOf(campaign) {
  const isWeak = !['strong', 'moderate'].includes(campaign.level);
  return h('div', {}, plain(campaign.epsilon_per_user ?? campaign.epsilon), campaign.epsilon_per_user === null ? null : h('span', { class: 'id' }, 'per user'),
    isWeak ? h('div', {}, levelBadge(campaign)) : null);
}

function row(campaign, cells) {
  const cell = cells.get(campaign.name) ?? cells.set(campaign.name, h('div', { class: 'result' }, h('span', { class: 'bone', 'aria-hidden': 'true' }))).get(campaign.name);
  return h('tr', {},
    h('th', { scope: 'row' }, h('a', { href: address(campaign) }, titleOf(campaign)), campaign.title ? h('span', { class: 'id' }, campaign.name) : null),
    h('td', { 'data-label': 'State' }, h('span', { class: 'badges' }, badge(campaign), campaign.metadata?.sandbox === true ? mark('quiet', '⚗', 'Sandbox') : null)),
    h('td', { 'data-label': 'Result' }, cell),
    h('td', { 'data-label': 'Epsilon', class: 'number' }, epsilonOf(campaign)),
    h('td', { 'data-label': 'Rounds', class: 'number' }, whole(campaign.decisions)),
    h('td', { 'data-label': 'Started' }, when(campaign.created, true)));
}

export async function campaignsPage(root) {
  const { campaigns } = await api.list(true);
  const cells = new Map();
  const search = input({ type: 'search', placeholder: 'Name or title' });
  const state = select([['current', 'Current'], ['running', 'Running'], ['paused', 'Paused'], ['ended', 'Ended'], ['archived', 'Archived'], ['deleted', 'Deleted'], ['all', 'All']], 'current');
  const since = h('input', { type: 'date' });
  const sort = select(Object.entries(SORTS).map(([value, [text]]) => [value, text]), 'newest');
  const list = h('div');
  const told = h('p', { class: 'soft', role: 'status' });
  let open = true;

  const fits = (campaign) => {
    const words = search.value.trim().toLowerCase();
    const is = stateOf(campaign);
    const inState = state.value === 'all' || state.value === is || (state.value === 'current' && is !== 'archived' && is !== 'deleted');
    const inTime = !since.value || campaign.created >= new Date(`${since.value}T00:00`).getTime() / 1000;
    return inState && inTime && `${campaign.name} ${campaign.title ?? ''}`.toLowerCase().includes(words);
  };
  function draw() {
    const found = campaigns.filter(fits).sort(SORTS[sort.value][1]);
    told.textContent = found.length === campaigns.length ? count(found.length, 'campaign') : `${whole(found.length)} of ${count(campaigns.length, 'campaign')}`;
    if (found.length === 0) {
      list.replaceChildren(empty('Nothing matches', 'Change the search, the state or the date above.'));
      return;
    }
    const fresh = found.filter((campaign) => !cells.has(campaign.name));
    list.replaceChildren(table('Campaigns', [['Campaign'], ['State'], ['Result'], ['Epsilon', 'number'], ['Rounds', 'number'], ['Started']], found.map((campaign) => row(campaign, cells)), { class: 'stacks list' }));
    fillResults(fresh.map((campaign) => [campaign, cells.get(campaign.name)]), () => open);
  }

  root.append(pageHead('Campaigns', { badge: may('admin') ? null : mark('quiet', '○', 'Read only') }, may('admin') ? h('a', { class: 'button', href: '#/new' }, '+ New campaign') : null));
  if (campaigns.length === 0) {
    root.append(h('div', { class: 'card' }, empty('No campaign yet', may('admin') ? [h('a', { href: '#/new' }, 'Create the first one'), ', or see '] : 'An admin creates campaigns. See ',
      h('a', { href: '#/learn' }, 'how private learning works'), '.')));
    return null;
  }
  for (const control of [search, state, since, sort]) {
    control.addEventListener('input', draw);
  }
  root.append(h('section', { class: 'card', 'aria-label': 'All campaigns' },
    h('div', { class: 'filters' }, field('Search', search), field('State', state), field('Started since', since), field('Sort', sort)), told, list));
  draw();
  return () => { open = false; };
}
