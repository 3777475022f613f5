// types.ts - code that index.d.ts must accept, and (with @ts-expect-error) must refuse.
import { Client, LotorError, Randomizer } from "lotor-client";
import type { Acknowledged, Feedback, Decision, RandomizerSettings, Report } from "lotor-client";

const settings: RandomizerSettings = {
  mechanism: "position", slot: 0, epsilon: 1, scale: 0, unit: 0, low: 0, high: 1, slots: 3,
};
const randomizer = new Randomizer(settings, { wasm: new URL("https://example.org/lotor.wasm"), maxEpsilon: 2, range: [0, 1] });

export async function reports(): Promise<Report[]> {
  const one: Report = await randomizer.report(2);
  const numbers: number | number[] = one.report;
  void numbers;
  return [one, await randomizer.report({ click: 0 }), await randomizer.report({ rewards: [0.5, 1] })];
}

export async function asks(bytes: Uint8Array): Promise<Acknowledged | null> {
  const client = new Client({ url: "https://example.org", key: "K", local: true, wasm: bytes, timeout: 1000, retries: 1, fetch });
  const decision: Decision = await client.rank("shop", { user: "u", eligible: ["a"], context: { a: [1, 2] } });
  const feedback: Feedback[] = [0, 1, null, { click: "a" }, { click: null }, { rewards: [1] }];
  const several: Decision[] = [...(await client.rankBatch("shop", 3)), ...(await client.rankBatch("shop", [{ user: "u" }, { eligible: ["a"] }]))];
  const { acknowledged, late, refused } = await client.rewards(several.map((each) => ({ decision: each, feedback: 0 })));
  console.log(acknowledged + late, refused.map(({ index, code }) => `${index.toFixed()} ${code}`));
  await client.track({ flagMetadata: { arms: "a" } }, 1);
  return client.reward(decision, feedback[0] ?? 0, { signal: new AbortController().signal });
}

export function why(error: unknown): string {
  if (!(error instanceof LotorError)) return "";
  const code: string = error.code;
  return `${code} ${error.field ?? "-"} ${error.status?.toFixed() ?? "-"} ${error.message}`;
}

// @ts-expect-error: no such mechanism
new Randomizer({ ...settings, mechanism: "raw" });
// @ts-expect-error: a setting is missing
new Randomizer({ mechanism: "bit" });
// @ts-expect-error: not feedback
void randomizer.report("2");
// @ts-expect-error: a batch is a number or a list
void new Client({ url: "http://127.0.0.1" }).rankBatch("shop", "3");
// @ts-expect-error: an address is needed
new Client({ key: "K" });
// @ts-expect-error: settings can't be changed
randomizer.settings.epsilon = 3;
