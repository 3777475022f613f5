// laws.mjs - the laws of randomizers, written a second time from the proofs in src/privacy/local, and exact
// tests of counts against it.

export const lie = (epsilon) => 1 / (1 + Math.exp(epsilon));

// P(report | feedback) of every report of a small space, as [report, probability]. Click: a position from 1, 0 for none.
export const spaces = {
  bit: ({ epsilon, slot }, click) => [0, 1].map((bit) => [bit, bit === Number(click === slot) ? 1 - lie(epsilon) : lie(epsilon)]),
  'sum-bit': ({ epsilon, slots }, click) => [0, 1].map((bit) => {
    const one = lie(epsilon) + (1 - 2 * lie(epsilon)) * (click ? 1 / slots : 0);
    return [bit, bit ? one : 1 - one];
  }),
  'click-bit': ({ epsilon }, click) => [0, 1].map((bit) => [bit, bit === Number(click > 0) ? 1 - lie(epsilon) : lie(epsilon)]),
  position: ({ epsilon, slots }, click) => Array.from({ length: slots + 1 }, (none, i) => [i + 1, (i + 1 === (click || slots + 1) ? Math.exp(epsilon) : 1) / (Math.exp(epsilon) + slots)]),
  // Three slots: B is (8/(e - 1) + 4)/2 = 4.33 at epsilon 1 for two right places, against 5.66 for three; at epsilon 2
  // it is 2.63 against 2.25. So 4 of the 8 corners are e^epsilon times as likely as the others, or 1 is.
  cube: ({ epsilon }, click) => Array.from({ length: 8 }, (none, i) => [i >> 2 & 1, i >> 1 & 1, i & 1]).map((corner) => {
    const [threshold, inside] = epsilon < 1.5 ? [2, 4] : [3, 1];
    const right = corner.filter((sign, i) => sign === Number(click === i + 1)).length;
    return [corner, (right >= threshold ? Math.exp(epsilon) : 1) / (inside * Math.exp(epsilon) + 8 - inside)];
  }),
};

// The integral of the Laplace law. Units are so small that sums have the same value.
const laplaceBelow = ({ scale, unit }, value) => (x) => (x < value ? Math.exp((x - value) / (scale * unit)) / 2 : 1 - Math.exp((value - x) / (scale * unit)) / 2);

// How likely numbers are that lie in the same tenths of the range as these.
export function laplaceNear(randomizer, values, report) {
  const step = (randomizer.high - randomizer.low) / 10;
  return report.reduce((product, number, i) => {
    const below = laplaceBelow(randomizer, values[i]);
    const from = Math.floor(number * randomizer.unit / step) * step;
    return product * (below(from + step) - below(from));
  }, 1);
}

// Tenths of the range from -2 to 3, and both tails.
export function laplaceCells(randomizer, value) {
  const { low, high } = randomizer;
  const below = laplaceBelow(randomizer, value);
  const edges = Array.from({ length: 51 }, (none, i) => low + (high - low) * (i - 20) / 10);
  const chances = edges.map((edge, i) => below(edge) - (i ? below(edges[i - 1]) : 0));
  return { edges, chances: [...chances, 1 - below(edges.at(-1))] };
}

// The probability of a chi-square at least that large, or a little more: for an odd number of degrees of freedom,
// that of one more.
function chiSquareAbove(value, degrees) {
  let term = Math.exp(-value / 2);
  let sum = 0;
  for (let i = 0; i < Math.ceil(degrees / 2); i += 1) {
    sum += term;
    term *= value / 2 / (i + 1);
  }
  return Math.min(1, sum);
}

// How likely counts are to be as far from their chances as these.
export function fit(counts, chances) {
  const all = counts.reduce((sum, count) => sum + count, 0);
  const value = counts.reduce((sum, count, i) => sum + (count - all * chances[i]) ** 2 / (all * chances[i]), 0);
  return chiSquareAbove(value, counts.length - 1);
}

// The least probability of the two tails of a binomial, both with the count itself, times two.
export function binomialTails(count, all, chance) {
  const logs = [0];
  for (let i = 1; i <= all; i += 1) {
    logs[i] = logs[i - 1] + Math.log((all - i + 1) / i);
  }
  const at = (i) => Math.exp(logs[i] + i * Math.log(chance) + (all - i) * Math.log1p(-chance));
  let below = 0;
  let above = 0;
  for (let i = 0; i <= all; i += 1) {
    below += i <= count ? at(i) : 0;
    above += i >= count ? at(i) : 0;
  }
  return Math.min(1, 2 * below, 2 * above);
}
