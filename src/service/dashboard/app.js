// app.js - which page is shown: the part of the address after the #.

import { api, key, onLostKey, Refusal } from './api.js';
import { h, skeleton } from './dom.js';
import { frame, loginPage, LOST_KEY } from './login.js';
import { closeSession, may, openSession, session, sessionText } from './session.js';
import { campaignsPage } from './campaigns.js';
import { campaignPage } from './campaign.js';
import { makePage } from './make.js';
import { budgetsPage } from './budgets.js';
import { keysPage } from './keys.js';
import { auditPage } from './audit.js';
import { statementPage } from './statement.js';
import { learnPage } from './learn.js';

const main = document.getElementById('main');
const nav = document.getElementById('nav');
const menu = document.getElementById('menu');
const who = document.getElementById('who');
const pages = [
  [/^#\/campaigns$/, campaignsPage, 'Campaigns'],
  [/^#\/campaign\/([^/]+)$/, campaignPage, 'Campaign'],
  [/^#\/statement\/([^/]+)$/, statementPage, 'Privacy statement'],
  [/^#\/new$/, makePage, 'New campaign', 'admin'],
  [/^#\/budgets$/, budgetsPage, 'Budgets'],
  [/^#\/keys$/, keysPage, 'Keys', 'admin'],
  [/^#\/audit$/, auditPage, 'Audit log', 'admin'],
  [/^#\/learn$/, learnPage, 'How private learning works'],
];
let leavePage = null;
let signedOut = null; // why a person who was signed in has to sign in again
let visit = 0; // counts pages: one that was left while it loaded is not shown

const login = {
  words: 'Watch campaigns learn what people like, under a privacy guarantee.',
  label: 'Key',
  hint: ['Make one with ', h('code', {}, 'lotor key --store FILE --role read'), ' to look at campaigns, or with ', h('code', {}, 'admin'), ' to change them. The key stays in this tab.'],
  attempt: api.list,
  explain: (error) => (error.status === 403 ? 'This key may not look at campaigns. Use one with the role read or admin.' : null),
  done: () => show(),
};

// Any page, and any form: the key was revoked, or has expired.
onLostKey(() => {
  if (session()) {
    key.drop();
    signedOut = LOST_KEY;
    show();
  }
});

function markNavigation() {
  for (const link of nav.querySelectorAll('a')) {
    link.hidden = Boolean(link.dataset.role) && !may(link.dataset.role);
    if (location.hash === link.hash) {
      link.setAttribute('aria-current', 'page');
    } else {
      link.removeAttribute('aria-current');
    }
  }
  who.hidden = false;
  who.textContent = sessionText();
}

function openMenu(open) {
  nav.classList.toggle('open', open);
  menu.setAttribute('aria-expanded', String(open));
}
menu.addEventListener('click', () => openMenu(!nav.classList.contains('open')));

function fail(error) {
  main.replaceChildren(h('div', { class: 'card', role: 'alert' }, h('h1', {}, 'This page could not be loaded'), h('p', {}, error.message),
    h('p', { class: 'buttons' }, h('button', { type: 'button', onclick: () => show() }, 'Try again'), h('a', { class: 'button second', href: '#/campaigns' }, 'All campaigns'))));
}

// The name in an address; null: the address is damaged.
function readName(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

async function show() {
  visit += 1;
  const mine = visit;
  leavePage?.();
  leavePage = null;
  openMenu(false);
  document.querySelectorAll('dialog').forEach((dialog) => dialog.close());
  nav.hidden = !key.get();
  menu.hidden = !key.get();
  if (!key.get()) {
    closeSession();
    document.title = 'Sign in · Lotor';
    main.replaceChildren();
    loginPage(main, { ...login, reason: signedOut });
    signedOut = null;
    return;
  }
  const found = pages.find(([pattern]) => pattern.test(location.hash));
  if (!found) {
    location.replace('#/campaigns');
    return;
  }
  const [pattern, page, title, role] = found;
  const name = readName(location.hash.match(pattern)[1] ?? '');
  document.title = `${name ? `${name} · ` : ''}${title} · Lotor`;
  main.replaceChildren(skeleton());
  const root = h('div', { class: 'page' });
  try {
    if (!session()) {
      await openSession().catch((error) => {
        if (error.status === 401) { // a key of an earlier visit
          key.drop();
          signedOut = LOST_KEY;
          show();
        }
        throw error;
      });
    }
    markNavigation();
    if (role && !may(role)) {
      throw new Refusal(403, { code: 'forbidden', field: null, message: `This page needs a key with the role ${role}. Yours is read only.` });
    }
    if (name === null) {
      throw new Refusal(404, { code: 'bad_address', field: null, message: 'The address of this page is damaged. Choose the campaign in the list.' });
    }
    const leave = await page(root, name);
    if (mine !== visit) {
      leave?.();
      return;
    }
    leavePage = leave;
    main.replaceChildren(root);
  } catch (error) {
    if (mine !== visit) {
      return;
    }
    fail(error);
  }
  (main.querySelector('h1') ?? main).setAttribute('tabindex', '-1');
  (main.querySelector('h1') ?? main).focus({ preventScroll: true });
  scrollTo(0, 0);
}

frame(show);
