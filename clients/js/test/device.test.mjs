// device.test.mjs - lotor.wasm agrees with the C library: the same reports from the same bytes, the same refusals; and
// it keeps no feedback in memory.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";

import { GOLDEN, LOTOR, LotorError, Randomizer, deviceWith, seededBytes, seededDevice, told, toldLaplace, wasmBytes } from "./support.mjs";

// One of each kind, and values near the limits of the arithmetic.
const awkward = 0.1 + 0.2; // 17 digits
const golden = [
  [told({}), { click: 2 }],
  [told({ epsilon: 0.1, slots: 1 }), { click: 0 }],
  [told({ epsilon: awkward, slots: 4096 }), { click: 4096 }],
  [told({ epsilon: 1e-18, slots: 20 }), { click: 7 }],
  [told({ epsilon: 1 / 3, slots: 10 }), { click: 10 }],
  [told({ epsilon: "0.123456789012345678", slots: 10 }), { click: 3 }],
  [told({ epsilon: 562949953421312.125, slots: 2 }), { click: 1 }],
  [told({ epsilon: 2 ** -44, slots: 6 }), { click: 1 }],
  [told({ mechanism: "bit", slot: 1 }), { click: 1 }],
  [told({ mechanism: "bit", slot: 3, epsilon: 0.7 }), { click: 0 }],
  [told({ mechanism: "bit", slot: 1, epsilon: 5e-7 }), { rewards: [0.3] }],
  [told({ mechanism: "bit", slot: 1, low: -2.5, high: 1e9 }), { rewards: [-1.25] }],
  [told({ mechanism: "bit", slot: 1, low: 0, high: 1e-300 * 1e40 }), { rewards: [3e-261] }],
  [told({ mechanism: "cube", slots: 1 }), { rewards: [0.5] }],
  [told({ mechanism: "cube", slots: 8, epsilon: 2.5 }), { rewards: [1, 0, 0.25, 0.125, 1e-6] }],
  [told({ mechanism: "cube", slots: 63, epsilon: 0.01 }), { rewards: Array.from({ length: 63 }, (_, i) => i / 63) }],
  [told({ mechanism: "cube", slots: 64, epsilon: 40 }), { rewards: Array.from({ length: 64 }, (_, i) => i % 2) }],
  [told({ mechanism: "cube", slots: 64, epsilon: 0.3, low: -1 }), { rewards: [-1, 1, 0] }],
  [toldLaplace(1, 1), { rewards: [0.3] }],
  [toldLaplace(0.1, 5, 2), { rewards: [1] }],
  [toldLaplace(1e-6, 100), { rewards: Array.from({ length: 100 }, (_, i) => i / 100) }], // many refills
  [toldLaplace(2 ** 20, 1), { rewards: [0.999999] }],
  [toldLaplace(3, 1024), { rewards: Array.from({ length: 1024 }, (_, i) => (i % 7) / 7) }],
];

const DIGITS = { 562949953421312.125: "562949953421312.12" }; // as lotor_digits writes it: 17 digits, ties to even

function goldenLine(seed, settings, answer) {
  const { mechanism, epsilon, slot, slots, scale, unit, low, high } = settings;
  const given = answer.rewards ? `rewards ${answer.rewards.join()}` : `click ${answer.click}`;
  return `${seed} ${mechanism} ${DIGITS[epsilon] ?? epsilon} ${slot} ${slots} ${scale} ${unit} ${low} ${high} ${given}`;
}

test("the same bytes give the same report as the C library", () => {
  const cases = golden.flatMap(([settings, answer]) =>
    Array.from({ length: 40 }, (_, i) => ({ seed: 1000 + i, settings, answer })));
  const input = cases.map(({ seed, settings, answer }) => goldenLine(seed, settings, answer)).join("\n") + "\n";
  const lines = execFileSync(GOLDEN, { input, encoding: "utf8", maxBuffer: 1 << 26 }).trimEnd().split("\n");
  assert.equal(lines.length, cases.length);
  const distinct = new Set();
  cases.forEach(({ seed, settings, answer }, i) => {
    const report = seededDevice(seed).report(settings, answer);
    assert.equal(report.join(), lines[i], goldenLine(seed, settings, answer).slice(0, 100));
    assert.ok(report.every(Number.isSafeInteger));
    distinct.add(lines[i]);
  });
  assert.ok(distinct.size > cases.length / 4, "they differ from each other");
});

