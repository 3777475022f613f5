// timeline.js - estimates and display shares over time: at most 8 lines, sorted by estimate, the others on demand.

import { h, card, freshId } from './dom.js';
import { segments } from './form.js';
import { between, isRate, local, percent, titleOf, utc, value, whole } from './format.js';
import { LINES, plot, swatch } from './plot.js';
import { byEstimate } from './result.js';
import { isHalted } from './status.js';
import { estimateDomain } from './scale.js';

// The latest point at or before x.
const pointAt = (points, x) => points.findLast((point) => point.x <= x) ?? null;

const BARS = 'The bars at the right edge are the latest 95% intervals. An arrow: the interval goes on beyond the axis.';
const SHARE = 'The share of all displays so far in which an arm was shown.';
const CAPTIONS = {
  central: { estimate: `Lines step at each release. ${BARS} Short marks below the axis are releases. The vertical axis starts where the data starts.`,
    share: `${SHARE} Straight lines join the values at releases, which have short marks below the axis. The vertical axis starts at 0%.` },
  local: { estimate: `Lines step when an estimate changes. ${BARS} The vertical axis starts where the data starts.`,
    share: `${SHARE} Straight lines join the values that this page has seen. The vertical axis starts at 0%.` },
};
const LOCAL = 'Lines start when you opened this page: the server keeps no history of a local campaign.';
const LINEAR = 'A campaign with contexts has no estimate for each arm. The chart has how often each arm was shown.';

function legendRow(id, onchange, onpick, onhot) {
  const box = h('input', { type: 'checkbox', id: freshId('line'), onchange: () => onchange(id, box.checked) });
  const sample = h('span', { class: 'sample' });
  const name = h('button', { type: 'button', class: 'link', onclick: () => onpick(id) });
  const shown = h('span', { class: 'number' });
  const element = h('li', { onpointerenter: () => onhot(id), onpointerleave: () => onhot(null) }, box, sample, name, shown);
  return { element, box, sample, name, shown };
}

