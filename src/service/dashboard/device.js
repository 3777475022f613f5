// device.js - the person's side of a local campaign: a list, a click that stays here, a report that is sent.
// The part of the address after the # is the campaign's name.

import { api, key, onLostKey } from './api.js';
import { h, field, sentence, whole } from './dom.js';
import { isHalted } from './campaigns.js';
import { estimatesCard } from './estimates.js';
import { frame, loginPage, LOST_KEY } from './login.js';
import { chance, known, percent, tells, truth, what } from './law.js';
import { numbersOf, openReporter } from './reports.js';

const main = document.getElementById('main');
const nav = document.getElementById('nav');
const PAST = 10; // how many clicks the page remembers
let leavePage = null;
let signedOut = null; // why a person who was signed in has to sign in again

const nameOf = (decision, place) => (place === 0 ? 'none of these' : decision.arms[place - 1]);

// --- the last click and its report ---------------------------------------------------------------------

// Every click that the person could have made, and the probability that it would have made this report.
function likelihoods({ decision, place, report }) {
  const { randomizer, arms } = decision;
  const clicks = [...arms.map((id, i) => i + 1), 0];
  const chances = clicks.map((click) => chance(randomizer, click, arms.length, report));
  const most = Math.max(...chances);
  return h('table', { class: 'chances' }, h('caption', {}, `How likely ${what(randomizer, arms, report)} was, for each click`),
    h('thead', { class: 'hidden' }, h('tr', {}, ['Click', 'Probability'].map((name) => h('th', { scope: 'col' }, name)))),
    h('tbody', {}, clicks.map((click, i) => h('tr', { class: click === place ? 'mine' : null },
      h('th', { scope: 'row' }, nameOf(decision, click), click === place ? h('span', { class: 'soft' }, ' ● you') : null),
      h('td', {}, h('progress', { max: '1', value: chances[i] / most, 'aria-hidden': 'true' })),
      h('td', { class: 'number' }, percent(chances[i]))))));
}

function outcome() {
  const clicked = h('p', { class: 'big', id: 'clicked' }, '—');
  const sent = h('pre', { id: 'sent' }, '—');
  const match = h('p', { class: 'soft', id: 'match' });
  const law = h('p', { id: 'law' });
  const table = h('div', { id: 'chances' });
  const body = h('div', { hidden: true }, h('h3', {}, 'Meaning of the report'), law, table);
  const first = h('p', { class: 'soft' }, 'Click something: what happens then is shown here.');
  return {
    element: h('section', { class: 'card', 'aria-labelledby': 'outcome-title' }, h('h2', { id: 'outcome-title' }, 'Your click, and what was sent'),
      h('div', { class: 'sides' },
        h('div', { class: 'side here' }, h('h3', {}, 'Clicked'), clicked, h('p', { class: 'soft' }, 'Stays on this device.')),
        h('div', { class: 'side there' }, h('h3', {}, 'Sent'), sent, match)), first, body),
    set(visit) {
      const { decision, place, report, same } = visit;
      first.hidden = true;
      body.hidden = false;
      clicked.textContent = nameOf(decision, place);
      sent.textContent = visit.body;
      match.textContent = same ? 'A report without randomization would be the same.' : `A report without randomization would be ${visit.plain}.`;
      law.textContent = tells(decision.randomizer, decision.arms);
      table.replaceChildren(likelihoods({ decision, place, report }));
    },
  };
}

function history() {
  const rows = h('tbody');
  const count = h('p', { class: 'soft', id: 'count' }, 'No click yet. This page forgets them when it is closed.');
  const total = { clicks: 0, changed: 0 };
  return {
    element: h('section', { class: 'card', 'aria-labelledby': 'history-title' }, h('h2', { id: 'history-title' }, 'So far, on this page'), count,
      h('table', { class: 'tight' }, h('caption', { class: 'hidden' }, `The last ${PAST} clicks and reports, the latest first`),
        h('thead', {}, h('tr', {}, ['Clicked', 'Sent'].map((name) => h('th', { scope: 'col' }, name)))), rows)),
    add({ decision, place, body, same }) {
      total.clicks += 1;
      total.changed += same ? 0 : 1;
      count.textContent = `${whole(total.clicks)} ${total.clicks === 1 ? 'click' : 'clicks'}. Reports that the randomization changed: ${whole(total.changed)}.`;
      rows.prepend(h('tr', {}, h('td', {}, nameOf(decision, place)), h('td', {}, h('code', {}, body))));
      while (rows.children.length > PAST) {
        rows.lastChild.remove();
      }
    },
  };
}

// --- the page --------------------------------------------------------------------------------------------

const notice = (title, ...words) => h('div', { class: 'card', role: 'alert' }, h('h1', {}, title), h('p', {}, words));

// Why this page can't be somebody's device for that campaign; null: it can.
function refusal(name, campaign) {
  return campaign.guarantee.model !== 'local' ? `${name} is not a local campaign. Its feedback goes to the server without noise, and the server adds the noise. There is nothing to randomize here.`
    : campaign.rounds_per_user !== null ? `${name} counts rounds by user, and this page has no user. Use the client in your own page (docs/device.md).`
      : isHalted(campaign) ? `${name} is closed, paused or archived: nothing is shown.` : null;
}

