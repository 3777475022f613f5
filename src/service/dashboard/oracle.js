// oracle.js - which arms may be shown together: any, at most so many of each group, or arms with linearly independent
// features. The fields of the form, the request that they make, and its meaning in words.

import { h } from './dom.js';
import { field, input, number, select } from './form.js';
import { titleOf } from './format.js';

const KINDS = [['top', 'Any arms'], ['partition', 'At most so many of each group'], ['linear', 'Arms whose features are linearly independent']];

const lines = (control) => control.value.split('\n').map((line) => line.trim()).filter(Boolean);
const numbers = (line) => line.split(/[\s,;]+/).filter(Boolean).map(Number);

export function oracleFields() {
  const kind = select(KINDS, 'top');
  const features = h('textarea', { rows: 4, spellcheck: 'false', class: 'mono', placeholder: '1\n1\n2' });
  const place = number({ min: 1, step: 1, value: 1 });
  const capacities = h('textarea', { rows: 3, spellcheck: 'false', class: 'mono', placeholder: '1: 2\n2: 1' });
  const told = h('p', { class: 'soft', role: 'status' });
  const placeField = field('Which number is the group', place, '1 is the first number of a line.');
  const capacityField = field('Most of each group', capacities, 'One group per line: its number, a colon, and how many of its arms may be shown together.');
  const more = h('div', {}, field('Features of the arms', features, 'One line for each arm, in the order of the arms: whole numbers, with a space between them.'),
    h('div', { class: 'pair' }, placeField, capacityField), told);
  const element = h('div', {}, field('Which arms may be shown together', kind, 'With groups, for example at most one advertisement in a list. It never changes, and no arms can be added later.'), more);

  const most = () => Object.fromEntries(lines(capacities).map((line) => line.split(':').map((part) => part.trim())).map(([group, limit]) => [group, Number(limit)]));

  // Lists the arms of each group.
  function say(arms) {
    const group = new Map();
    const rows = lines(features).map(numbers);
    arms.forEach((arm, i) => {
      const at = rows[i]?.[Number(place.value) - 1];
      group.set(at, [...(group.get(at) ?? []), titleOf(arm.id ? arm : { id: arm })]);
    });
    const limits = most();
    told.textContent = kind.value === 'partition' ? [...group].map(([at, names]) => (at === undefined ? `Without a group: ${names.join(', ')}.` : `Group ${at}: ${names.join(', ')}; ${limits[at] >= 0 ? `at most ${limits[at]} at once` : 'say how many at once'}.`)).join(' ') : '';
  }

  return {
    element,
    controls: { oracle: kind, 'arms.features': features, 'oracle.feature': place, 'oracle.capacities': capacities },
    // `offered`: whether lists have more than one arm.
    settle(offered, arms) {
      element.hidden = !offered;
      more.hidden = kind.value === 'top';
      placeField.parentElement.hidden = kind.value !== 'partition';
      say(arms);
    },
    // The arms with their features, and the oracle: what the request says.
    read(arms) {
      if (element.hidden || kind.value === 'top') {
        return { arms };
      }
      const rows = lines(features).map(numbers);
      return { arms: arms.map((arm, i) => ({ ...(arm.id ? arm : { id: arm }), features: rows[i] ?? [] })),
        oracle: kind.value === 'linear' ? { kind: 'linear' } : { kind: 'partition', feature: Number(place.value) - 1, capacities: most() } };
    },
  };
}
