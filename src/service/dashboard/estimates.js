// estimates.js - what the server has learnt so far: every arm's estimate and its interval, as they move.

import { api } from './api.js';
import { h } from './dom.js';
import { freshness } from './fresh.js';
import { titleOf, value, whole } from './format.js';
import { forest } from './forest.js';
import { intervalDomain } from './scale.js';

// `campaign`: as GET gave it; null: the key can't read the campaign.
export function estimatesCard(name, campaign) {
  const title = h('h2', { id: 'estimates-title' }, 'The server’s estimates');
  const card = (...children) => h('section', { class: 'card', 'aria-labelledby': 'estimates-title' }, title, children);
  if (!campaign) {
    return { element: card(h('p', { class: 'soft' }, 'This key may rank and send feedback, but can’t read estimates. Use a key with the role read to see them here.')), async look() {} };
  }
  const rows = new Map();
  const body = h('tbody');
  const over = h('p', { class: 'soft', id: 'over' });
  const [low, high] = campaign.reward_range;
  const fresh = freshness();

  function rowOf(id) {
    const picture = forest(campaign.reward_range);
    const title = h('th', { scope: 'row' }, id);
    const mean = h('td', { class: 'number' });
    const count = h('td', { class: 'number' });
    body.append(h('tr', {}, title, h('td', { class: 'picture' }, picture.element), mean, count));
    return { picture, title, mean, count };
  }
  function set(now) {
    over.textContent = `From reports alone: ${whole(now.final)} of ${whole(now.decisions)} rounds count so far`
      + `${now.early_release ? '.' : `, each ${whole(now.wait_seconds)} s after its list was shown.`}`
      + `${now.arms.some(({ mean }) => mean !== null && (mean < low || mean > high)) ? ` With few reports an estimate can lie outside of ${low} to ${high}.` : ''}`;
    const domain = intervalDomain(now.arms.filter((arm) => arm.interval).map((arm) => ({ mean: arm.mean, ...arm.interval })), campaign.reward_range);
    for (const arm of now.arms) {
      const row = rows.get(arm.id) ?? rows.set(arm.id, rowOf(arm.id)).get(arm.id);
      row.picture.set({ mean: arm.mean, ...arm.interval }, undefined, domain);
      row.title.textContent = titleOf(arm);
      row.mean.textContent = value(arm.mean, campaign.reward_range);
      row.count.textContent = whole(arm.count);
    }
  }
  set(campaign);
  return {
    element: card(fresh.element, over, h('table', { class: 'arms tight', id: 'estimates' }, h('caption', { class: 'hidden' }, 'Each arm’s estimate, its 95% interval, and how many reports it rests on'),
      h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, 'Arm'), h('th', { scope: 'col' }, '95% interval'),
        h('th', { scope: 'col', class: 'number' }, 'Estimate'), h('th', { scope: 'col', class: 'number' }, 'Reports'))), body)),
    look: () => fresh.run(async () => set(await api.campaign(name))),
  };
}
