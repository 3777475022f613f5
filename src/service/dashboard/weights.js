// weights.js - what a linear campaign has learnt: the weight of each feature, with its interval.

import { h, card } from './dom.js';
import { forest } from './forest.js';
import { intervalDomain } from './scale.js';

const three = (number) => String(Number(number.toPrecision(3)));

export function weightsCard() {
  const rows = [];
  const body = h('tbody');
  const words = h('p', { class: 'soft' });
  const intervalHead = h('th', { scope: 'col', class: 'number' }, 'Interval');
  const element = card('Feature weights', { hidden: true }, words,
  h('table', { class: 'stacks arms' }, h('caption', { class: 'hidden' }, 'The weight of each feature, and its interval'),
    h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, 'Feature'), h('th', { scope: 'col', class: 'number' }, 'Weight'), intervalHead, h('th', { scope: 'col' }, h('span', { class: 'hidden' }, 'Drawing of the interval')))), body));
  function rowOf(place) {
    const picture = forest([-1, 1]);
    const mean = h('td', { 'data-label': 'Weight', class: 'number' });
    const interval = h('td', { 'data-label': 'Interval', class: 'number' });
    body.append(h('tr', {}, h('th', { scope: 'row' }, `Feature ${place + 1}`), mean, interval, h('td', { class: 'picture' }, picture.element)));
    return { picture, mean, interval };
  }
  return {
    element,
    set({ algorithm, weights }) {
      element.hidden = !weights || weights.length === 0 || weights.every((weight) => weight.mean === null);
      if (element.hidden) {
        return;
      }
      const known = weights.some((weight) => weight.low !== null);
      words.textContent = known ? 'The expected reward is the sum of each feature times its weight. The bar is an interval. With a high probability, all intervals are right together. The dashed line is zero. A weight whose bar crosses zero may have no effect.'
        : `The expected reward is the sum of each feature times its weight. The dot is the released weight, noise included. The algorithm ${algorithm} gives no intervals, so nobody can say here how far a weight may be off. The dashed line is zero.`;
      intervalHead.hidden = !known;
      const far = 1.1 * Math.max(...weights.map((weight) => Math.abs(weight.mean)), 1e-9);
      const [low, high] = known ? intervalDomain(weights, [-Infinity, Infinity]) : [-far, far];
      weights.forEach((weight, i) => {
        const row = rows[i] ?? (rows[i] = rowOf(i));
        row.picture.set(weight, undefined, [Math.min(low, 0), Math.max(high, 0)]);
        row.mean.textContent = three(weight.mean);
        row.interval.hidden = !known;
        row.interval.textContent = weight.low === null ? 'not known' : `${three(weight.low)} to ${three(weight.high)}`;
      });
    },
  };
}
