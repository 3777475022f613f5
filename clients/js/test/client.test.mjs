// client.test.mjs - the client with a service of the test that is slow, busy, down or hostile.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { afterEach, test } from "node:test";

import { Client, LotorError, PATIENCE, seededDevice, told, toldLaplace } from "./support.mjs";

const EVENT = "e".repeat(64);
const decision = { event: EVENT, arms: ["a", "b", "c"], expires: 1, propensity: null };
const local = { ...decision, randomizer: told({}) };
const acknowledged = { event: EVENT, status: "acknowledged" };

const open = [];
afterEach(() => open.splice(0).forEach((server) => (server.closeAllConnections(), server.close())));

/** A server that replies to the i-th request with replies[i], and to all later requests with the
 * last one. A reply is a function of the response, or {status, body, headers}. Requests are
 * kept. */
async function serve(...replies) {
  const requests = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const part of request) {
      body += part;
    }
    const reply = replies[Math.min(requests.length, replies.length - 1)];
    requests.push({ method: request.method, url: request.url, headers: request.headers, body });
    if (typeof reply === "function") {
      return reply(response);
    }
    response.writeHead(reply.status ?? 200, { "Content-Type": "application/json", ...reply.headers });
    return response.end(typeof reply.body === "string" ? reply.body : JSON.stringify(reply.body));
  });
  open.push(server);
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return { requests, url: `http://127.0.0.1:${server.address().port}` };
}

const drop = (response) => response.destroy();
const hang = () => {};
const busy = { status: 503, headers: { "Retry-After": "0" }, body: { error: { code: "busy", field: null, message: "later" } } };

test("a ranking: path, key, body", async () => {
  const { url, requests } = await serve({ body: decision });
  const context = { a: [1, 0], b: [0, 1], c: [1, 1] };
  const client = new Client({ url: `${url}/lotor//`, key: "K" });
  assert.deepEqual(await client.rank("my shop/../x", { user: "u1", eligible: ["a", "b"], context }), decision);
  assert.equal(requests[0].method, "POST");
  assert.equal(requests[0].url, "/lotor/v1/campaigns/my%20shop%2F..%2Fx/rank");
  assert.equal(requests[0].headers.authorization, "Bearer K");
  assert.deepEqual(JSON.parse(requests[0].body), { user: "u1", eligible: ["a", "b"], context });
});

test("a reward is sent again when the service is busy, gone or silent, and always the same report", async () => {
  const { url, requests } = await serve(busy, drop, hang, { body: acknowledged });
  const client = new Client({ url, key: "K", timeout: 300 * PATIENCE, retries: 3, wasm: seededDevice(1) });
  const answered = { ...decision, randomizer: toldLaplace(1, 3) };
  const result = await client.reward(answered, { rewards: [1, 0, 0.5] });
  assert.equal(result.status, "acknowledged");
  assert.equal(requests.length, 4);
  assert.equal(new Set(requests.map(({ body }) => body)).size, 1);
  assert.equal(requests[0].body, JSON.stringify(result.sent));
});

test("a late answer is told, and not sent again", async () => {
  const { url, requests } = await serve({ body: { event: EVENT, status: "late" } });
  assert.deepEqual(await new Client({ url }).reward(decision, { rewards: [1, 0, 0] }), { event: EVENT, status: "late", sent: { rewards: [1, 0, 0] } });
  assert.equal(requests.length, 1);
});

test("what the service puts off is sent again, a ranking too", async () => {
  const full = { ...busy, status: 429, body: { error: { code: "too_many_open", field: null, message: "later" } } };
  const { url, requests } = await serve(full, busy, { body: decision });
  assert.deepEqual(await new Client({ url }).rank("c"), decision);
  assert.equal(requests.length, 3);
});

test("after all tries the last error is told, and the same report is there for the next call", async () => {
  const { url, requests } = await serve(drop, drop, { body: acknowledged });
  const client = new Client({ url, retries: 1, wasm: seededDevice(1) });
  await assert.rejects(client.reward({ ...decision, randomizer: toldLaplace(1, 3) }, { rewards: [1, 0, 0.5] }), { code: "network", status: null });
  await client.reward({ ...decision, randomizer: toldLaplace(1, 3) }, { rewards: [0, 0, 0] });
  assert.equal(requests.length, 3);
  assert.equal(new Set(requests.map(({ body }) => body)).size, 1);
});

