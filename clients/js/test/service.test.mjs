// service.test.mjs - the client with a real `lotor serve`, through a relay that records what is sent: in
// local campaigns, only randomized reports are sent.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { recordWire, requestsIn, startService } from "./serving.mjs";
import { Client, deviceWith, LotorError, seededBytes } from "./support.mjs";

const ARMS = ["tea", "coffee", "cocoa", "water"];
let service, wire;

before(async () => {
  service = await startService();
  wire = await recordWire(service.port);
});
after(async () => {
  await wire?.stop();
  await service?.stop();
});

async function campaign(name, algorithm, more = {}) {
  const spec = { name, algorithm, epsilon: 1, slots: 3, arms: ARMS, wait_seconds: 600, ...more };
  const { status, body } = await service.ask("/v1/campaigns", spec);
  assert.equal(status, 201, JSON.stringify(body));
}

const client = (more) => new Client({ url: wire.url, key: service.key, ...more });

// Each mechanism, with the algorithms that use it, and feedback with a mark that must not be found in the record.
const locals = [
  { algorithm: "rr-klucb", mechanism: "bit", answer: { rewards: [0.8125, 0.8125, 0.8125] }, form: /^\{"report":[01]\}$/ },
  { algorithm: "rr-klucb", mechanism: "bit", answer: 2, form: /^\{"report":[01]\}$/ },
  { algorithm: "cascade-ldp-rr", mechanism: "position", answer: 2, form: /^\{"report":[1-4]\}$/ },
  { algorithm: "cascade-ldp-rr", mechanism: "position", answer: 0, form: /^\{"report":[1-4]\}$/ },
  { algorithm: "cucb-ldp2", mechanism: "laplace", horizon: 1000, answer: { rewards: [0.8125, 0.8125, 0.8125] }, form: /^\{"report":\[-?\d+\]\}$/ },
  { algorithm: "cucb-ldp1", mechanism: "laplace", horizon: 1000, answer: { rewards: [0.8125, 0.8125, 0.8125] }, form: /^\{"report":\[-?\d+,-?\d+,-?\d+\]\}$/ },
  { algorithm: "cucb-ldp-box", mechanism: "cube", answer: { rewards: [0.8125, 0.8125, 0.8125] }, form: /^\{"report":\[[01],[01],[01]\]\}$/ },
];

