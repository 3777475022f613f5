// audit.js - the audit log: who changed what, and when.

import { api } from './api.js';
import { h, card, empty, pageHead, table } from './dom.js';
import { field, input } from './form.js';
import { count, when, whole } from './format.js';

const PAGE = 200;
const ACTS = { create: 'Created', arms: 'Changed arms', edit: 'Edited labels', pause: 'Paused', resume: 'Resumed', archive: 'Archived', unarchive: 'Brought back', close: 'Ended', delete: 'Deleted', budget: 'Created a budget', key: 'Made a key', revoke: 'Revoked a key', sandbox: 'Made a sandbox copy' };

async function readAll() {
  const acts = [];
  for (let after = 0; after !== null;) {
    const page = await api.audit(after, PAGE);
    acts.push(...page.acts);
    after = page.acts.length ? page.next : null;
  }
  return acts.reverse();
}

function row(act) {
  return h('tr', {}, h('td', { 'data-label': 'Time' }, when(act.time)), h('td', { 'data-label': 'Key' }, h('span', {}, act.key && act.key !== '-' ? act.key : 'no name', h('span', { class: 'id' }, act.key_id))),
    h('th', { scope: 'row' }, ACTS[act.act] ?? act.act), h('td', { 'data-label': 'Campaign' }, act.campaign ? h('a', { href: `#/campaign/${encodeURIComponent(act.campaign)}` }, act.campaign) : '—'),
    h('td', { 'data-label': 'Details', class: 'change' }, act.change ? h('details', {}, h('summary', {}, 'Show'), h('p', {}, act.change)) : '—'));
}

export async function auditPage(root) {
  const acts = await readAll();
  const search = input({ type: 'search', placeholder: 'Campaign, key or change' });
  const list = h('div');
  const told = h('p', { class: 'soft', role: 'status' });
  let shown = 50;
  const more = h('button', { type: 'button', class: 'second', onclick: () => { shown += 100; draw(); } }, 'Show more');
  function draw() {
    const words = search.value.trim().toLowerCase();
    const found = acts.filter((act) => `${act.campaign} ${act.key} ${act.act} ${ACTS[act.act] ?? ''} ${act.change}`.toLowerCase().includes(words));
    told.textContent = `${whole(Math.min(shown, found.length))} of ${count(found.length, 'entry', 'entries')}, the latest first`;
    more.hidden = found.length <= shown;
    list.replaceChildren(found.length ? table('Audit log', [['Time'], ['Key'], ['Change'], ['Campaign'], ['Details']], found.slice(0, shown).map(row), { class: 'stacks audit' }) : empty('Nothing matches', 'Change the search.'));
  }
  search.addEventListener('input', draw);
  draw();
  root.append(pageHead('Audit log', { words: ['Every change to campaigns and budgets, and every key that was made or revoked on the page “Keys”. Keys of the command ', h('code', {}, 'lotor key'), ' are not listed. Entries can’t be changed.'] }), card('Entries', {}, h('div', { class: 'filters' }, field('Search', search)), told, list, more));
  return null;
}
