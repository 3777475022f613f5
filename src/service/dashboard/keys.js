// keys.js - keys and their roles: who may do what.

import { api } from './api.js';
import { h, card, copy, empty, pageHead, say, table } from './dom.js';
import { field, input, placeError, select, tick } from './form.js';
import { when } from './format.js';
import { confirmed, openDialog } from './dialog.js';
import { mark } from './status.js';
import { session } from './session.js';

const ROLES = [
  ['read', 'Look at campaigns, results and statements. For reviewers and product managers.'],
  ['rank', 'Ask what to show. For your product’s server.'],
  ['reward', 'Tell what came back. For your product’s server.'],
  ['metrics', 'Read /metrics, which has exact counts of feedback. For monitoring.'],
  ['admin', 'Everything: create, change and delete campaigns, make keys.'],
];
const PRODUCTS = [['read', 'A reviewer or product manager'], ['rank,reward', 'A product’s server'], ['admin', 'An administrator']];

const rolesOf = (key) => (Array.isArray(key.roles) ? key.roles : String(key.roles).split(','));

function showKey(made) {
  openDialog('The new key', (close) => {
    const text = h('pre', { class: 'code', tabindex: '0', 'aria-label': 'The key' }, made.key);
    const button = h('button', { type: 'button', onclick: () => copy(made.key, button) }, 'Copy the key');
    return [h('p', {}, 'Copy it now: the server keeps only a hash, and shows the key this once.'), text, h('div', { class: 'buttons end' }, h('button', { type: 'button', class: 'second', onclick: close }, 'Done'), button)];
  });
}

function form(campaigns, done) {
  const name = input({ required: true, maxlength: 64 });
  const campaign = select([['', 'All campaigns'], ...campaigns.map((one) => [one.name, one.title || one.name])], '');
  const expires = select([['', 'Never'], ['7d', 'In 7 days'], ['30d', 'In 30 days'], ['90d', 'In 90 days'], ['365d', 'In a year']], '90d');
  const boxes = ROLES.map(([role, words]) => [role, h('input', { type: 'checkbox', value: role, checked: role === 'read' }), words]);
  const preset = select([...PRODUCTS, ['', 'Something else']], 'read', { onchange: (event) => { if (event.target.value) boxes.forEach(([role, box]) => { box.checked = event.target.value.split(',').includes(role); }); } });
  const wrong = h('p', { class: 'wrong', role: 'alert' });
  return card('New key', {}, h('form', {
    onsubmit: async (event) => {
      event.preventDefault();
      wrong.textContent = '';
      const roles = boxes.filter(([, box]) => box.checked).map(([role]) => role);
      if (roles.length === 0) {
        wrong.textContent = 'Choose at least one role.';
        return;
      }
      try {
        const made = await api.makeKey({ roles, name: name.value.trim(), ...(campaign.value ? { campaign: campaign.value } : {}), ...(expires.value ? { expires: expires.value } : {}) });
        await done();
        name.value = '';
        showKey(made);
      } catch (error) {
        placeError(error, { name, campaign, expires }, wrong);
      }
    },
  }, field('For', preset), field('Name', name, 'For lists and the audit log, such as web-1 or jane.'),
  h('fieldset', {}, h('legend', {}, 'Roles'), boxes.map(([role, box, words]) => tick(role, box, words))),
  field('Campaign', campaign), field('Expires', expires), wrong, h('button', { type: 'submit' }, 'Make the key')));
}

export async function keysPage(root) {
  const list = h('div');
  async function revoke(key) {
    if (await confirmed({ title: `Revoke ${key.name && key.name !== '-' ? key.name : key.id}?`, words: 'Every program that uses this key is refused within a second. A revoked key can’t be brought back.', yes: 'Revoke the key' })) {
      try {
        await api.revokeKey(key.id);
        say('The key is revoked.');
      } catch (error) {
        say(error.message);
      }
      draw();
    }
  }
  const row = (key) => h('tr', {}, h('th', { scope: 'row' }, key.name && key.name !== '-' ? key.name : h('span', { class: 'soft' }, 'no name'), h('span', { class: 'id' }, key.id)),
    h('td', { 'data-label': 'Roles' }, h('span', { class: 'badges' }, rolesOf(key).map((role) => h('span', { class: `badge ${role === 'admin' ? 'warn' : 'quiet'}` }, role)))),
    h('td', { 'data-label': 'Campaign' }, key.campaign ?? 'all'),
    h('td', { 'data-label': 'Expires' }, key.expired ? mark('bad', '✕', 'Expired') : key.expires ? when(typeof key.expires === 'string' ? Date.parse(key.expires) / 1000 : key.expires) : 'never'),
    h('td', { class: 'action' }, key.id === session()?.id ? h('span', { class: 'soft' }, 'this key') : h('button', { type: 'button', class: 'danger small', 'aria-label': `Revoke ${key.name ?? key.id}`, onclick: () => revoke(key) }, 'Revoke…')));
  async function draw() {
    const { keys } = await api.keys();
    list.replaceChildren(card('Keys', {}, keys.length ? table('Keys', [['Name'], ['Roles'], ['Campaign'], ['Expires'], ['Revoke', '', true]], keys.map(row)) : empty('No keys', 'Make one.')));
  }
  let missing = false;
  const { campaigns } = await api.list();
  await draw().catch((error) => {
    if (error.code !== 'no_such_path') {
      throw error;
    }
    missing = true;
  });
  root.append(pageHead('Keys', { words: 'A key says who calls. Its roles say what it may do.' }),
    missing ? h('div', { class: 'card' }, empty('Not on this server', 'This server makes no keys over HTTP. Use the command ', h('code', {}, 'lotor key'), ' on its machine.')) : h('div', { class: 'columns wide-left' }, list, form(campaigns, draw)));
  return null;
}