test("a ranking is asked again only where the service says that nothing happened", async () => {
  const first = await serve(busy, { body: decision });
  await new Client({ url: first.url }).rank("shop");
  assert.equal(first.requests.length, 2);
  for (const [lost, code] of [[drop, "network"], [hang, "timeout"]]) {
    const { url, requests } = await serve(lost, { body: decision });
    await assert.rejects(new Client({ url, timeout: 200 * PATIENCE }).rank("shop"), { code, status: null });
    assert.equal(requests.length, 1);
  }
});

test("a reply that stops in the middle is a lost one", async () => {
  const half = (response) => {
    response.writeHead(200, { "Content-Type": "application/json", "Content-Length": 100 });
    response.write('{"event": ');
  };
  const cut = (response) => {
    half(response);
    setTimeout(() => response.destroy(), 50);
  };
  const { url, requests } = await serve(half, cut, { body: acknowledged });
  const result = await new Client({ url, timeout: 300 * PATIENCE }).reward(decision, { rewards: [1, 0, 0] });
  assert.equal(result.status, "acknowledged");
  assert.equal(requests.length, 3);
});

test("refusals are not repeated", async () => {
  const refusal = { status: 400, body: { error: { code: "bad_value", field: "rewards[0]", message: "expected a number" } } };
  const { url, requests } = await serve(refusal);
  await assert.rejects(new Client({ url }).reward(decision, { rewards: [1, 0, 0] }), (error) => {
    assert.ok(error instanceof LotorError);
    assert.deepEqual([error.code, error.field, error.status, error.message], ["bad_value", "rewards[0]", 400, "expected a number"]);
    return true;
  });
  assert.equal(requests.length, 1);
});

test("a reply that is not from the service is an error", async () => {
  for (const reply of [{ status: 404, body: "<html>" }, { status: 200, body: "<html>" }, { status: 500, body: {} }, { status: 418, body: { error: "tea" } }]) {
    const { url } = await serve(reply);
    await assert.rejects(new Client({ url }).rank("shop"), { name: "LotorError", code: "http", status: reply.status });
  }
  for (const body of [{}, { event: 1, arms: [] }, { event: null, arms: "a" }, { event: EVENT, arms: [1] }, []]) {
    const { url } = await serve({ body });
    await assert.rejects(new Client({ url }).rank("shop"), { name: "LotorError", code: "invalid" }, JSON.stringify(body));
  }
});

test("a report follows no redirect", async () => {
  const elsewhere = await serve({ body: acknowledged });
  const { url, requests } = await serve({ status: 307, headers: { Location: `${elsewhere.url}/v1/steal` }, body: {} });
  await assert.rejects(new Client({ url, retries: 0 }).reward(local, 1), { code: "network" });
  assert.equal(requests.length, 1);
  assert.equal(elsewhere.requests.length, 0);
});

test("the caller can stop waiting", async () => {
  const { url, requests } = await serve(hang);
  const control = new AbortController();
  const waiting = new Client({ url }).reward(decision, { rewards: [1, 0, 0] }, { signal: control.signal });
  setTimeout(() => control.abort(), 100 * PATIENCE);
  await assert.rejects(waiting, { name: "AbortError" });
  await assert.rejects(new Client({ url }).rank("shop", { signal: AbortSignal.abort() }), { name: "AbortError" });
  assert.equal(requests.length, 1);
});

test("where no feedback is wanted, none is sent", async () => {
  const { url, requests } = await serve({ body: acknowledged });
  assert.equal(await new Client({ url }).reward({ ...local, event: null }, 1), null);
  assert.equal(requests.length, 0);
});

