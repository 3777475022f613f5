// campaigns.js - all campaigns.

import { api } from './api.js';
import { h, whole } from './dom.js';

// Whether a campaign shows nothing at the moment.
export function isHalted(campaign) {
  return campaign.closed || campaign.paused || campaign.archived || campaign.deleted;
}

// The title of a campaign or an arm, beside its id.
export function titleOf(labels) {
  return labels.title ? h('span', { class: 'soft' }, ` ${labels.title}`) : '';
}

export function badge(campaign) {
  if (!isHalted(campaign)) {
    return h('span', { class: 'badge open' }, '● open');
  }
  const state = campaign.deleted ? '✕ deleted' : campaign.archived ? '▣ archived' : campaign.closed ? '■ closed' : '❚❚ paused';
  return h('span', { class: 'badge closed' }, state);
}

export async function campaignsPage(root) {
  const { campaigns } = await api.list(); // without archived ones
  root.append(h('div', { class: 'heading' }, h('h1', {}, 'Campaigns'), h('a', { class: 'button', href: '#/new' }, 'New campaign')));
  if (campaigns.length === 0) {
    root.append(h('div', { class: 'card' }, h('p', {}, 'There is no campaign yet. ',
      h('a', { href: '#/new' }, 'Make one'), ', or look at ', h('a', { href: '#/learn' }, 'what private learning looks like'), '.')));
    return null;
  }
  const rows = campaigns.map((campaign) => h('tr', {},
    h('th', { scope: 'row' }, h('a', { href: `#/campaign/${encodeURIComponent(campaign.name)}` }, campaign.name), titleOf(campaign)),
    h('td', { 'data-label': 'State' }, badge(campaign)),
    h('td', { 'data-label': 'Algorithm' }, campaign.algorithm),
    h('td', { 'data-label': 'Epsilon', class: 'number' }, String(campaign.epsilon)),
    h('td', { 'data-label': 'Decisions', class: 'number' }, whole(campaign.decisions)),
    h('td', { 'data-label': 'Releases', class: 'number' }, whole(campaign.releases))));
  root.append(h('div', { class: 'card' }, h('table', { class: 'stacks' },
    h('caption', { class: 'hidden' }, 'All campaigns, in the order they were made'),
    h('thead', {}, h('tr', {}, ['Name', 'State', 'Algorithm'].map((name) => h('th', { scope: 'col' }, name)),
      ['Epsilon', 'Decisions', 'Releases'].map((name) => h('th', { scope: 'col', class: 'number' }, name)))),
    h('tbody', {}, rows))));
  return null;
}
