// lift.js - how much better a campaign is than its control, if it measures that.

import { h, short, whole } from './dom.js';

const between = (value) => (value.interval ? `${short(value.interval.low)} to ${short(value.interval.high)}` : 'none yet');

function headline(lift) {
  if (!lift.absolute) {
    return 'Nothing is known yet: too few rounds that measure are over.';
  }
  const gain = lift.absolute.mean;
  const relative = lift.relative ? ` (${gain < 0 ? '' : '+'}${(100 * lift.relative.mean).toFixed(1)}%)` : '';
  const decided = lift.decided ? `decided: ${lift.decided} than the control` : 'not decided yet';
  return `${gain < 0 ? '' : '+'}${short(gain)} a round${relative}, 95% interval ${between(lift.absolute)}: ${decided}.`;
}

export function liftCard() {
  const text = h('strong');
  const body = h('tbody');
  const note = h('p', { class: 'soft' });
  const element = h('section', { class: 'card', 'aria-labelledby': 'lift-title', hidden: true }, h('h2', { id: 'lift-title' }, 'Lift'), h('p', {}, text), note,
    h('table', { class: 'stacks' }, h('caption', { class: 'hidden' }, 'The mean value of a round with the policy and with the control'),
      h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, 'Shown by'), ['Mean value of a round', '95% interval', 'Rounds'].map((name) => h('th', { scope: 'col', class: 'number' }, name)))),
      body));
  const row = (name, value) => h('tr', {}, h('th', { scope: 'row' }, name),
    h('td', { 'data-label': 'Mean value of a round', class: 'number' }, value.mean === null ? 'none yet' : short(value.mean)),
    h('td', { 'data-label': '95% interval', class: 'number' }, between(value)), h('td', { 'data-label': 'Rounds', class: 'number' }, whole(value.rounds)));
  return {
    element,
    set({ lift, evaluation }) {
      element.hidden = !lift;
      if (lift) {
        const control = Array.isArray(evaluation.control) ? `the first of ${evaluation.control.join(', ')}` : 'arms at random';
        text.textContent = headline(lift);
        note.textContent = `A share of ${evaluation.share} of the rounds measures. Half of these rounds show what the policy would show, half show the control: ${control}.`;
        body.replaceChildren(row('the policy', lift.policy), row('the control', lift.control));
      }
    },
  };
}