test("answers that do not fit the list are refused before anything is sent or drawn", async () => {
  const { url, requests } = await serve({ body: acknowledged });
  const client = new Client({ url });
  for (const to of [decision, local]) {
    for (const answer of [4, -1, 1.5, "a", undefined, {}, { click: "d" }, { click: 4 }, { click: undefined }, { rewards: [1] }, { rewards: 1 }, { rewards: [1, 0, 0], click: 1 }, { report: 1 }]) {
      await assert.rejects(client.reward(to, answer), { name: "LotorError", code: "range" }, JSON.stringify(answer));
    }
  }
  await assert.rejects(client.reward(null, 1), { code: "invalid" });
  await assert.rejects(client.reward({ event: EVENT }, 1), { code: "invalid" });
  assert.equal(requests.length, 0);
});

// Otherwise a refusal would reveal the click to the service: clicks 3 and 4 of such a list would have no report.
test("a randomizer that not every answer fits is refused whatever the answer is", async () => {
  const { url, requests } = await serve({ body: acknowledged });
  const client = new Client({ url, wasm: seededDevice(1), range: [0, 1] });
  const arms = ["a", "b", "c", "d"];
  for (const mechanism of ["position", "bit"]) {
    const long = { ...decision, arms, randomizer: told({ mechanism, slot: 1, slots: 2 }) };
    for (const answer of [0, 1, 2, 3, 4, { click: null }]) {
      await assert.rejects(client.reward(long, answer), { code: "invalid", field: "slots" }, `${mechanism}: ${JSON.stringify(answer)}`);
    }
  }
  const narrow = { ...decision, randomizer: told({ mechanism: "bit", slot: 1, high: 0.5 }) };
  for (const reward of [0, 0.25, 1]) {
    await assert.rejects(client.reward(narrow, { rewards: [reward, 0, 0] }), { code: "invalid", field: "low" });
  }
  assert.equal(requests.length, 0);
});

// 1,000 randomizers, most of them invalid. With each, all feedback gives reports of one shape, or none gives a report.
test("whether there is a report does not depend on the answer, whatever the service tells", async () => {
  const device = seededDevice(2);
  let state = 1, reports = 0, refusals = 0;
  const pick = (values) => values[Math.floor(values.length * (state = (state * 16807) % 2147483647) / 2147483647)];
  for (let round = 0; round < 1000; round++) {
    const arms = Array.from({ length: pick([1, 2, 3, 5, 70]) }, (_, i) => pick(["a", "b", `c${i}`]));
    const randomizer = told({
      mechanism: pick(["bit", "position", "laplace", "cube"]), slot: pick([0, 1, 2, 5]), slots: pick([1, 2, 3, 5, 64, 1025]), epsilon: pick([1, "0.3", 600, 1e-18]),
      scale: pick([0, 2 ** 20, 2 ** 22, 2 ** 45, 2 ** 60]), unit: pick([0, 2 ** -20]), low: pick([0, 0, 0, -1]), high: pick([1, 1, 1, 0.5]),
    });
    const clicks = Array.from({ length: arms.length + 1 }, (_, click) => ({ click }));
    const rewards = [0, 1, 0.5, 5e-324, 1 - 2 ** -53].map((value) => ({ rewards: arms.map((_, i) => (i % 2 ? value : 1 - value)) }));
    for (const answers of [clicks, rewards]) {
      const outcomes = new Set();
      for (const answer of answers) {
        let sent = null;
        const fetch = async (_, { body }) => ((sent = JSON.parse(body)), new Response(JSON.stringify(acknowledged)));
        const client = new Client({ url: "http://127.0.0.1", range: [0, 1], wasm: device, fetch });
        await client.reward({ ...decision, arms, randomizer }, answer).catch((error) => (sent = error));
        const isReport = !(sent instanceof LotorError);
        assert.deepEqual(isReport ? Object.keys(sent) : ["report"], ["report"]);
        outcomes.add(isReport ? `a report of ${[sent.report].flat().length}` : sent.message);
        reports += isReport;
        refusals += !isReport;
      }
      assert.equal(outcomes.size, 1, `${arms.length} arms, ${JSON.stringify(randomizer)}: ${[...outcomes]}`);
    }
  }
  assert.ok(reports > 500 && refusals > 500, `${reports} reports, ${refusals} refusals`);
});