test("one report by hand", () => {
  // There are 3 positions and "none", epsilon is 1, and the true position is 2. A position is 1 + the top two
  // bits of a word: all ones give position 4, which is false. The coin e^-1 compares one word U with 1, 1/2, 1/6, ...:
  // 2^63 is U = 1/2, which is below 1 alone. It ends at step 2, which is even, so the false position is not reported.
  // The third word gives position 2, the true one. Its coin is tossed too, and falls the same way, but the truth is
  // reported whatever the coin says.
  const words = [2n ** 64n - 1n, 2n ** 63n, 2n ** 62n, 2n ** 63n];
  const device = deviceWith((bytes) => {
    const view = new DataView(bytes.buffer, bytes.byteOffset);
    words.forEach((word, i) => view.setBigUint64(8 * i, word, true));
  });
  assert.deepEqual(device.report(told({}), { click: 2 }), [2]);
});

function refusalOf(settings, answer) {
  try {
    const randomizer = new Randomizer(settings, { wasm: seededDevice(1) });
    return randomizer.report(answer).then(
      (report) => assert.fail(`${JSON.stringify(settings)} gave ${JSON.stringify(report)}`),
      (error) => error,
    );
  } catch (error) {
    return error;
  }
}

function commandRefusal(settings, answer) {
  const given = answer.rewards ? ["--rewards", answer.rewards.join()] : ["--click", String(answer.click || "none")];
  try {
    execFileSync(LOTOR, ["randomize", "--randomizer", JSON.stringify(settings), ...given], { encoding: "utf8", stdio: "pipe" });
  } catch (error) {
    return error.stderr.replace(/\s+/g, " ");
  }
  return assert.fail(`the command took ${JSON.stringify(settings)}`);
}

const click = { click: 1 }, reward = { rewards: [0.5] };
const hostile = [
  [told({ mechanism: "raw" }), click, "invalid"],
  [told({ mechanism: "" }), click, "invalid"],
  [told({ mechanism: "position" + "x".repeat(500) }), click, "invalid"],
  [told({ mechanism: 3 }), click, "invalid"],
  [told({ mechanism: null }), click, "invalid"],
  [told({ epsilon: 0 }), click, "invalid"],
  [told({ epsilon: -1 }), click, "invalid"],
  [told({ epsilon: 1e-19 }), click, "invalid"],
  [told({ epsilon: "1e19" }), click, "invalid"],
  [told({ epsilon: "inf" }), click, "invalid"],
  [told({ epsilon: "" }), click, "invalid"],
  [told({ epsilon: "1 " }), click, "invalid"],
  [told({ epsilon: "0x10" }), click, "invalid"],
  [told({ epsilon: null }), click, "invalid"],
  [told({ epsilon: [1] }), click, "invalid"],
  [told({ slots: 0 }), click, "invalid"],
  [told({ slots: 4097 }), click, "invalid"],
  [told({ slots: -1 }), click, "invalid"],
  [told({ slots: 2.5 }), click, "invalid"],
  [told({ slots: "3" }), click, "invalid"],
  [told({ slot: 4 }), click, "invalid"],
  [told({ low: 1, high: 0 }), click, "invalid"],
  [told({ low: 1e15, high: 1e15 + 1 }), click, "invalid"],
  [told({ mechanism: "bit", slot: 1, high: 1e-310 }), click, "invalid"],
  [told({ high: "1" }), click, "invalid"],
  [told({ noise: "none" }), click, "invalid"],
  [(({ unit, ...rest }) => rest)(told({})), click, "invalid"],
  [told({ mechanism: "cube", slots: 65 }), reward, "invalid"],
  // less noise than promised
  [{ ...toldLaplace(1, 1), scale: 2 ** 20 - 1 }, reward, "invalid"],
  [{ ...toldLaplace(1, 2), scale: 2 ** 20 }, reward, "invalid"],
  [{ ...toldLaplace(1, 1), scale: 0 }, reward, "invalid"],
  [{ ...toldLaplace(1, 1), scale: -(2 ** 20) }, reward, "invalid"],
  [{ ...toldLaplace(1, 1), scale: 2e17 }, reward, "invalid"],
  [{ ...toldLaplace(1, 1), unit: 2 ** -10 }, reward, "invalid"],
  [{ ...toldLaplace(1, 1), high: 1.5 }, reward, "invalid"],
  [toldLaplace(1, 1025), reward, "invalid"],
  // wrong feedback
  [told({}), { click: 4 }, "range"],
  [told({}), reward, "range"],
  [told({ mechanism: "bit", slot: 1 }), { rewards: [1, 1] }, "range"],
  [told({ mechanism: "bit", slot: 1 }), { rewards: [1.5] }, "range"],
  [told({ mechanism: "bit", slot: 1 }), { rewards: [-1e-9] }, "range"],
  [told({ mechanism: "cube", slots: 2 }), { rewards: [1, 0, 1] }, "range"],
  [told({ mechanism: "cube", slots: 2 }), click, "range"],
  [toldLaplace(1, 2), { rewards: [0, 1, 0] }, "range"],
  [toldLaplace(1, 2), click, "range"],
];

