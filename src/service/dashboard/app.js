// app.js - which page is shown: the part of the address after the #.

import { api, key } from './api.js';
import { h, say } from './dom.js';
import { frame, loginPage } from './login.js';
import { campaignsPage } from './campaigns.js';
import { campaignPage } from './campaign.js';
import { makePage } from './make.js';
import { learnPage } from './learn.js';

const main = document.getElementById('main');
const nav = document.getElementById('nav');
const pages = [
  [/^#\/campaigns$/, campaignsPage, 'Campaigns'],
  [/^#\/campaign\/([^/]+)$/, campaignPage, 'Campaign'],
  [/^#\/new$/, makePage, 'New campaign'],
  [/^#\/learn$/, learnPage, 'What private learning looks like'],
];
let leavePage = null;

const login = {
  words: 'Watch campaigns learn what people like, under a privacy guarantee.',
  label: 'Key',
  hint: ['Made with ', h('code', {}, 'lotor key --store FILE --role read'), ' to look, or ', h('code', {}, 'admin'), ' to change campaigns. It stays in this tab and is forgotten with it.'],
  attempt: api.list,
  explain: (error) => (error.status === 403 ? 'This key may not look at campaigns: expected one with the role read or admin.' : null),
  done: () => show(),
};

async function show() {
  leavePage?.();
  leavePage = null;
  main.replaceChildren();
  nav.hidden = !key.get();
  if (!key.get()) {
    document.title = 'Sign in · Lotor';
    loginPage(main, login);
    return;
  }
  const found = pages.find(([pattern]) => pattern.test(location.hash));
  if (!found) {
    location.replace('#/campaigns');
    return;
  }
  const [pattern, page, title] = found;
  const name = decodeURIComponent(location.hash.match(pattern)[1] ?? '');
  document.title = `${name || title} · Lotor`;
  for (const link of nav.querySelectorAll('a')) {
    const here = location.hash === link.hash;
    link.toggleAttribute('aria-current', here);
    if (here) {
      link.setAttribute('aria-current', 'page');
    }
  }
  try {
    leavePage = await page(main, name);
  } catch (error) {
    if (error.status === 401) {
      key.drop();
      show();
      say('The key is not known any more: sign in again.');
      return;
    }
    main.replaceChildren(h('div', { class: 'card', role: 'alert' }, h('h1', {}, 'That did not work'), h('p', {}, error.message)));
  }
  (main.querySelector('h1') ?? main).setAttribute('tabindex', '-1');
  (main.querySelector('h1') ?? main).focus({ preventScroll: true });
  scrollTo(0, 0);
}

frame(show);