test("of the rewards the asked one is randomized", async () => {
  const { url, requests } = await serve({ body: acknowledged });
  const client = new Client({ url, wasm: seededDevice(1) });
  // epsilon 600: the report is false once in 10^260 times
  for (let slot = 1; slot <= 3; slot++) {
    const to = { ...decision, event: String(slot).repeat(64), randomizer: told({ mechanism: "bit", slot, epsilon: 600 }) };
    await client.reward(to, { rewards: [0, 1, 0] });
    assert.equal(requests.at(-1).body, `{"report":${slot === 2 ? 1 : 0}}`);
  }
});

test("a client needs an address", () => {
  assert.throws(() => new Client(), { code: "invalid", field: "url" });
});

test("an address that can't be one is refused at once", () => {
  for (const url of ["", "shop", "127.0.0.1:8080", "ftp://127.0.0.1/", "http://", "http://name:word@127.0.0.1", "http://127.0.0.1/?a=1", "http://127.0.0.1/#x", null, {}]) {
    assert.throws(() => new Client({ url }), (error) => error instanceof LotorError && error.code === "invalid" && error.field === "url", String(url));
  }
  for (const url of ["http://127.0.0.1:8080", new URL("https://example.org/lotor/"), "HTTP://EXAMPLE.ORG"]) {
    assert.ok(new Client({ url }));
  }
});

test("a randomizer that breaks a promise is refused before anything is shown", async () => {
  const { url } = await serve({ body: local });
  const { epsilon } = local.randomizer;
  await assert.rejects(new Client({ url, maxEpsilon: epsilon / 2 }).rank("c"), { code: "invalid", field: "epsilon" });
  await assert.rejects(new Client({ url, range: [0, 5] }).rank("c"), { code: "invalid", field: "low" });
  assert.deepEqual(await new Client({ url, maxEpsilon: epsilon, range: [0, 1] }).rank("c"), local);
  const batch = await serve({ body: { decisions: [local, decision] } });
  await assert.rejects(new Client({ url: batch.url, maxEpsilon: epsilon / 2 }).rankBatch("c", 2), { code: "invalid", field: "epsilon" });
  await assert.rejects(new Client({ url: batch.url, local: true }).rankBatch("c", 2), { code: "raw_feedback" });
});

test("a batch of decisions in as many requests as it needs", async () => {
  const many = (count) => ({ body: { decisions: Array(count).fill(decision) } });
  const { url, requests } = await serve(many(1000), many(500));
  assert.equal((await new Client({ url }).rankBatch("my shop", 1500)).length, 1500);
  assert.deepEqual(requests.map(({ body }) => JSON.parse(body)), [{ count: 1000 }, { count: 500 }]);
  assert.equal(requests[0].url, "/v1/campaigns/my%20shop/rank-batch");
  const wanted = [{ user: "u", eligible: ["a"] }, { context: { a: [1, 2] } }, {}];
  const listed = await serve(many(3), many(2));
  const client = new Client({ url: listed.url });
  assert.equal((await client.rankBatch("c", wanted)).length, 3);
  assert.deepEqual(JSON.parse(listed.requests[0].body), { requests: wanted });
  await assert.rejects(client.rankBatch("c", wanted), { code: "invalid" }); // 2 decisions for 3 requests
  assert.deepEqual(await client.rankBatch("c", []), []);
  for (const wrong of [0, -1, 1.5, "3", null, undefined]) {
    await assert.rejects(client.rankBatch("c", wrong), { code: "invalid", field: "wanted" });
  }
  const long = Array(40).fill({ user: "u".repeat(500), context: { a: Array(300).fill(0.125) } });
  const split = await serve((response) => response.destroy());
  await assert.rejects(new Client({ url: split.url, retries: 0 }).rankBatch("c", long), { code: "network" });
  assert.ok(split.requests[0].body.length < 65536);
});

