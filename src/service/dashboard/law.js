// law.js - the probability of each report for each click: what a randomizer's report reveals.
//
// For people to read: reports are made by the WebAssembly module alone (src/privacy/local, with the proofs). A
// click is a position in the list from 1, or 0 for none. It counts as the highest reward, no click as the lowest.

const percent = (chance) => {
  const text = (100 * chance).toPrecision(3);
  return `${chance >= 0.9995 ? '100' : text.includes('e') ? Number(text).toExponential(2) : text}%`;
};
const near = (number) => String(Number(number.toPrecision(3)));

// How likely it is that noise is at least a whole number z: noise with P(z) in proportion to e^(-|z|/scale).
function above(z, scale) {
  const step = Math.exp(-1 / scale);
  return z > 0 ? Math.exp(-z / scale) / (1 + step) : 1 - Math.exp((z - 1) / scale) / (1 + step);
}

// The cube's threshold: the one of least bias, the smallest of those (src/privacy/local/cube.md).
function cube({ slots, epsilon }) {
  const corners = [1];
  for (let n = 1; n <= slots; n += 1) {
    corners[n] = 1;
    for (let k = n - 1; k > 0; k -= 1) {
      corners[k] += corners[k - 1];
    }
  }
  const all = 2 ** slots;
  const best = { bias: Infinity };
  for (let threshold = slots, inside = 0; threshold > 0; threshold -= 1) {
    inside += corners[threshold];
    const bias = (all / Math.expm1(epsilon) + inside) / (corners[threshold] * threshold / slots);
    if (bias <= best.bias) {
      Object.assign(best, { bias, threshold, inside });
    }
  }
  const outer = 1 / (Math.exp(epsilon) * best.inside + all - best.inside);
  return { all, threshold: best.threshold, inner: Math.exp(epsilon) * outer, outer };
}

// Laplace reports are told here in steps of a tenth of the range: one exact number is as good as never sent.
const stepOf = ({ low, high }) => (high - low) / 10;
const stepsOf = (randomizer, number) => Math.floor(number * randomizer.unit / stepOf(randomizer));

