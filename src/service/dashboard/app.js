// app.js - which page is shown: the part of the address after the #.

import { api, key } from './api.js';
import { h, field, say } from './dom.js';
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

function loginPage(root) {
  const input = h('input', { type: 'password', autocomplete: 'off', required: true, spellcheck: 'false' });
  const wrong = h('p', { class: 'wrong', role: 'alert' });
  const form = h('form', {
    class: 'card narrow',
    onsubmit: async (event) => {
      event.preventDefault();
      wrong.textContent = '';
      key.set(input.value.trim());
      try {
        await api.list();
        show();
      } catch (error) {
        key.drop();
        wrong.textContent = error.status === 403 ? 'This key may not look at campaigns: an admin key is needed.'
          : error.status === 401 ? 'The server does not know this key.' : error.message;
        input.focus();
      }
    },
  }, h('h1', {}, 'Sign in'),
  h('p', {}, 'Watch campaigns learn what people like, under a privacy guarantee.'),
  field('Admin key', input, ['Made with ', h('code', {}, 'lotor key --store FILE --role admin'), '. It stays in this tab and is forgotten with it.']),
  wrong, h('button', { type: 'submit' }, 'Sign in'));
  root.append(form);
  input.focus();
}

async function show() {
  leavePage?.();
  leavePage = null;
  main.replaceChildren();
  nav.hidden = !key.get();
  if (!key.get()) {
    document.title = 'Sign in · Lotor';
    loginPage(main);
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
    if (error.status === 401 || error.status === 403) {
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

document.getElementById('leave').addEventListener('click', () => {
  key.drop();
  show();
  say('Signed out.');
});
document.querySelector('.skip').addEventListener('click', (event) => {
  event.preventDefault(); // the address says which page is shown
  main.focus();
});
addEventListener('hashchange', show);
show();