// The list of arms. `onClick` gets one click of each list, a position from 1, or 0 for none: a second report of one list
// would reveal more than the first.
function shownList(onClick) {
  const list = h('ol', { class: 'items' });
  const none = h('button', { type: 'button', class: 'second', id: 'none' }, 'None of these');
  const state = h('p', { class: 'soft', role: 'status', id: 'state' });
  let held = false; // the list had the focus, and the next list gets it
  const enable = (on) => [...list.querySelectorAll('button'), none].forEach((button) => { button.disabled = !on; });
  function take(place) {
    held = list.contains(document.activeElement) || document.activeElement === none;
    enable(false);
    onClick(place);
  }
  none.addEventListener('click', () => take(0));
  return {
    element: h('section', { class: 'card', 'aria-labelledby': 'list-title' }, h('h2', { id: 'list-title' }, 'Which one would you open?'), state, list, none),
    set(decision) {
      list.replaceChildren(...decision.arms.map((id, i) => h('li', {}, h('button', { type: 'button', class: 'item', onclick: () => take(i + 1) }, id))));
      enable(true);
      if (held) {
        list.querySelector('button').focus({ preventScroll: true });
      }
    },
    end(words) {
      list.replaceChildren();
      none.hidden = true;
      state.textContent = words;
    },
    say(words) {
      state.textContent = words;
    },
  };
}

async function devicePage(root, name) {
  let campaign = null;
  try {
    campaign = await api.campaign(name);
  } catch (error) {
    if (error.status !== 403) { // the key may rank and send feedback, but can't read estimates
      throw error;
    }
  }
  const wrong = campaign && refusal(name, campaign);
  if (wrong) {
    root.append(notice('Not on this page', wrong));
    return null;
  }
  const reporter = await openReporter(campaign?.epsilon);

  const result = outcome();
  const past = history();
  const estimates = estimatesCard(name, campaign);
  let decision = null;
  let came = 0; // when the decision came, in milliseconds of a clock that nobody sets

  async function next() {
    decision = await api.rank(name, {});
    came = performance.now();
    if (decision.event === null) {
      shown.end('No feedback is wanted any more: the horizon is reached.');
    } else if (!decision.randomizer || !known(decision.randomizer)) {
      shown.end('This ranking came without a randomizer that this page knows: nothing is sent from here.');
    } else {
      shown.set(decision);
    }
  }
  async function send(place) {
    const asked = decision;
    try {
      if (campaign && performance.now() - came > 1000 * campaign.wait_seconds) {
        shown.say('That took too long: the list had expired, and nothing was sent. Here is another list.');
      } else {
        const sent = await reporter.send(asked, place);
        const report = numbersOf(sent);
        const plain = truth(asked.randomizer, place, asked.arms.length);
        const visit = { decision: asked, place, report, body: JSON.stringify(sent), plain: plain.join(', '), same: plain.join() === report.join() };
        result.set(visit);
        past.add(visit);
        shown.say(`Sent ${visit.body}. Your click stays here.`);
      }
      await next();
    } catch (error) {
      shown.say(`${sentence(error.message)} Reload the page to go on.`);
    }
    estimates.look();
  }
  const shown = shownList(send);
  await next();
  root.append(h('h1', {}, name),
    h('p', {}, 'Each list below comes from the server. Your click is randomized in this page, and only the report is sent.'),
    h('div', { class: 'columns device' }, shown.element, result.element, estimates.element, past.element),
    h('p', { class: 'hint' }, 'This tab plays the part of your product and holds a key. In real use, your product’s own server holds the key, asks for the list, and passes the report on. ',
      'The page’s code comes from the server, so a person who clicks must trust the server to send this code.'));
  estimates.look();
  const timer = setInterval(estimates.look, 2000);
  return () => clearInterval(timer);
}

function choosePage(root) {
  const input = h('input', { type: 'text', required: true, autocomplete: 'off', spellcheck: 'false' });
  root.append(h('form', {
    class: 'card narrow',
    onsubmit: (event) => {
      event.preventDefault();
      location.hash = encodeURIComponent(input.value.trim());
    },
  }, h('h1', {}, 'Be somebody’s device'), h('p', {}, 'In a local campaign, the person’s own device randomizes the feedback. This page shows what that looks like.'),
  field('Local campaign', input, 'Its name, as the dashboard lists it.'), h('button', { type: 'submit' }, 'Open')));
  input.focus();
}

const login = (name) => ({
  words: 'Click, and see what leaves this device.',
  label: 'Key',
  hint: 'One with the roles rank and reward; with the role read, too, it may see the estimates. It stays in this tab and is forgotten with it. In real use your product’s own server holds the key.',
  attempt: () => (name ? api.campaign(name) : api.list()).catch((error) => { if (error.status !== 403) { throw error; } }),
  done: () => show(),
});

// The campaign in the address; "" if there is none, or the address is damaged.
function readName() {
  try {
    return decodeURIComponent(location.hash.slice(1));
  } catch {
    return '';
  }
}

async function show() {
  leavePage?.();
  leavePage = null;
  const name = readName();
  main.replaceChildren();
  nav.hidden = !key.get();
  document.getElementById('dashboard').href = name ? `/#/campaign/${encodeURIComponent(name)}` : '/';
  document.title = key.get() ? `${name || 'On this device'} · Lotor` : 'Sign in · Lotor';
  if (!key.get() || !name) {
    (key.get() ? choosePage : loginPage)(main, { ...login(name), reason: signedOut });
    signedOut = null;
    return;
  }
  try {
    leavePage = await devicePage(main, name);
  } catch (error) {
    if (error.status === 401) {
      return;
    }
    main.replaceChildren(notice(error.title ?? 'That did not work', sentence(error.message)));
  }
  main.querySelector('h1').setAttribute('tabindex', '-1');
  main.querySelector('h1').focus({ preventScroll: true });
  scrollTo(0, 0);
}

onLostKey(() => {
  if (!main.querySelector('input[type=password]')) { // the sign-in page says so itself
    key.drop();
    signedOut = LOST_KEY;
    show();
  }
});
frame(show);
