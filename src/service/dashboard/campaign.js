// campaign.js - one campaign: what it knows, what it shows, what it promises; and trying it.

import { api } from './api.js';
import { h, field, percent, say, select, short, whole } from './dom.js';
import { ground, hasCharts, lineChart, look } from './charts.js';
import { forest } from './forest.js';
import { badge, titleOf } from './campaigns.js';
import { liftCard } from './lift.js';
import { tryPanel } from './try.js';

const LINES = 8;
const EVERY = 2000; // milliseconds between two looks

function facts(pairs) {
  return h('dl', { class: 'facts' }, pairs.map(([name, value]) => h('div', {}, h('dt', {}, name), h('dd', {}, value))));
}

function intervalText(arm) {
  return arm.interval ? `${short(arm.interval.low)} to ${short(arm.interval.high)}` : 'none yet';
}

// --- arms --------------------------------------------------------------------------------------------

function armsCard(name, campaign, refresh) {
  const linear = campaign.dimension !== null;
  const rows = new Map();
  const body = h('tbody');

  async function change(changes, text) {
    try {
      await api.arms(name, changes);
      say(text);
    } catch (error) {
      say(error.message);
    }
    refresh();
  }

  function rowOf(id) {
    const title = h('span');
    const picture = forest(campaign.reward_range);
    const mean = h('td', { 'data-label': 'Estimate', class: 'number' });
    const interval = h('td', { 'data-label': '95% interval', class: 'number' });
    const shown = h('td', { 'data-label': 'Shown', class: 'number' });
    const state = h('span', { class: 'soft' });
    const button = h('button', { type: 'button', class: 'second small' });
    const row = {
      element: h('tr', {}, h('th', { scope: 'row' }, id, title, state), mean, interval, h('td', { class: 'picture' }, picture.element), shown,
        h('td', { class: 'action' }, button)),
      set(arm, total, closed) {
        picture.set({ mean: arm.mean, ...arm.interval });
        mean.textContent = arm.mean === null ? 'none yet' : short(arm.mean);
        interval.textContent = intervalText(arm);
        shown.textContent = total > 0 ? `${whole(arm.shown)} (${percent(arm.shown / total)})` : '0';
        title.replaceChildren(titleOf(arm));
        state.textContent = arm.removed ? ' ✕ removed' : arm.paused ? ' ❚❚ paused' : '';
        button.textContent = arm.paused ? 'Resume' : 'Pause';
        button.setAttribute('aria-label', `${button.textContent} ${id}`);
        button.disabled = closed || arm.removed;
        row.arm = arm;
      },
    };
    button.addEventListener('click', () => change(row.arm.paused ? { resume: [id] } : { pause: [id] },
      row.arm.paused ? `${id} is shown again.` : `${id} is not shown any more.`));
    return row;
  }

  const added = h('input', { type: 'text', required: true, pattern: '[A-Za-z0-9][A-Za-z0-9._\\-]{0,63}', autocomplete: 'off' });
  const form = h('form', {
    class: 'inline',
    onsubmit: (event) => {
      event.preventDefault();
      change({ add: [added.value.trim()] }, `${added.value.trim()} is added.`);
      added.value = '';
    },
  }, field('Add an arm', added, `Room for ${campaign.max_arms} in all; letters, digits, dots, _ and -.`), h('button', { type: 'submit', class: 'second' }, 'Add'));

  const note = linear
    ? 'A linear learner decides from each person’s context: there is no estimate by arm.'
    : 'The point is the released mean, noise included; the bar is where the true mean is in 95 cases of 100. A bar over the whole line says: not known yet.';
  return {
    element: h('section', { class: 'card', 'aria-labelledby': 'arms-title' }, h('h2', { id: 'arms-title' }, 'Arms'), h('p', { class: 'soft' }, note),
      h('table', { class: 'stacks arms' }, h('caption', { class: 'hidden' }, 'Each arm’s private estimate, its interval, and how often it was shown'),
        h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, 'Arm'), h('th', { scope: 'col', class: 'number' }, 'Estimate'),
          h('th', { scope: 'col', class: 'number' }, '95% interval'), h('th', { scope: 'col' }, h('span', { class: 'hidden' }, 'Drawing')),
          h('th', { scope: 'col', class: 'number' }, 'Shown'), h('th', { scope: 'col' }, h('span', { class: 'hidden' }, 'Pause or resume')))),
        body), form),
    set(now) {
      const total = now.arms.reduce((sum, arm) => sum + arm.shown, 0);
      for (const arm of now.arms) {
        if (!rows.has(arm.id)) {
          rows.set(arm.id, rowOf(arm.id));
          body.append(rows.get(arm.id).element);
        }
        rows.get(arm.id).set(arm, total, now.closed || now.archived || now.deleted);
      }
      form.hidden = now.closed || now.archived || now.deleted || now.oracle.kind !== 'top' || now.arms.length >= now.max_arms;
    },
  };
}

// --- over time ---------------------------------------------------------------------------------------