export function timelineCard(campaign, past) {
  const range = campaign.reward_range;
  const places = new Map(); // from an arm's id to the place of its line: colour, dash and shape
  const rows = new Map();
  const legend = h('ul', { class: 'legend' });
  const others = h('ul', { class: 'legend' });
  const more = h('details', {}, h('summary'), others);
  const moment = h('p', { class: 'soft moment' });
  const body = h('tbody');
  const caption = h('caption', {}, '');
  let latest = campaign;
  let axis = 'time';
  let wished = 'estimate'; // what a person chose
  let what = 'estimate'; // what there is enough of
  let picked = null;
  let hot = null; // the arm whose name is under the pointer
  let hover = null;
  let chosen = false; // whether a person chose lines

  const isTime = () => axis === 'time' && past.hasTime;
  const at = (point) => (isTime() ? point.time : point.x);
  const estimates = (id) => (past.lines.get(id) ?? []).map((point) => ({ ...point, x: at(point) }));
  const shares = (id) => past.shares.map((row) => ({ x: at(row), y: row.of.get(id) ?? 0 }));
  const pointsOf = (id) => (what === 'estimate' ? estimates(id) : shares(id));

  const chart = plot('Estimates over time', { x: 'rounds', time: 'your local time' }, (x) => {
    hover = x;
    readout();
  });

  function give(id) {
    const used = new Set(places.values());
    places.set(id, Array.from({ length: LINES }, (none, i) => i).find((place) => !used.has(place)));
  }
  function take(id, on) {
    chosen = true;
    if (on && places.size < LINES) {
      give(id);
    } else if (!on) {
      places.delete(id);
    }
    draw();
  }
  function pick(id) {
    picked = picked === id ? null : id;
    if (picked && !places.has(id)) {
      take(id, true);
    }
    draw();
  }

  function light(id) {
    hot = id;
    draw();
  }

  function readout() {
    for (const [id, row] of rows) {
      const points = pointsOf(id);
      const point = hover === null ? points.at(-1) : pointAt(points, hover);
      row.shown.textContent = !point ? 'none yet' : what === 'estimate' ? value(point.y, range) : percent(point.y);
    }
    const now = hover === null ? 'Latest values' : isTime() ? `Values at ${local(hover)}` : `Values at round ${whole(Math.round(hover))}`;
    moment.textContent = `${now}. ${what === 'estimate' ? 'Choose a name to see its 95% interval over time.' : 'Share of displays until then.'}`;
  }

  function drawLegend() {
    const sorted = byEstimate(latest.arms);
    if (!chosen) { // the best arms, until a person chooses lines
      const best = sorted.slice(0, LINES).map((arm) => arm.id);
      [...places.keys()].filter((id) => !best.includes(id)).forEach((id) => places.delete(id));
      best.filter((id) => !places.has(id)).forEach(give);
    }
    for (const arm of sorted) {
      const row = rows.get(arm.id) ?? rows.set(arm.id, legendRow(arm.id, take, pick, light)).get(arm.id);
      const on = places.has(arm.id);
      row.box.checked = on;
      row.box.disabled = !on && places.size >= LINES;
      row.box.setAttribute('aria-label', `Show the line of ${titleOf(arm)}`);
      row.name.textContent = titleOf(arm);
      row.name.setAttribute('aria-pressed', String(picked === arm.id));
      row.sample.replaceChildren(...(on ? [swatch(places.get(arm.id))] : []));
      row.element.classList.toggle('off', !on);
    }
    const place = (list, ids) => { // in order; nothing moves while a person is in the list
      const wanted = ids.map((id) => rows.get(id).element);
      if ((!list.contains(document.activeElement) || list.children.length === 0) && wanted.some((element, i) => list.children[i] !== element)) {
        list.replaceChildren(...wanted);
      }
    };
    const first = sorted.slice(0, LINES).map((arm) => arm.id);
    place(legend, first);
    place(others, sorted.slice(LINES).map((arm) => arm.id));
    more.hidden = sorted.length <= LINES;
    more.querySelector('summary').textContent = `${whole(Math.max(0, sorted.length - LINES))} more arms (up to ${LINES} lines at once)`;
  }

  function draw() {
    drawLegend();
    const ids = [...places.keys()].filter((id) => rows.has(id));
    const leader = picked ?? byEstimate(latest.arms)[0]?.id;
    const series = ids.map((id) => ({ name: id, place: places.get(id), points: pointsOf(id), strong: id === picked || id === hot, whole: id === picked, band: what === 'estimate' && id === picked }));
    const marks = past.marks.map(at);
    const xs = series.flatMap((line) => line.points.map((point) => point.x));
    const end = isTime() ? Math.max(...xs, ...marks) : Math.max(...xs, latest.final);
    const start = isTime() ? Math.min(...xs, ...marks) : 0;
    const enough = series.some((line) => line.points.length > 1);
    chart.element.hidden = !enough;
    captionOf.textContent = CAPTIONS[past.note && latest.dimension === null ? 'local' : 'central'][what];
    captionOf.hidden = !enough;
    table.hidden = !enough || what !== 'estimate';
    if (enough) {
      const [low, high] = what === 'estimate' ? estimateDomain(series.filter((line) => line.points.length), range) : [0, Math.min(1, 1.06 * Math.max(...series.flatMap((line) => line.points.map((point) => point.y))))];
      chart.set({ series, marks, x: { time: isTime(), low: start, high: end > start ? end : start + 1 }, y: { low, high, rate: what === 'share' || isRate(range) }, steps: what === 'estimate', bars: what === 'estimate' },
        `${what === 'estimate' ? 'Estimates' : 'Display shares'} over ${isTime() ? 'time' : 'rounds'}, ${series.length} arms, the latest: ${series.map((line) => `${titleOf(latest.arms.find((arm) => arm.id === line.name))} ${line.points.length ? (what === 'estimate' ? value(line.points.at(-1).y, range) : percent(line.points.at(-1).y)) : 'none yet'}`).join(', ')}.`);
    }
    readout();
    const arm = latest.arms.find((one) => one.id === leader);
    const line = past.lines.get(leader) ?? [];
    caption.textContent = arm ? `${titleOf(arm)}: its estimates, the latest first` : 'Estimates';
    body.replaceChildren(...line.slice(-50).reverse().map((point) => h('tr', {}, h('td', {}, point.time ? h('time', { title: utc(point.time) }, local(point.time)) : '—'), h('td', { class: 'number' }, whole(point.x)),
      h('td', { class: 'number' }, value(point.y, range)), h('td', { class: 'number' }, between(point, range)), h('td', { class: 'number' }, whole(point.count)))));
  }

  const axisSwitch = segments('Horizontal axis', [['time', 'Time'], ['round', 'Rounds']], 'time', (kind) => { axis = kind; hover = null; draw(); });
  const whatSwitch = segments('Shown', [['estimate', 'Estimates'], ['share', 'Display share']], 'estimate', (kind) => { wished = kind; what = kind; hover = null; draw(); });
  const note = h('p', { class: 'soft' });
  const captionOf = h('p', { class: 'hint' });
  const table = h('details', {}, h('summary', {}, 'As a table'), h('div', { class: 'scrolls', tabindex: '0', role: 'region', 'aria-label': 'Estimates of one arm' }, h('table', { class: 'history' }, caption,
    h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, 'Time'), ['Round', 'Estimate', '95% interval', 'Displays in it'].map((name) => h('th', { scope: 'col', class: 'number' }, name)))), body)));
  const element = card('Over time', { more: h('div', { class: 'buttons' }, whatSwitch, axisSwitch) }, note, chart.element,
    captionOf, moment, legend, more, table);
  return {
    element,
    set(now) {
      latest = now;
      const points = [...past.lines.values()].reduce((most, line) => Math.max(most, line.length), 0);
      const hasShares = past.shares.length > 1;
      const isLocal = Boolean(past.note) && now.dimension === null;
      const waits = points < 2 && !hasShares;
      element.hidden = waits && !(isLocal && now.final > 0 && !isHalted(now));
      [moment, legend, more].forEach((part) => part.classList.toggle('away', waits));
      what = points < 2 && hasShares ? 'share' : hasShares ? wished : 'estimate';
      axisSwitch.hidden = !past.hasTime;
      whatSwitch.hidden = !hasShares || points < 2;
      note.textContent = isLocal ? `${LOCAL}${waits ? ' A line appears here as soon as an estimate changes.' : ''}` : LINEAR;
      note.hidden = !past.note;
      draw();
    },
    end: () => chart.end(),
  };
}
