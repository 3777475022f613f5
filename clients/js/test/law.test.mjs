// law.test.mjs - chi-square tests that the reports have the claimed law.
//
// Each case: 100,000 reports (or as many as it says) from bytes of a fixed seed; refused where such counts are
// rarer than 1e-6. So with other seeds each case fails once in a million times, all 21 once in 47,000. And the
// same counts must be rejected, as rarer than 1e-6, by the law of an epsilon that is 10% off on either side,
// and by that of half the noise (twice the epsilon).
import assert from "node:assert/strict";
import { test } from "node:test";

import { fit, tail } from "./chi_square.mjs";
import { bitLaw, cubeLaw, laplaceLaw, positionLaw } from "./laws.mjs";
import { seededDevice, told, toldLaplace } from "./support.mjs";

const RARE = 1e-6;

function countReports(reports, settings, answer, law, seed) {
  const device = seededDevice(seed);
  const counts = new Array(law.probabilities.length).fill(0);
  for (let i = 0; i < reports; i++) {
    counts[law.cell(device.report(settings, answer))]++;
  }
  return counts;
}

let seed = 0;
function holds(name, settings, answer, lawAt, reports = 100000) {
  const ownSeed = ++seed;
  test(name, () => {
    const law = lawAt(1);
    const sum = law.probabilities.reduce((all, probability) => all + probability, 0);
    assert.ok(Math.abs(sum - 1) < 1e-9, `the law adds up to ${sum}`);
    const counts = countReports(reports, settings, answer, law, ownSeed);
    const p = fit(counts, law.probabilities);
    assert.ok(p > RARE, `${counts} is too rare: p = ${p}`);
    for (const off of [0.9, 1.1, 2]) {
      const other = fit(counts, lawAt(off).probabilities);
      assert.ok(other < RARE, `epsilon times ${off} fits as well: p = ${other}`);
    }
  });
}

test("the tail of chi-square, against tables", () => {
  for (const [value, freedom, expected] of [[3.841459, 1, 0.05], [18.307038, 10, 0.05], [23.209251, 10, 0.01], [124.342113, 100, 0.05]]) {
    assert.ok(Math.abs(tail(value, freedom) - expected) < 1e-7, `${value} with ${freedom}`);
  }
  assert.ok(Math.abs(tail(2 * Math.log(1e6), 2) / 1e-6 - 1) < 1e-9, "e^(-x/2) with 2");
});

const bit = (epsilon) => told({ mechanism: "bit", epsilon, slot: 2 });
const cube = (epsilon, slots) => told({ mechanism: "cube", epsilon, slots });

for (const epsilon of [0.7, 2]) {
  holds(`bit, epsilon ${epsilon}, reward 1`, bit(epsilon), { rewards: [1] }, (off) => bitLaw(epsilon * off, 1));
  holds(`bit, epsilon ${epsilon}, click elsewhere`, bit(epsilon), { click: 1 }, (off) => bitLaw(epsilon * off, 0));
  for (const click of [0, 3]) {
    holds(`position, epsilon ${epsilon}, click ${click} of 4`, told({ epsilon, slots: 4 }), { click },
      (off) => positionLaw(epsilon * off, 4, click));
  }
  holds(`cube, epsilon ${epsilon}, 4 rewards`, cube(epsilon, 4), { rewards: [1, 0, 1, 1] },
    (off) => cubeLaw(epsilon * off, 4, [1, 0, 1, 1]));

  const scale = 2 ** 20 / epsilon;
  const ends = Array.from({ length: 24 }, (_, i) => Math.round((i - 11.5) * 0.4 * scale));
  holds(`laplace, epsilon ${epsilon}, one reward`, toldLaplace(epsilon, 4, 3), { rewards: [0.25] },
    (off) => laplaceLaw(scale / off, [2 ** 18], ends));
  const few = [-3, -1, 0, 1, 3].map((part) => Math.round(part * scale));
  holds(`laplace, epsilon ${epsilon}, two rewards together`, toldLaplace(epsilon, 2), { rewards: [1, 0.5] },
    (off) => laplaceLaw((2 * scale) / off, [2 ** 20, 2 ** 19], few));
}

// The value of a whole list, as one bit.
const sumBit = (epsilon, slots) => told({ mechanism: "sum-bit", epsilon, slots });
const clickBit = (epsilon) => told({ mechanism: "click-bit", epsilon });
holds("sum-bit, epsilon 1, all rewards high", sumBit(1, 3), { rewards: [1, 1, 1] }, (off) => bitLaw(off, 1));
holds("sum-bit, epsilon 2, no click", sumBit(2, 3), { click: 0 }, (off) => bitLaw(2 * off, 0));
holds("sum-bit, epsilon 3, rewards of 0.75 in 3", sumBit(3, 3), { rewards: [0.5, 0, 0.25] }, (off) => bitLaw(3 * off, 0.25), 300000);
holds("sum-bit, epsilon 3, a click among 4", sumBit(3, 4), { click: 2 }, (off) => bitLaw(3 * off, 0.25), 300000);
holds("click-bit, epsilon 1, a click", clickBit(1), { click: 3 }, (off) => bitLaw(off, 1));
holds("click-bit, epsilon 1, no click", clickBit(1), { click: 0 }, (off) => bitLaw(off, 0));

// Rewards in the middle are rounded at random, which hides some false reports: more reports, larger epsilon.
holds("bit, epsilon 3, reward 0.25", bit(3), { rewards: [0.25] }, (off) => bitLaw(3 * off, 0.25), 300000);
holds("cube, epsilon 2, rewards in the middle, one missing", cube(2, 4), { rewards: [0.75, 0.5, 0] },
  (off) => cubeLaw(2 * off, 4, [0.75, 0.5, 0]));
holds("bit, epsilon 1, click where it is asked", bit(1), { click: 2 }, (off) => bitLaw(off, 1));
holds("cube, epsilon 1, one reward", cube(1, 1), { rewards: [1] }, (off) => cubeLaw(off, 1, [1]));
holds("cube, epsilon 1, 5 rewards", cube(1, 5), { rewards: [0, 1, 1, 1, 0] }, (off) => cubeLaw(off, 5, [0, 1, 1, 1, 0]));
holds("position, epsilon 1, a list of one", told({ slots: 1 }), { click: 1 }, (off) => positionLaw(off, 1, 1));
// noise of scale 4 in units: single whole numbers are seen
holds("laplace, every whole number", toldLaplace(2 ** 18, 1), { rewards: [0.5] },
  (off) => laplaceLaw(4 / off, [2 ** 19], Array.from({ length: 61 }, (_, i) => i - 30)));