// Each arm's estimates by round: from the chain where there is one, else what this page has seen.
function series() {
  const lines = new Map();
  let after = 0;
  const put = (arm, round) => {
    const line = lines.get(arm.id) ?? lines.set(arm.id, []).get(arm.id);
    const last = line.at(-1);
    if (arm.mean !== null && (!last || last.count !== arm.count || last.mean !== arm.mean)) {
      line.push({ x: round, y: arm.mean, mean: arm.mean, count: arm.count, low: arm.interval.low, high: arm.interval.high });
    }
  };
  return {
    lines,
    note: null,
    async read(name, campaign) {
      for (let more = true; more;) {
        const history = await api.releases(name, after);
        this.note = history.note;
        if (history.note) {
          history.current.forEach((arm) => put(arm, campaign.final));
        }
        for (const row of history.releases) {
          row.arms.forEach((arm) => put(arm, row.round));
          after = row.number;
        }
        more = history.next !== null;
      }
    },
  };
}

function timeCard(campaign, past) {
  const chart = lineChart('Estimates over time', { x: 'round', y: 'estimate', from: 0, low: campaign.reward_range[0], high: campaign.reward_range[1] });
  const chosen = select([], null);
  const table = h('tbody');
  const note = h('p', { class: 'soft' });
  let latest = campaign;
  let picked = false; // whether a person chose the arm
  const cut = (value) => Math.min(campaign.reward_range[1], Math.max(campaign.reward_range[0], value));

  function datasets() {
    const { tint } = ground();
    // the arms that are shown most, in their own order; more lines than that can't be told apart
    const least = latest.arms.map((arm) => arm.shown).sort((a, b) => b - a)[LINES - 1] ?? 0;
    const ids = latest.arms.filter((arm, i) => arm.id === chosen.value || (arm.shown >= least && latest.arms.slice(0, i).filter((other) => other.shown === least).length < LINES)).map((arm) => arm.id).slice(0, LINES + 1);
    const line = past.lines.get(chosen.value) ?? [];
    const until = (points) => (points.length ? [...points, { ...points.at(-1), x: Math.max(latest.final, points.at(-1).x) }] : []);
    const band = [
      { label: '~low', data: until(line).map((p) => ({ x: p.x, y: p.low })), borderWidth: 0, pointRadius: 0, stepped: 'before', fill: false },
      { label: '~high', data: until(line).map((p) => ({ x: p.x, y: p.high })), borderWidth: 0, pointRadius: 0, stepped: 'before', backgroundColor: `${tint}66`, fill: '-1' },
    ].map((set) => ({ ...set, stepped: true }));
    const lines = ids.map((id, place) => ({ label: id, data: until(past.lines.get(id) ?? []).map((p) => ({ x: p.x, y: cut(p.y) })),
      stepped: true, borderWidth: id === chosen.value ? 3.5 : 1.5, pointRadius: id === chosen.value ? 4 : 2, ...look(place) }));
    return { datasets: [...lines, ...band], until: Math.max(10, latest.final), remake: datasets };
  }

  function set(now) {
    latest = now;
    for (const arm of now.arms) {
      if (![...chosen.options].some((option) => option.value === arm.id)) {
        chosen.append(h('option', { value: arm.id }, arm.id));
      }
    }
    if (!picked) { // the arm that is shown most, until a person chooses one
      const shown = (id) => now.arms.find((arm) => arm.id === id)?.shown ?? -1;
      chosen.value = now.arms.reduce((most, arm) => (arm.shown > shown(most) ? arm.id : most), chosen.value);
    }
    const line = past.lines.get(chosen.value) ?? [];
    const last = line.at(-1);
    chart.set(datasets(), `Estimates by round. ${chosen.value}: ${last ? `${short(last.mean)}, interval ${short(last.low)} to ${short(last.high)}` : 'nothing released yet'}.`);
    note.textContent = past.note ?? (now.releases === 0 ? 'Nothing is released yet: that takes some rounds whose waiting time is over.' : '');
    note.hidden = note.textContent === '';
    table.replaceChildren(...line.slice(-50).reverse().map((point) => h('tr', {}, h('td', { class: 'number' }, whole(point.x)), h('td', { class: 'number' }, short(point.mean)),
      h('td', { class: 'number' }, `${short(point.low)} to ${short(point.high)}`), h('td', { class: 'number' }, whole(point.count)))));
  }
  chosen.addEventListener('change', () => {
    picked = true;
    set(latest);
  });
  const section = h('section', { class: 'card', 'aria-labelledby': 'time-title' }, h('h2', { id: 'time-title' }, 'Estimates over time'), note,
    field('Arm whose interval is shown', chosen, hasCharts() ? `The band around its line. Lines are drawn of the ${LINES} arms that are shown most.` : null), chart.element,
    h('details', { open: !hasCharts() }, h('summary', {}, 'As a table'), h('div', { class: 'scrolls', tabindex: '0', role: 'region', 'aria-label': 'Estimates of the chosen arm' }, h('table', {},
      h('caption', { class: 'hidden' }, 'The chosen arm’s estimates, the latest first'),
      h('thead', {}, h('tr', {}, ['Round', 'Estimate', '95% interval', 'Answers it rests on'].map((name) => h('th', { scope: 'col', class: 'number' }, name)))), table))));
  return { element: section, set, end: () => chart.end() };
}