test("hostile settings and wrong answers are refused in the words of the C library", async () => {
  for (const [settings, answer, code] of hostile) {
    const error = await refusalOf(settings, answer);
    const about = JSON.stringify([settings, answer]).slice(0, 200);
    assert.ok(error instanceof LotorError, `${about}: ${error}`);
    assert.equal(error.code, code, `${about}: ${error}`);
    assert.equal(error.status, null);
    const command = commandRefusal(settings, answer);
    assert.ok(command.includes(error.message), `${about}: here "${error.message}", there "${command}"`);
  }
});

test("what only JavaScript can say is refused too", async () => {
  for (const settings of [null, undefined, 3, [], told({ epsilon: NaN }), told({ epsilon: Infinity }), told({ epsilon: 1n }), told({ mechanism: "position\0" }), told({ epsilon: "1\0" }), told({ epsilon: "0".repeat(2000) + "1" }), told({ low: NaN }), told({ slots: Infinity })]) {
    assert.throws(() => new Randomizer(settings), { name: "LotorError", code: "invalid" });
  }
  const randomizer = new Randomizer(told({}), { wasm: seededDevice(1) });
  for (const answer of [undefined, null, "2", {}, { click: 1, rewards: [1] }, { report: 1 }, { click: 1, more: 1 }, []]) {
    await assert.rejects(randomizer.report(answer), { name: "LotorError", code: "invalid" }, JSON.stringify(answer));
  }
  for (const answer of [-1, 1.5, NaN, 2 ** 32 + 1, { click: "2" }, { click: null }, { rewards: [] }, { rewards: "1" }, { rewards: ["1"] }, { rewards: [1n] }]) {
    await assert.rejects(randomizer.report(answer), { name: "LotorError", code: "range" }, String(answer));
  }
  const bit = new Randomizer(told({ mechanism: "bit", slot: 1 }), { wasm: seededDevice(1) });
  for (const value of [NaN, Infinity, -Infinity]) {
    await assert.rejects(bit.report({ rewards: [value] }), { code: "range" });
  }
  await assert.rejects(bit.report({ rewards: new Array(5000).fill(0) }), { code: "range" });
});

test("a Laplace report that JavaScript could not hold exactly is not made", async () => {
  // 64 scales and the range itself may reach 2^53 - 1
  const most = Math.floor((2 ** 53 - 1 - 2 ** 20) / 64);
  const largest = { ...toldLaplace(1e-7, 1), scale: most };
  const report = await new Randomizer(largest, { wasm: seededDevice(1) }).report(reward);
  assert.ok(Number.isSafeInteger(report.report[0]));
  const error = await refusalOf({ ...largest, scale: most + 1 }, reward);
  assert.equal(error.code, "invalid");
  assert.match(error.message, /could pass 2\^53/);
});

test("epsilon above what the device allows is refused", () => {
  assert.throws(() => new Randomizer(told({ epsilon: 1.5 }), { maxEpsilon: 1 }), { code: "invalid", field: "epsilon" });
  assert.throws(() => new Randomizer(told({ epsilon: "1.5" }), { maxEpsilon: 1 }), { code: "invalid", field: "epsilon" });
  assert.throws(() => new Randomizer(told({ epsilon: "inf" }), { maxEpsilon: 1e9 }), { code: "invalid", field: "epsilon" });
  new Randomizer(told({ epsilon: 1 }), { maxEpsilon: 1 });
});