test("rewards of a batch: counted together, refused by their place in the list", async () => {
  const refused = (index) => ({ index, code: "no_such_event", field: `rewards[${index}].event`, message: "m" });
  const { url, requests } = await serve(
    { body: { acknowledged: 998, late: 1, refused: [refused(3)] } },
    { status: 404, body: { error: { code: "no_such_event", field: "rewards[0].event", message: "m" }, refused: [refused(0), refused(1)] } },
  );
  const event = (i) => String(i).padStart(64, "e");
  const list = Array.from({ length: 1004 }, (_, i) => ({ decision: { ...decision, event: i % 502 === 1 ? null : event(i) }, feedback: 0 }));
  const result = await new Client({ url }).rewards(list);
  assert.deepEqual([result.acknowledged, result.late], [998, 1]);
  const bodies = requests.map(({ body }) => JSON.parse(body).rewards);
  const sent = bodies.flat();
  assert.equal(sent.length, 1002);
  assert.deepEqual(sent[0], { event: event(0), click: null });
  assert.deepEqual(bodies.map((each) => each.length).filter((count) => count > 1000), []);
  // an index is a place in the list, though two of its decisions want no feedback
  assert.deepEqual(result.refused.map(({ index }) => list[index].decision.event), [sent[3].event, sent[bodies[0].length].event, sent[bodies[0].length + 1].event]);
});

test("rewards of a batch: those that are refused for now are sent again, the others are not", async () => {
  const refused = (...items) => ({ acknowledged: 0, late: 0, refused: items.map(([index, code]) => ({ index, code, field: null, message: "m" })) });
  const list = [0, 1, 2, 3, 4].map((i) => ({ decision: { ...decision, event: String(i) }, feedback: 0 }));
  const sent = ({ requests }) => requests.map(({ body }) => JSON.parse(body).rewards.map(({ event }) => event).join(""));
  const mixed = await serve({ body: refused([1, "not_recorded_yet"], [2, "bad_value"], [4, "campaign_broken"]) }, { body: refused([0, "store"]) }, { body: refused() });
  const result = await new Client({ url: mixed.url }).rewards(list);
  assert.deepEqual(result.refused.map(({ index, code }) => [index, code]), [[2, "bad_value"]]);
  assert.deepEqual(sent(mixed), ["01234", "14", "1"]);
  // as often as a whole request
  const lasting = await serve({ body: refused([0, "store"]) });
  assert.deepEqual((await new Client({ url: lasting.url }).rewards(list)).refused.map(({ index, code }) => [index, code]), [[0, "store"]]);
  assert.equal(lasting.requests.length, 3);
  // if all are refused for now, the reply is an error, and was tried again already
  const none = await serve({ status: 503, headers: { "Retry-After": "0" }, body: { ...refused([0, "store"]), error: { code: "store", field: null, message: "m" } } });
  assert.equal((await new Client({ url: none.url }).rewards(list)).refused.length, 1);
  assert.equal(none.requests.length, 3);
});

test("an error that names no refused reward is an error", async () => {
  for (const refused of [[], {}, "x", null, undefined]) {
    const { url } = await serve({ status: 400, body: { error: { code: "bad_value", field: "rewards", message: "m" }, refused } });
    await assert.rejects(new Client({ url }).rewards([{ decision, feedback: 0 }]), { code: "bad_value", refused: null });
  }
});

test("rewards of a batch: only reports are sent of local decisions, and nothing if one has none", async () => {
  const { url, requests } = await serve({ body: { acknowledged: 2, late: 0, refused: [] } });
  const client = new Client({ url, local: true, wasm: seededDevice(1) });
  const other = { ...local, event: "f".repeat(64) };
  await assert.rejects(client.rewards([{ decision: local, feedback: 1 }, { decision, feedback: 1 }]), { code: "raw_feedback" });
  await assert.rejects(client.rewards([{ decision: local, feedback: 1 }, { decision: other, feedback: 9 }]), { code: "range" });
  assert.equal(requests.length, 0);
  assert.equal((await client.rewards([{ decision: local, feedback: 1 }, { decision: other, feedback: 2 }])).acknowledged, 2);
  for (const reward of JSON.parse(requests[0].body).rewards) {
    assert.deepEqual(Object.keys(reward), ["event", "report"]);
  }
  assert.deepEqual(await client.rewards([]), { acknowledged: 0, late: 0, refused: [] });
});