locals.forEach(({ algorithm, mechanism, horizon, answer, form }, i) => {
  test(`${algorithm}: only reports are sent of ${JSON.stringify(answer)}`, async () => {
    await campaign(`local-${i}`, algorithm, horizon ? { horizon } : {});
    wire.forget();
    const asking = client({ local: true, maxEpsilon: 1 });
    const rounds = 60, seen = new Set();
    const expected = [];
    for (let round = 0; round < rounds; round++) {
      const decision = await asking.rank(`local-${i}`);
      assert.equal(decision.randomizer.mechanism, mechanism);
      const told = typeof answer === "number" && answer > 0 && round % 2 ? { click: decision.arms[answer - 1] } : answer;
      const result = await asking.reward(decision, told);
      assert.equal(result.status, "acknowledged");
      assert.equal(result.event, decision.event);
      expected.push(JSON.stringify(result.sent));
      seen.add(JSON.stringify(result.sent));
    }
    const requests = requestsIn(wire.sent());
    const ranks = requests.filter(({ head }) => head.startsWith(`POST /v1/campaigns/local-${i}/rank HTTP`));
    const rewards = requests.filter(({ head }) => /^POST \/v1\/events\/[A-Za-z0-9_-]{64}\/reward HTTP/.test(head));
    assert.equal(ranks.length, rounds);
    assert.equal(rewards.length, rounds);
    assert.equal(requests.length, 2 * rounds, "nothing else is sent");
    assert.ok(ranks.every(({ body }) => body === "{}"));
    rewards.forEach(({ body }, at) => {
      assert.match(body, form);
      assert.equal(body, expected[at], "what the client says it sent is what it sent");
    });
    assert.ok(seen.size > 1, "it lies at times: all 60 alike happens once in 10^8 times");
    // The headers reveal nothing, either: they are equal except for the path.
    const shape = (head) => head.replace(/^POST \S+/, "POST").replace(/^content-length: *\d+\r\n/im, "");
    assert.equal(new Set(rewards.map(({ head }) => shape(head))).size, 1);
    // Events and keys are random letters: one of 420 has a "tea" in it once in ten times.
    const words = wire.sent().replaceAll(/\/events\/[A-Za-z0-9_-]{64}\//g, "").replaceAll(service.key, "");
    for (const word of ["click", "rewards", "0.8125", ...ARMS]) {
      assert.ok(!words.includes(word), `'${word}' is on the wire`);
    }
  });
});

// Rounds that measure value send one bit about the whole list, whatever the algorithm hears otherwise.
for (const [algorithm, feedback, answer, mechanism] of [
  ["rr-imed", "rewards", { rewards: [0.8125, 0.8125, 0.8125] }, "sum-bit"],
  ["rr-imed", "clicks", 2, "click-bit"],
  ["cucb-ldp-box", "rewards", { rewards: [0.8125, 0.8125, 0.8125] }, "sum-bit"],
]) {
  test(`${algorithm} with ${feedback}: a device sends one bit of the value`, async () => {
    const name = `measured-${algorithm}-${feedback}`;
    await campaign(name, algorithm, { feedback, evaluation: { share: 0.5 } });
    const asking = client({ local: true, maxEpsilon: 1 });
    const roles = { learn: 0, measure: 0, control: 0 };
    for (let round = 0; round < 60; round++) {
      const decision = await asking.rank(name);
      const measures = decision.role !== "learn";
      roles[decision.role]++;
      assert.equal(decision.randomizer.mechanism === mechanism, measures);
      const chance = 1 / (ARMS.length * (ARMS.length - 1) * (ARMS.length - 2));
      assert.equal(decision.propensity === null, decision.role !== "control");
      assert.ok(decision.role !== "control" || Math.abs(decision.propensity - chance) < 1e-12);
      const result = await asking.reward(decision, answer);
      assert.equal(result.status, "acknowledged");
      assert.ok(!measures || /^\{"report":[01]\}$/.test(JSON.stringify(result.sent)));
    }
    assert.ok(Object.values(roles).every((count) => count > 2), JSON.stringify(roles));
  });
}

test("a report is drawn once: a client that sends again sends the same report", async () => {
  await campaign("once", "cucb-ldp1", { horizon: 1000 });
  const asking = client();
  const decision = await asking.rank("once");
  wire.forget();
  const results = await Promise.all([0, 1, 2].map((i) => asking.reward(decision, { rewards: [i / 2, 0, 0] })));
  results.push(await asking.reward(structuredClone(decision), { rewards: [1, 1, 1] }));
  const bodies = requestsIn(wire.sent()).map(({ body }) => body);
  assert.equal(bodies.length, 4);
  assert.equal(new Set(bodies).size, 1);
  assert.ok(results.every(({ status }) => status === "acknowledged"));
});

test("without a randomizer's means nothing is sent at all", async () => {
  await campaign("none", "cascade-ldp-rr");
  const decision = await client().rank("none");
  const broken = {
    wasm: [{ wasm: "file:///nowhere/lotor.wasm" }, decision],
    wasm2: [{ wasm: new Uint8Array([1, 2, 3]) }, decision],
    entropy: [{ wasm: deviceWith(() => { throw new Error("none"); }) }, decision],
    invalid: [{}, { ...decision, randomizer: { ...decision.randomizer, epsilon: "inf" } }],
    invalid2: [{}, { ...decision, randomizer: null }],
    invalid3: [{}, { ...decision, randomizer: { ...decision.randomizer, mechanism: "raw" } }],
    invalid4: [{ maxEpsilon: 0.5 }, decision],
  };
  wire.forget();
  for (const [name, [options, given]] of Object.entries(broken)) {
    const code = name.replace(/\d$/, "");
    await assert.rejects(client(options).reward(given, 2), (error) => error instanceof LotorError && error.code === code, name);
  }
  assert.equal(wire.sent(), "");
  // then the same client succeeds: the failed attempt made no report
  const bytes = seededBytes(1);
  let fails = true;
  const later = client({ wasm: deviceWith((target) => { if (fails) { throw new Error("none"); } bytes(target); }) });
  await assert.rejects(later.reward(decision, 2), { code: "entropy" });
  await assert.rejects(later.reward(decision, 4), { code: "range" });
  fails = false;
  assert.equal((await later.reward(decision, 2)).status, "acknowledged");
});

test("a client for local campaigns shows what no feedback is wanted of", async () => {
  await campaign("short", "rr-klucb", { horizon: 2 });
  const asking = client({ local: true });
  for (let round = 1; round <= 2; round++) {
    assert.notEqual((await asking.rank("short")).event, null);
  }
  const past = await asking.rank("short");
  assert.deepEqual([past.event, past.randomizer], [null, undefined]);
  assert.ok(past.arms.length > 0);
  assert.equal(await asking.reward(past, 1), null);
});

test("a client for local campaigns sends nothing to others", async () => {
  await campaign("central", "batch-klucb");
  const careful = client({ local: true });
  await assert.rejects(careful.rank("central"), { code: "raw_feedback" });
  const decision = await client().rank("central");
  wire.forget();
  await assert.rejects(careful.reward(decision, { rewards: [1, 0, 0] }), { code: "raw_feedback" });
  assert.equal(wire.sent(), "");
});

test("campaigns that trust the service get answers as they are", async () => {
  const asking = client();
  const decision = await asking.rank("central", { eligible: ["tea", "coffee", "water"] });
  assert.deepEqual([...decision.arms].sort(), ["coffee", "tea", "water"]);
  const told = await asking.reward(decision, { rewards: [1, 0, 0.5] });
  assert.deepEqual(told.sent, { rewards: [1, 0, 0.5] });

  await campaign("clicks", "cascade-dp-lazy");
  for (const [answer, place] of [[2, 2], [0, 0], [null, 0], [{ click: 1 }, 1], [{ click: null }, 0], ["third", 3]]) {
    const shown = await asking.rank("clicks");
    const result = await asking.reward(shown, answer === "third" ? { click: shown.arms[2] } : answer);
    assert.deepEqual(result.sent, { click: place ? shown.arms[place - 1] : null });
    assert.equal(result.status, "acknowledged");
  }
});

test("the service's refusals are errors with its code, field and message", async () => {
  const asking = client();
  await assert.rejects(asking.rank("nowhere"), (error) => {
    assert.ok(error instanceof LotorError);
    assert.deepEqual([error.code, error.status], ["no_such_campaign", 404]);
    assert.ok(error.message.length > 10);
    return true;
  });
  await assert.rejects(asking.rank("central", { eligible: ["tea", "soup", "mud"] }), { code: "bad_value", field: "eligible[1]", status: 400 });
  await assert.rejects(asking.rank("central", { colour: "red" }), { code: "unknown_field", status: 400 });
  await assert.rejects(client({ key: "no" }).rank("central"), { code: "unauthorized", status: 401 });
  const decision = await asking.rank("central");
  await assert.rejects(asking.reward(decision, { rewards: [7, 0, 0] }), { code: "bad_value", field: "rewards[0]" });
  await assert.rejects(asking.reward({ ...decision, event: "x/../y" }, { rewards: [1, 0, 0] }), { code: "no_such_event" });
});

test("batches: users, contexts, and a list of which one is refused", async () => {
  await campaign("capped", "batch-klucb", { slots: 1, rounds_per_user: 1, sticky_seconds: 1 });
  const asking = client();
  const shown = await asking.rankBatch("capped", [{ user: "a", eligible: ["coffee"] }, { user: "b", eligible: ["tea"] }, { user: "a", eligible: ["tea"] }]);
  assert.deepEqual(shown.map(({ event }) => event === null), [false, false, true]);
  assert.deepEqual(shown[1].arms, ["tea"]);
  const list = shown.map((decision) => ({ decision, feedback: { rewards: [1] } }));
  list.push({ decision: { ...shown[0], event: "nonsense" }, feedback: { rewards: [1] } });
  const result = await asking.rewards(list);
  assert.deepEqual([result.acknowledged, result.late], [2, 0]);
  assert.deepEqual(result.refused.map(({ index, code, field }) => [index, code, field]), [[3, "no_such_event", "rewards[2].event"]]);
  const none = await asking.rewards(list.slice(3));
  assert.deepEqual([none.acknowledged, none.refused.length], [0, 1]);
  await campaign("linear", "jdp-batch", { slots: 1, dimension: 2, horizon: 1000 });
  const context = Object.fromEntries(ARMS.map((arm, i) => [arm, [i / 4, 0.5]]));
  const contexts = await asking.rankBatch("linear", Array(30).fill({ context }));
  assert.equal(new Set(contexts.map(({ event }) => event)).size, 30);
  assert.equal((await asking.rewards(contexts.map((decision) => ({ decision, feedback: { rewards: [0.5] } })))).acknowledged, 30);
});
