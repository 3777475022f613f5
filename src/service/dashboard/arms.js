// arms.js - each arm: its estimate on an axis that fits the data, how often it was shown; pausing, adding, removing.

import { api } from './api.js';
import { h, card, say, svg } from './dom.js';
import { field, input } from './form.js';
import { between, freshId, isRate, percent, titleOf, value, whole } from './format.js';
import { confirmed } from './dialog.js';
import { forest } from './forest.js';
import { byEstimate } from './result.js';
import { digitsOf, intervalDomain, ticks } from './scale.js';
import { may } from './session.js';

// The axis above the drawings.
function axis() {
  const element = svg('svg', { class: 'forest', 'aria-hidden': 'true', focusable: 'false' });
  return {
    element,
    set([low, high], rate) {
      const { step, values } = ticks(low, high, 3);
      const digits = digitsOf(rate ? 100 * step : step);
      element.replaceChildren(...values.map((at) => {
        const x = `${100 * (at - low) / (high - low)}%`;
        return svg('g', {}, svg('line', { class: 'f-axis', x1: x, x2: x, y1: 20, y2: 26 }),
          svg('text', { class: 'axis-text', x, y: 15, 'text-anchor': 'middle' }, rate ? `${(100 * at).toFixed(digits)}%` : at.toFixed(digits)));
      }));
    },
  };
}

function shareBar() {
  const bar = svg('rect', { class: 'share-fill', height: '100%', width: 0, rx: 3 });
  return {
    element: svg('svg', { class: 'share', 'aria-hidden': 'true', focusable: 'false' }, svg('rect', { class: 'share-ground', width: '100%', height: '100%', rx: 3 }), bar),
    set: (share) => bar.setAttribute('width', `${100 * share}%`),
  };
}

export function armsCard(name, campaign, refresh) {
  const linear = campaign.dimension !== null;
  const range = campaign.reward_range;
  const rows = new Map();
  const body = h('tbody');
  const head = axis();

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
    const small = h('span', { class: 'id' });
    const picture = forest(range);
    const bar = shareBar();
    const mean = h('td', { 'data-label': 'Estimate', class: 'number' });
    const interval = h('td', { 'data-label': '95% interval', class: 'number' });
    const shown = h('td', { 'data-label': 'Shown', class: 'number shown-cell' });
    const shownText = h('span');
    shown.append(shownText, bar.element);
    const state = h('span', { class: 'badge quiet', hidden: true });
    const button = h('button', { type: 'button', class: 'second small' });
    const remove = h('button', { type: 'button', class: 'plain small' }, 'Remove');
    const row = {
      element: h('tr', {}, h('th', { scope: 'row' }, title, ' ', state, small), linear ? null : [mean, interval, h('td', { class: 'picture' }, picture.element)], shown,
        may('admin') ? h('td', { class: 'action' }, h('div', { class: 'buttons end' }, button, remove)) : null),
      set(arm, total, ended, domain) {
        row.arm = arm;
        title.textContent = titleOf(arm);
        small.textContent = arm.title ? id : '';
        picture.set({ mean: arm.mean, ...arm.interval }, undefined, domain);
        mean.textContent = value(arm.mean, range);
        interval.textContent = between(arm.interval, range);
        shownText.textContent = total > 0 ? `${whole(arm.shown)} (${percent(arm.shown / total)})` : '0';
        bar.set(total > 0 ? arm.shown / total : 0);
        state.hidden = !arm.removed && !arm.paused;
        state.textContent = arm.removed ? '✕ Removed' : '❚❚ Paused';
        row.element.classList.toggle('gone', Boolean(arm.removed));
        button.textContent = arm.paused ? 'Resume' : 'Pause';
        button.setAttribute('aria-label', `${button.textContent} ${titleOf(arm)}`);
        remove.setAttribute('aria-label', `Remove ${titleOf(arm)}`);
        button.hidden = ended || arm.removed;
        remove.hidden = ended || arm.removed;
      },
    };
    button.addEventListener('click', () => change(row.arm.paused ? { resume: [id] } : { pause: [id] },
      row.arm.paused ? `${titleOf(row.arm)} is shown again.` : `${titleOf(row.arm)} is paused.`));
    remove.addEventListener('click', async () => {
      if (await confirmed({ title: `Remove ${titleOf(row.arm)}?`, words: 'The arm is never shown again, and its id can’t be used again. Its releases stay. To stop it for a while, pause it instead.', yes: 'Remove the arm' })) {
        change({ remove: [id] }, `${titleOf(row.arm)} is removed.`);
      }
    });
    return row;
  }

  // Adds an arm. If there is no room for it, makes room for a quarter more arms first.
  const most = 4096;
  let { arms: { length: count }, max_arms: room } = campaign;
  async function add(id, text) {
    try {
      if (count >= room) {
        await api.edit(name, { max_arms: Math.min(most, count + Math.floor(count / 4) + 4) });
      }
    } catch (error) {
      say(error.message);
      return;
    }
    await change({ add: [id === text ? id : { id, title: text }] }, `${text} is added.`);
  }

  const added = input({ required: true });
  const form = h('form', {
    class: 'inline',
    onsubmit: (event) => {
      event.preventDefault();
      const text = added.value.trim();
      const id = freshId(text, 'arm', [...rows.keys()], rows.size + 1);
      add(id, text);
      added.value = '';
    },
  }, field('Add an arm', added, `Spaces are fine. A campaign can have ${whole(most)} arms.`), h('button', { type: 'submit', class: 'second' }, 'Add'));

  const note = linear ? 'A campaign with contexts has one weight for each feature, and no estimate for each arm.'
    : 'Sorted by estimate. The dot is the released mean, noise included. The bar is its 95% interval. An arrow: the interval goes on beyond the axis.';
  const columns = linear ? [] : [h('th', { scope: 'col', class: 'number' }, 'Estimate'), h('th', { scope: 'col', class: 'number' }, '95% interval'), h('th', { scope: 'col', class: 'picture' }, h('span', { class: 'hidden' }, 'Drawing of the interval'), head.element)];
  return {
    element: card(linear ? 'What was shown' : 'Arms', {}, h('p', { class: 'soft' }, note),
      h('table', { class: `stacks arms${linear ? ' linear' : ''}` }, h('caption', { class: 'hidden' }, 'Each arm’s estimate, its interval, and how often it was shown'),
        h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, 'Arm'), columns, h('th', { scope: 'col', class: 'number' }, 'Shown'),
          may('admin') ? h('th', { scope: 'col' }, h('span', { class: 'hidden' }, 'Actions')) : null)),
        body), may('admin') ? form : null),
    set(now) {
      const total = now.arms.reduce((sum, arm) => sum + arm.shown, 0);
      const ended = now.closed || now.archived || now.deleted;
      const sorted = linear ? [...now.arms].sort((a, b) => b.shown - a.shown) : byEstimate(now.arms);
      const domain = intervalDomain(now.arms.filter((arm) => arm.interval).map((arm) => ({ mean: arm.mean, ...arm.interval })), range);
      head.set(domain, isRate(range));
      for (const arm of sorted) {
        (rows.get(arm.id) ?? rows.set(arm.id, rowOf(arm.id)).get(arm.id)).set(arm, total, ended, domain);
      }
      const wanted = sorted.map((arm) => rows.get(arm.id).element);
      if ((!body.contains(document.activeElement) || body.children.length !== wanted.length) && wanted.some((element, i) => body.children[i] !== element)) {
        body.replaceChildren(...wanted);
      }
      count = now.arms.length;
      room = now.max_arms;
      form.hidden = ended || now.oracle.kind !== 'top' || count >= most;
    },
  };
}
