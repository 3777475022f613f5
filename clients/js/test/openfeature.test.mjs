// openfeature.test.mjs - OpenFeature's own packages with a real `lotor serve`: a flag is a campaign, its value is the arm to
// show, and `track` sends the reward.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { startService } from "./serving.mjs";
import { Client, LotorError, PACKAGE, PATIENCE } from "./support.mjs";

const folder = process.env.LOTOR_OPENFEATURE;
if (!folder) {
  throw new Error("LOTOR_OPENFEATURE is not set: use clients/js/test/run");
}
const require = createRequire(join(folder, "package.json"));
const { OpenFeature } = require("@openfeature/server-sdk");
const { OFREPProvider } = require("@openfeature/ofrep-provider");

const ARMS = ["tea", "coffee", "cocoa"];
let service, flags, lotor;

before(async () => {
  service = await startService();
  lotor = new Client({ url: service.url, key: service.key });
  await OpenFeature.setProviderAndWait(new OFREPProvider({ baseUrl: service.url, headers: [["Authorization", `Bearer ${service.key}`]] }));
  flags = OpenFeature.getClient();
});
after(async () => {
  await OpenFeature.close();
  await service?.stop();
});

async function campaign(name, more = {}) {
  const { status, body } = await service.ask("/v1/campaigns", { name, algorithm: "batch-klucb", arms: ARMS, epsilon: 1, wait_seconds: 600, ...more });
  assert.equal(status, 201, JSON.stringify(body));
}

test("a flag is evaluated, its reward is sent, and it counts", async () => {
  // With this epsilon there is almost no noise, and a round ends with its feedback.
  await campaign("home", { epsilon: 1000, early_release: true });
  const shown = new Map();
  for (let round = 0; round < 120; round++) {
    const details = await flags.getStringDetails("home", "tea", { targetingKey: "person", country: "CH" });
    assert.ok(ARMS.includes(details.value));
    assert.deepEqual([details.variant, details.reason, details.errorCode], [details.value, "SPLIT", undefined]);
    const { status } = await lotor.track(details, { rewards: [details.value === "cocoa" ? 1 : 0] });
    assert.equal(status, "acknowledged");
    shown.set(details.flagMetadata.event, details.value);
  }
  assert.equal(shown.size, 120, "each evaluation is a decision of its own");
  let arms;
  for (let tries = 0; tries < 100 * PATIENCE; tries++) {
    ({ arms } = (await service.ask("/v1/campaigns/home")).body);
    if (arms.every(({ count }) => count > 0)) {
      break;
    }
    await pause(100);
  }
  for (const { id, mean } of arms) {
    assert.ok(Math.abs(mean - (id === "cocoa" ? 1 : 0)) < 0.1, `${id}: ${mean}`);
  }
  assert.equal(arms.reduce((sum, arm) => sum + arm.shown, 0), 120);
});

test("a list, and clicks", async () => {
  await campaign("list", { algorithm: "cascade-dp-lazy", slots: 2, feedback: "clicks" });
  const details = await flags.getStringDetails("list", "tea");
  const arms = details.flagMetadata.arms.split(",");
  assert.equal(arms.length, 2);
  assert.equal(arms[0], details.value);
  assert.deepEqual((await lotor.track(details, 2)).sent, { click: arms[1] });
});

test("targetingKey is the user: past the cap feedback counts for nothing, and nobody learns that", async () => {
  await campaign("capped", { rounds_per_user: 1 });
  for (let i = 0; i < 3; i++) {
    const details = await flags.getStringDetails("capped", "tea", { targetingKey: "u" });
    assert.equal((await lotor.track(details, { rewards: [1] })).status, "acknowledged");
  }
});

test("past the cap of a sticky campaign no feedback is wanted", async () => {
  await campaign("kept", { rounds_per_user: 1, sticky_seconds: 1 });
  const ask = (arm) => flags.getStringDetails("kept", arm, { targetingKey: "u", eligible: [arm] });
  assert.equal((await lotor.track(await ask("tea"), { rewards: [1] })).status, "acknowledged");
  const second = await ask("coffee");
  assert.equal(second.value, "coffee");
  assert.equal(await lotor.track(second, { rewards: [1] }), null);
  await campaign("users", { rounds_per_user: 1 });
  const none = await flags.getStringDetails("users", "water", {});
  assert.deepEqual([none.value, none.reason, none.errorCode], ["water", "ERROR", "TARGETING_KEY_MISSING"]);
});