test("rewards of another range than the device's are refused", () => {
  for (const [low, high] of [[0, 0.5], [-1, 1], [0.5, 1], [0, 2]]) {
    assert.throws(() => new Randomizer(told({ low, high }), { range: [0, 1] }), { code: "invalid", field: "low" });
  }
  assert.throws(() => new Randomizer(told({}), { range: [] }), { code: "invalid", field: "low" });
  new Randomizer(told({}), { range: [0, 1] });
});

test("settings are taken as they were", async () => {
  const settings = told({ slots: 1 });
  const randomizer = new Randomizer(settings, { wasm: seededDevice(1) });
  settings.slots = 1000;
  settings.epsilon = 100;
  assert.equal(randomizer.settings.slots, 1);
  assert.throws(() => (randomizer.settings.epsilon = 100), TypeError);
  await assert.rejects(randomizer.report(2), { code: "range" });
});

const each = [
  [told({}), { click: 2 }],
  [told({ mechanism: "bit", slot: 1 }), { rewards: [0.3] }],
  [told({ mechanism: "cube", slots: 64 }), { rewards: [0.3, 0.5] }],
  [toldLaplace(0.01, 1000), { rewards: Array.from({ length: 1000 }, () => 0.3) }],
];

test("without randomness there is no report, whenever it ends", async () => {
  const failures = {
    throws: () => { throw new Error("QuotaExceededError"); },
    "fills nothing": () => {},
    "fills one byte": (bytes) => bytes.fill(0x55),
    "fills one word": (bytes) => bytes.forEach((_, i) => { bytes[i] = 17 * (i % 8); }),
  };
  for (const [settings, answer] of each) {
    for (const [name, fail] of Object.entries(failures)) {
      const randomizer = new Randomizer(settings, { wasm: deviceWith(fail) });
      await assert.rejects(randomizer.report(answer), { name: "LotorError", code: "entropy" }, `${settings.mechanism}, ${name}`);
    }
  }
  // 1000 Laplace draws take many refills: each of the first eight may be the one that fails
  const [settings, answer] = each[3];
  for (let good = 0; good < 8; good++) {
    let left = good;
    const bytes = seededBytes(1);
    const device = deviceWith((target) => {
      if (left-- === 0) {
        throw new Error("no entropy");
      }
      bytes(target);
    });
    await assert.rejects(new Randomizer(settings, { wasm: device }).report(answer), { code: "entropy" }, `after ${good}`);
    assert.equal(left, -1, "and the host is not asked again");
    left = 1e9;
    const { report } = await new Randomizer(settings, { wasm: device }).report(answer);
    assert.equal(report.length, 1000, "the next report is fine again");
  }
});

test("the module asks the host for random bytes and nothing else", () => {
  const module = new WebAssembly.Module(wasmBytes);
  assert.deepEqual(WebAssembly.Module.imports(module), [{ module: "host", name: "fill", kind: "function" }]);
});

const patterns = (value, units) => {
  const double = Buffer.alloc(8), whole = Buffer.alloc(8);
  double.writeDoubleLE(value);
  whole.writeBigInt64LE(BigInt(units));
  return { double, whole };
};

test("nothing of a raw answer stays in the module's memory", () => {
  const value = 0.7234567891234, units = Math.round(value * 2 ** 20);
  const { double, whole } = patterns(value, units);
  const digits = Buffer.alloc(4); // printf has nine of them in a word
  digits.writeUInt32LE(723456789);
  let seen = 0;
  for (const [settings, answer] of each.slice(1)) {
    const bytes = seededBytes(5);
    const device = deviceWith((target) => {
      seen += Buffer.from(device.memory).includes(double) ? 1 : 0; // it is there during the call
      bytes(target);
    });
    device.report(settings, { rewards: answer.rewards.map(() => value) });
    const left = Buffer.from(device.memory);
    assert.ok(!left.includes(double), `${settings.mechanism}: the reward is in memory`);
    assert.ok(!left.includes(whole), `${settings.mechanism}: the reward in units is in memory`);
    assert.throws(() => device.report(settings, { rewards: answer.rewards.map(() => value + 1) }), { code: "range" });
    const after = Buffer.from(device.memory);
    assert.ok(!after.includes(patterns(value + 1, 0).double), "nor when it is refused");
    assert.ok(!after.includes("1.7234567891234"), "nor in a message");
    assert.ok(!after.includes(digits), "nor where its digits were worked out");
  }
  assert.ok(seen >= 3, "the search can find it");
});