// --- the promise, and the end ------------------------------------------------------------------------

function promiseCard(guarantee) {
  return h('section', { class: 'card', 'aria-labelledby': 'promise-title' }, h('h2', { id: 'promise-title' }, 'What is promised'),
    h('p', {}, h('strong', {}, guarantee.private ? `Epsilon ${guarantee.epsilon}, delta ${guarantee.delta}, for ${guarantee.unit}. ` : 'Not private. '), guarantee.protects),
    h('p', { class: 'soft' }, `By ${guarantee.mechanism}${guarantee.theorem ? ` (${guarantee.theorem})` : ''}; ${guarantee.model} model.`),
    h('h3', {}, 'Not protected'), h('ul', {}, guarantee.not_protected.map((sentence) => h('li', {}, sentence))),
    h('details', {}, h('summary', {}, 'The whole statement'), h('p', {}, guarantee.statement)));
}

function pauseCard(name, refresh) {
  const words = h('p', { class: 'soft' });
  const button = h('button', { type: 'button', class: 'second' });
  let act = 'pause';
  button.addEventListener('click', async () => {
    try {
      await api.act(name, act);
      say(act === 'pause' ? 'Paused: nothing is shown until it is resumed.' : 'Decisions are shown again.');
    } catch (error) {
      say(error.message);
    }
    refresh();
  });
  return {
    element: h('section', { class: 'card', 'aria-labelledby': 'pause-title' }, h('h2', { id: 'pause-title' }, 'Pause'), words, button),
    set(now) {
      this.element.hidden = now.closed || now.archived || now.deleted;
      act = now.paused ? 'resume' : 'pause';
      words.textContent = now.paused ? 'Nothing is shown at the moment. Open events can still be answered.' : 'Show nothing for a while. Open events can still be answered.';
      button.textContent = now.paused ? 'Resume the campaign' : 'Pause the campaign';
    },
  };
}

function closeCard(name, refresh) {
  const really = h('input', { type: 'checkbox' });
  const button = h('button', { type: 'button', class: 'danger', disabled: true }, 'Close the campaign');
  really.addEventListener('change', () => { button.disabled = !really.checked; });
  button.addEventListener('click', async () => {
    try {
      await api.act(name, 'close');
      say('Closed: nothing is shown any more; open events can still be answered.');
    } catch (error) {
      say(error.message);
    }
    refresh();
  });
  const tick = field('I want to close it for good', really);
  tick.classList.add('tick');
  return h('section', { class: 'card', 'aria-labelledby': 'close-title' }, h('h2', { id: 'close-title' }, 'Close'),
    h('p', { class: 'soft' }, 'Nothing is shown any more. It can’t be opened again; what it learnt and promised stays to be read.'), tick, button);
}

export async function campaignPage(root, name) {
  let campaign = await api.campaign(name);
  const past = series();
  await past.read(name, campaign);
  const state = h('span');
  const title = h('p');
  const numbers = h('div');
  const arms = armsCard(name, campaign, () => refresh());
  const time = timeCard(campaign, past);
  const trial = tryPanel(name, campaign, () => refresh());
  const pause = pauseCard(name, () => refresh());
  const ending = closeCard(name, () => refresh());
  const lift = liftCard();

  function set() {
    state.replaceChildren(badge(campaign));
    title.textContent = [campaign.title, campaign.description].filter(Boolean).join(': ');
    numbers.replaceChildren(facts([['Epsilon', String(campaign.epsilon)], ['Shown at once', whole(campaign.slots)], ['Decisions', whole(campaign.decisions)], ['Over', whole(campaign.final)],
      ['Waiting', whole(campaign.pending)], ['Releases', past.note && campaign.releases === 0 ? '—' : whole(campaign.releases)]]));
    arms.set(campaign);
    time.set(campaign);
    lift.set(campaign);
    trial.set(campaign);
    pause.set(campaign);
    ending.hidden = campaign.closed || campaign.archived || campaign.deleted;
  }
  let busy = false;
  async function refresh() {
    if (busy || document.hidden) {
      return;
    }
    busy = true;
    try {
      const now = await api.campaign(name);
      if (now.releases !== campaign.releases || past.note) {
        await past.read(name, now);
      }
      campaign = now;
      set();
    } catch {
      // the next look may go better
    } finally {
      busy = false;
    }
  }
  root.append(h('div', { class: 'heading' }, h('h1', {}, name), state), title,
    h('p', { class: 'soft' }, `${campaign.algorithm} · ${campaign.guarantee.model} model · waits ${campaign.wait_seconds} s for an answer`), numbers,
    h('div', { class: 'columns wide-left' }, time.element, h('div', {}, trial.element, pause.element, ending)), lift.element, arms.element, promiseCard(campaign.guarantee));
  set();
  const timer = setInterval(refresh, EVERY);
  return () => {
    clearInterval(timer);
    time.end();
  };
}
