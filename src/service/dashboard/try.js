// try.js - a small panel to be a visitor of one's own campaign: ask what to show, say what was liked.

import { api } from './api.js';
import { h, say, sentence } from './dom.js';
import { isHalted } from './campaigns.js';
import { openReporter } from './reports.js';

export function tryPanel(name, campaign, refresh) {
  const why = campaign.dimension !== null ? 'Every request of a linear campaign brings numbers about the person: try it with curl (docs/service.md).'
    : campaign.rounds_per_user !== null ? 'This campaign counts rounds by user: try it with curl (docs/service.md).' : null;
  const local = campaign.guarantee.model === 'local';
  const clicks = campaign.feedback === 'clicks';
  const shown = h('div', { class: 'shown' });
  const ask = h('button', { type: 'button' }, 'Ask what to show');
  const result = h('p', { class: 'soft', role: 'status' });
  let decision = null;

  function heard(text) {
    decision = null;
    shown.replaceChildren();
    result.textContent = text;
    ask.focus();
    refresh();
  }

  const counts = campaign.early_release ? 'It counts now' : `It counts when its ${campaign.wait_seconds} seconds are over`;

  async function answer(body) {
    try {
      const { status } = await api.reward(decision.event, body);
      heard(status === 'late' ? `Too late: its ${campaign.wait_seconds} seconds were over, so it does not count.` : `Taken. ${counts}, and shows only with noise.`);
    } catch (error) {
      say(error.message);
    }
  }

  // What is sent is the report alone, drawn once: a second draw would tell more.
  async function report(place) {
    const asked = decision;
    if (!asked) {
      return;
    }
    decision = null;
    try {
      const sent = await (await openReporter(campaign.epsilon)).send(asked, place);
      heard(`Sent ${JSON.stringify(sent)}: randomized on your own device, where the click stays. ${counts}.`);
    } catch (error) {
      heard(sentence(error.message));
    }
  }

  // A button for each place and one for none; `take` gets the place, 0: none.
  function offerClicks(take) {
    const button = (words, place) => h('button', { type: 'button', class: 'second', onclick: () => take(place) }, words);
    shown.append(h('div', { class: 'buttons' }, decision.arms.map((id, i) => button(`Click ${id}`, i + 1)), button('No click', 0)));
  }

  function offer() {
    if (decision.randomizer) {
      shown.append(h('p', {}, 'Your click is randomized on your own device, in this page, before it is sent.'));
      offerClicks(report);
      return;
    }
    if (local) { // as the page said: the click does not leave it
      shown.append(h('p', {}, 'This ranking came without a randomizer: nothing is sent from here. Reload the page.'));
      return;
    }
    if (clicks) {
      offerClicks((place) => answer({ click: place ? decision.arms[place - 1] : null }));
      return;
    }
    const marks = decision.arms.map((id) => h('button', { type: 'button', class: 'second like', 'aria-pressed': 'false',
      onclick: (event) => {
        const button = event.currentTarget;
        const on = button.getAttribute('aria-pressed') !== 'true';
        button.setAttribute('aria-pressed', String(on));
        button.textContent = on ? `♥ ${id}, liked` : `♡ ${id}`;
      } }, `♡ ${id}`));
    const [low, high] = campaign.reward_range;
    shown.append(h('p', {}, 'Press what you like, then send.'), h('div', { class: 'buttons' }, marks),
      h('div', { class: 'buttons' }, h('button', { type: 'button', class: 'send',
        onclick: () => answer({ rewards: marks.map((mark) => (mark.getAttribute('aria-pressed') === 'true' ? high : low)) }) }, 'Send the answer')));
    marks[0].focus();
  }

  ask.addEventListener('click', async () => {
    try {
      decision = await api.rank(name, {});
    } catch (error) {
      result.textContent = error.message;
      return;
    }
    result.textContent = `To show: ${decision.arms.join(', ')}.`;
    shown.replaceChildren();
    if (decision.event === null) {
      shown.append(h('p', {}, 'No feedback is wanted any more: the horizon is reached.'));
    } else {
      offer();
    }
    refresh();
  });

  return {
    element: h('section', { class: 'card', 'aria-labelledby': 'try-title' }, h('h2', { id: 'try-title' }, 'Try it'),
      h('p', { class: 'soft' }, why ?? 'Be a visitor. What you do here is real feedback to this campaign.'),
      local && !why ? h('p', {}, h('a', { href: `/device#${encodeURIComponent(name)}` }, 'Be somebody’s device'), ': see each click beside what is sent of it.') : null, why ? null : ask, result, shown),
    set(now) {
      ask.disabled = isHalted(now);
    },
  };
}