test("random bytes are used for one report, and forgotten", () => {
  let given = Buffer.alloc(0);
  const bytes = seededBytes(9);
  const device = deviceWith((target) => {
    bytes(target);
    given = Buffer.from(target);
  });
  device.report(told({}), { click: 1 });
  const left = Buffer.from(device.memory);
  for (let at = 0; at < given.length; at += 16) {
    assert.ok(!left.includes(given.subarray(at, at + 16)), `bytes from ${at} are in memory`);
  }
});

test("a report may be made within a report, but not without end", () => {
  const plain = seededDevice(3).report(told({}), { click: 1 });
  const bytes = seededBytes(3);
  let nested = 0;
  const device = deviceWith((target) => {
    if (nested++ === 0) {
      const inner = device.report(told({ mechanism: "cube", slots: 5 }), { rewards: [1] });
      assert.equal(inner.length, 5);
      target.fill(0);
      seededBytes(3)(target);
    } else {
      bytes(target);
    }
  });
  assert.deepEqual(device.report(told({}), { click: 1 }), plain, "the outer one is not disturbed");

  let deepest = 0;
  const endless = deviceWith(() => {
    deepest++;
    endless.report(told({}), { click: 1 });
  });
  assert.throws(() => endless.report(told({}), { click: 1 }), { code: "entropy" });
  assert.equal(deepest, 4);
});

test("many reports of many sizes need no more memory than one", () => {
  const device = seededDevice(4);
  const size = device.memory.byteLength;
  for (let i = 0; i < 5000; i++) {
    const slots = 1 + ((i * 37) % 4096);
    device.report(told({ slots }), { click: 1 });
  }
  assert.equal(device.memory.byteLength, size);
});

test("random settings give a report of the right form or an error, and never a trap", async () => {
  const bytes = new Uint8Array(16), fill = seededBytes(77);
  const draw = (list) => {
    fill(bytes);
    return list[bytes[0] % list.length];
  };
  const number = () => draw([
    () => bytes[1], () => bytes[1] / 16, () => -bytes[1], () => 2 ** bytes[1], () => 2 ** -bytes[1], () => 2 ** 20 * bytes[1],
    () => new DataView(bytes.buffer).getFloat64(8), () => 0, () => 1, () => 4096, () => 64,
  ])();
  const device = seededDevice(78);
  const made = {}, refused = {};
  for (let i = 0; i < 20000; i++) {
    const settings = told({ mechanism: draw(["bit", "position", "laplace", "cube", "x"]) });
    if (settings.mechanism === "laplace") {
      Object.assign(settings, toldLaplace(draw([0.1, 1, 3]), 3));
    }
    for (const name of ["epsilon", "slot", "slots", "scale", "unit", "low", "high"]) {
      settings[name] = draw([true, false, false, false, false, false]) ? number() : settings[name];
    }
    const answer = draw([true, false]) ? { click: number() } : { rewards: Array.from({ length: draw([1, 1, 3, 64]) }, number) };
    try {
      const { report } = await new Randomizer(settings, { wasm: device }).report(answer);
      const { mechanism, slots } = settings;
      const fits = {
        bit: () => report === 0 || report === 1,
        position: () => Number.isInteger(report) && report >= 1 && report <= slots + 1,
        cube: () => report.length === slots && report.every((sign) => sign === 0 || sign === 1),
        laplace: () => report.length === answer.rewards.length && report.every(Number.isSafeInteger),
      };
      assert.ok(fits[mechanism](), JSON.stringify([settings, answer, report]));
      made[mechanism] = (made[mechanism] ?? 0) + 1;
    } catch (error) {
      if (!(error instanceof LotorError)) {
        throw new Error(JSON.stringify([settings, answer]), { cause: error });
      }
      refused[error.code] = (refused[error.code] ?? 0) + 1;
    }
  }
  assert.deepEqual(Object.keys(refused).sort(), ["invalid", "range"]);
  assert.ok(["bit", "position", "laplace", "cube"].every((name) => made[name] > 50), JSON.stringify(made));
});