test("eligible arms and contexts are attributes", async () => {
  await campaign("some");
  for (let i = 0; i < 5; i++) {
    assert.equal((await flags.getStringDetails("some", "tea", { eligible: ["coffee"] })).value, "coffee");
  }
  await campaign("features", { algorithm: "jdp-batch", dimension: 2, horizon: 1000 });
  const context = { tea: [1, 0], coffee: [0, 1], cocoa: [0.5, 0.5] };
  const details = await flags.getStringDetails("features", "tea", { context });
  assert.equal(details.errorCode, undefined, details.errorMessage);
  assert.equal((await lotor.track(details, { rewards: [1] })).status, "acknowledged");
});

test("in a local campaign only a report is sent", async () => {
  await campaign("local", { algorithm: "rr-klucb" });
  const careful = new Client({ url: service.url, key: service.key, local: true, maxEpsilon: 1, range: [0, 1] });
  const details = await flags.getStringDetails("local", "tea");
  const { sent, status } = await careful.track(details, { rewards: [1] });
  assert.equal(status, "acknowledged");
  assert.deepEqual(Object.keys(sent), ["report"]);
  const flagMetadata = { ...details.flagMetadata };
  delete flagMetadata.randomizer;
  await assert.rejects(careful.track({ ...details, flagMetadata }, { rewards: [1] }), { code: "raw_feedback" });
  await assert.rejects(careful.track({ ...details, flagMetadata: { ...flagMetadata, randomizer: "{" } }, { rewards: [1] }), { code: "invalid" });
});

test("errors reach the application, with its default", async () => {
  const cases = [
    ["nowhere", {}, "FLAG_NOT_FOUND", /nowhere|campaign/],
    ["home", { eligible: [5] }, "INVALID_CONTEXT", /^eligible\[0\]: /],
    ["home", { eligible: 1 }, "INVALID_CONTEXT", /^eligible: /],
  ];
  for (const [key, context, code, message] of cases) {
    const details = await flags.getStringDetails(key, "water", context);
    assert.deepEqual([details.value, details.errorCode], ["water", code]);
    assert.match(details.errorMessage, message);
    assert.equal(await lotor.track(details, { rewards: [1] }), null, "the default was shown: there is no decision");
  }
  await service.ask("/v1/campaigns/some/close", {});
  const closed = await flags.getStringDetails("some", "water");
  assert.deepEqual([closed.value, closed.errorCode], ["water", "GENERAL"]);
  assert.match(closed.errorMessage, /closed/);
});

test("only an evaluation of a campaign can be tracked", async () => {
  for (const details of [null, "tea", { value: "tea" }, { value: true, flagMetadata: {} }, { flagMetadata: { arms: 3 } }]) {
    await assert.rejects(lotor.track(details, 1), (error) => error instanceof LotorError && error.code === "invalid" && error.field === "details");
  }
});

test("the program of docs/openfeature.md", async () => {
  await campaign("banner", { arms: ["tea", "coffee"] });
  const page = readFileSync(join(dirname(fileURLToPath(import.meta.url)), "../../../docs/openfeature.md"), "utf8");
  const [, program] = /^```js\n(.*?)^```/ms.exec(page);
  const link = join(folder, "node_modules/lotor-client"), file = join(folder, "page.mjs");
  rmSync(link, { force: true });
  symlinkSync(PACKAGE, link);
  writeFileSync(file, program.replace("http://127.0.0.1:8080", service.url).replace('"KEY"', JSON.stringify(service.key)));
  const { stdout } = await promisify(execFile)(process.execPath, [file], { timeout: 30000 * PATIENCE });
  assert.match(stdout, /^show: (tea|coffee)\nreward: acknowledged\n$/);
});