// One law for each mechanism: the report without noise, the probability of a report, and both in words. `count` is
// how many arms were shown.
const laws = {
  bit: {
    truth: ({ slot }, place) => [place === slot ? 1 : 0],
    chance: (randomizer, place, count, [bit]) => {
      const lie = 1 / (1 + Math.exp(randomizer.epsilon));
      return bit === (place === randomizer.slot ? 1 : 0) ? 1 - lie : lie;
    },
    tells({ slot, epsilon }, arms) {
      const lie = 1 / (1 + Math.exp(epsilon));
      return `The report is about ${arms[slot - 1]} alone. Somebody who clicks it sends 1 with probability ${percent(1 - lie)} and 0 with ${percent(lie)}; `
        + `somebody who does not sends 0 with ${percent(1 - lie)} and 1 with ${percent(lie)}.`;
    },
    what: ([bit]) => `a report of ${bit}`,
  },
  // A round that measures the value of a whole list. A click is the highest reward in one of its places.
  'sum-bit': {
    truth: ({ slots }, place) => [place ? Number((1 / slots).toPrecision(3)) : 0], // the mean of the list, which is not rounded to a bit
    chance: ({ slots, epsilon }, place, count, [bit]) => {
      const lie = 1 / (1 + Math.exp(epsilon));
      const one = lie + (1 - 2 * lie) * (place ? 1 / slots : 0);
      return bit ? one : 1 - one;
    },
    tells({ slots, epsilon }) {
      const lie = 1 / (1 + Math.exp(epsilon));
      return `This round measures the value of the whole list. Somebody who clicks an item sends 1 with probability ${percent(lie + (1 - 2 * lie) / slots)}; `
        + `somebody who clicks none sends 1 with ${percent(lie)}.`;
    },
    what: ([bit]) => `a report of ${bit}`,
  },
  'click-bit': {
    truth: (randomizer, place) => [place ? 1 : 0],
    chance: ({ epsilon }, place, count, [bit]) => {
      const lie = 1 / (1 + Math.exp(epsilon));
      return bit === (place ? 1 : 0) ? 1 - lie : lie;
    },
    tells({ epsilon }) {
      const lie = 1 / (1 + Math.exp(epsilon));
      return `This round measures whether anything is clicked. Somebody who clicks an item sends 1 with probability ${percent(1 - lie)} and 0 with ${percent(lie)}; `
        + `somebody who clicks none sends 0 with ${percent(1 - lie)} and 1 with ${percent(lie)}.`;
    },
    what: ([bit]) => `a report of ${bit}`,
  },
  position: {
    truth: ({ slots }, place) => [place || slots + 1],
    chance: ({ slots, epsilon }, place, count, [sent]) => (sent === (place || slots + 1) ? Math.exp(epsilon) : 1) / (Math.exp(epsilon) + slots),
    tells: ({ slots, epsilon }) => `The report is a place from 1 to ${slots}, or ${slots + 1} for no click. The true one is sent with probability ${percent(Math.exp(epsilon) / (Math.exp(epsilon) + slots))}, `
      + `each of the ${slots} others with ${percent(1 / (Math.exp(epsilon) + slots))}.`,
    what: ([sent], { slots }, arms) => (sent > slots ? `a report of ${sent}, no click` : `a report of ${sent}, the place of ${arms[sent - 1] ?? 'nothing'}`),
  },
  cube: {
    truth: ({ slots }, place) => Array.from({ length: slots }, (none, i) => (place === i + 1 ? 1 : 0)),
    chance(randomizer, place, count, report) {
      const { threshold, inner, outer } = cube(randomizer);
      const right = report.filter((sign, i) => sign === (place === i + 1 ? 1 : 0)).length;
      return right >= threshold ? inner : outer;
    },
    tells(randomizer) {
      const { all, threshold, inner, outer } = cube(randomizer);
      return `The report is one of ${all} lists of ${randomizer.slots} bits, 1 where an item is liked. Each list that is right in at least ${threshold} of ${randomizer.slots} places is sent `
        + `with probability ${percent(inner)}, each other one with ${percent(outer)}.`;
    },
    what: (report) => `a report of ${report.join(', ')}`,
  },
  laplace: {
    truth: ({ slot, low, high, unit }, place, count) => (slot ? [slot] : Array.from({ length: count }, (none, i) => i + 1)).map((at) => Math.round((place === at ? high : low) / unit)),
    chance(randomizer, place, count, report) {
      const { unit, scale } = randomizer;
      const truth = laws.laplace.truth(randomizer, place, count);
      const step = stepOf(randomizer) / unit;
      return report.reduce((product, number, i) => {
        const at = stepsOf(randomizer, number);
        return product * (above(Math.ceil(at * step) - truth[i], scale) - above(Math.ceil((at + 1) * step) - truth[i], scale));
      }, 1);
    },
    tells({ slot, scale, unit, low, high }, arms) {
      const side = 1 - Math.exp(-(high - low) / unit / scale / 2) / 2;
      const about = slot ? `${arms[slot - 1]} alone` : 'every item shown';
      return `The report is about ${about}: ${near(high)} for a click, ${near(low)} for none, plus noise of scale ${near(scale * unit)}, in units of ${near(unit)}. `
        + `The report is on the true side of ${near((low + high) / 2)} with probability ${percent(side)}.`;
    },
    what(report, randomizer) {
      const step = stepOf(randomizer);
      return `a report from ${report.map((number) => `${near(stepsOf(randomizer, number) * step)} to ${near((stepsOf(randomizer, number) + 1) * step)}`).join(', and from ')}`;
    },
  },
};

export const known = (randomizer) => Object.hasOwn(laws, randomizer.mechanism);

// The report that somebody without a randomizer would send: to compare with, never to send.
export const truth = (randomizer, place, count) => laws[randomizer.mechanism].truth(randomizer, place, count);

// The probability of a report; with Laplace noise, of one in the same tenths of the range.
export const chance = (randomizer, place, count, report) => laws[randomizer.mechanism].chance(randomizer, place, count, report);

// In words: what is sent how often, and what `report` is (one of the cells of `chance`).
export const tells = (randomizer, arms) => `${laws[randomizer.mechanism].tells(randomizer, arms)} `
  + `Another click changes the probability of a report by a factor of at most ${near(Math.exp(randomizer.epsilon))}.`;
export const what = (randomizer, arms, report) => laws[randomizer.mechanism].what(report, randomizer, arms);

export { percent };
