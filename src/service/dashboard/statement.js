// statement.js - the privacy statement of a campaign, to read, print or save as PDF.

import { api } from './api.js';
import { h, pageHead } from './dom.js';
import { local, titleOf, utc } from './format.js';
import { levelBadge } from './status.js';
import { promiseText } from './promise.js';

const BLOCKS = {
  paragraph: ({ text }) => h('p', {}, text),
  list: ({ items }) => h('ul', {}, items.map((item) => h('li', {}, item))),
  checks: ({ items }) => h('ul', { class: 'plain-list' }, items.map((item) => h('li', {}, `☐ ${item}`))),
  rows: ({ rows }) => h('dl', { class: 'settings' }, rows.map(({ label, text }) => h('div', {}, h('dt', {}, label), h('dd', {}, text)))),
  table: ({ lines: [head, ...lines] }, title) => h('div', { class: 'scrolls-x', tabindex: '0', role: 'region', 'aria-label': title }, h('table', {}, h('caption', { class: 'hidden' }, title),
    h('thead', {}, h('tr', {}, head.map((cell) => h('th', { scope: 'col' }, cell)))), h('tbody', {}, lines.map((line) => h('tr', {}, line.map((cell) => h('td', {}, cell))))))),
};

const section = ({ title, blocks }, place) => h('section', {}, h('h2', {}, `${place + 1}. ${title}`), blocks.map((block) => BLOCKS[block.kind]?.(block, title)));

// The text of the guarantee, for a server that makes no statements.
const plain = ({ guarantee }) => [promiseText(guarantee, 'h2'), h('h2', {}, 'The whole statement'), h('p', {}, guarantee.statement), h('h2', {}, 'Assumptions'), h('p', {}, guarantee.assumes)];

export async function statementPage(root, name) {
  const [campaign, statement] = await Promise.all([api.campaign(name), api.statement(name)]);
  const now = Date.now() / 1000;
  const back = `#/campaign/${encodeURIComponent(name)}`;
  root.append(pageHead('Privacy statement', { trail: [h('a', { href: '#/campaigns' }, 'Campaigns'), ' / ', h('a', { href: back }, titleOf(campaign))] },
    h('a', { class: 'button second', href: back }, 'Back'), h('button', { type: 'button', onclick: () => print() }, 'Print or save as PDF')),
  h('article', { class: 'card statement' }, h('p', { class: 'statement-name' }, titleOf(campaign)),
    h('p', { class: 'buttons' }, levelBadge(campaign.guarantee), h('code', {}, name)),
    statement?.headline ? h('p', { class: statement.claim.private ? 'statement-headline' : 'statement-headline warning' }, statement.headline) : null,
    statement?.about ? h('p', { class: 'soft' }, statement.about) : null,
    statement?.sections ? statement.sections.map(section) : plain(campaign),
    h('p', { class: 'soft made' }, statement?.time ? `As of ${statement.time}.` : `Made on ${local(now)} (${utc(now)}).`)));
  return null;
}
