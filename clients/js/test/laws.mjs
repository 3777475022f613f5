// laws.mjs - the laws that reports must have, computed from the claims in src/privacy/local/*.md and from
// nothing else. Each law is a list of probabilities, with the cell that a report falls into.

/** bit.md: 1 with probability x p + (1 - x)(1 - p), p = e^epsilon / (1 + e^epsilon). */
export function bitLaw(epsilon, x) {
  const p = 1 / (1 + Math.exp(-epsilon));
  const one = x * p + (1 - x) * (1 - p);
  return { probabilities: [1 - one, one], cell: ([bit]) => bit };
}

/** position.md: p at the true position (slots + 1 for no click), q elsewhere. */
export function positionLaw(epsilon, slots, click) {
  const lie = Math.exp(-epsilon), all = 1 + slots * lie;
  const truth = click === 0 ? slots + 1 : click;
  const probabilities = Array.from({ length: slots + 1 }, (_, i) => (i + 1 === truth ? 1 : lie) / all);
  return { probabilities, cell: ([place]) => place - 1 };
}

function choose(n, k) {
  let ways = 1;
  for (let i = 0; i < k; i++) {
    ways = (ways * (n - i)) / (i + 1);
  }
  return ways;
}

// cube.md: the tau of least B = (2^K + (e^epsilon - 1) N) / ((e^epsilon - 1) C(K-1, tau-1)), the smallest such.
function cubeThreshold(epsilon, slots) {
  let best = Infinity, threshold = 0;
  for (let tau = slots; tau > 0; tau--) {
    let inside = 0;
    for (let agree = tau; agree <= slots; agree++) {
      inside += choose(slots, agree);
    }
    const bias = (2 ** slots / Math.expm1(epsilon) + inside) / choose(slots - 1, tau - 1);
    if (bias <= best * (1 + 1e-12)) {
      best = bias;
      threshold = tau;
    }
  }
  return threshold;
}

const ones = (bits) => bits.toString(2).replaceAll("0", "").length;

/** cube.md: over all corners, mixed over the roundings of the rewards (a slot without one: -1). */
export function cubeLaw(epsilon, slots, rewards) {
  const tau = cubeThreshold(epsilon, slots);
  const probabilities = new Array(2 ** slots).fill(0);
  for (let rounded = 0; rounded < 2 ** slots; rounded++) {
    let chance = 1;
    for (let i = 0; i < slots; i++) {
      const x = rewards[i] ?? 0;
      chance *= (rounded >> i) & 1 ? x : 1 - x;
    }
    const weights = probabilities.map((_, corner) =>
      slots - ones(corner ^ rounded) >= tau ? 1 : Math.exp(-epsilon));
    const all = weights.reduce((sum, weight) => sum + weight, 0);
    weights.forEach((weight, corner) => (probabilities[corner] += (chance * weight) / all));
  }
  return { probabilities, cell: (signs) => signs.reduce((corner, sign, i) => corner | (sign << i), 0) };
}

// P(Z <= z) for P(z) in proportion to e^(-|z|/b) over the whole numbers: with r = e^(-1/b), r^-z / (1 + r) for
// z < 0, and 1 - r^(z+1) / (1 + r) from 0 on.
function laplaceBelow(z, scale) {
  const r = Math.exp(-1 / scale);
  return z < 0 ? Math.exp(z / scale) / (1 + r) : 1 - Math.exp(-(z + 1) / scale) / (1 + r);
}

/** randomize.md: each reward in units with noise of this scale, independently; a cell is one of `ends`.length
 * + 1 intervals per reward, the i-th ending at ends[i] (in noise, and included). */
export function laplaceLaw(scale, units, ends) {
  const below = [...ends.map((end) => laplaceBelow(end, scale)), 1];
  const one = below.map((value, i) => value - (i > 0 ? below[i - 1] : 0));
  const interval = (noise) => {
    const at = ends.findIndex((end) => noise <= end);
    return at < 0 ? ends.length : at;
  };
  let probabilities = [1];
  for (let i = 0; i < units.length; i++) {
    probabilities = probabilities.flatMap((probability) => one.map((next) => probability * next));
  }
  return {
    probabilities,
    cell: (report) => report.reduce((cell, value, i) => cell * one.length + interval(value - units[i]), 0),
  };
}
