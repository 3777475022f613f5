// index.d.ts - the types of lotor-client.

/** Where lotor.wasm is: its bytes, a compiled module, or its address. By default the file beside index.js. */
export type Wasm = ArrayBuffer | ArrayBufferView | WebAssembly.Module | URL | string;

export type Mechanism = "bit" | "position" | "laplace" | "cube";

/** What the service tells the person's device to do, with each decision of a local campaign. */
export interface RandomizerSettings {
  readonly mechanism: Mechanism;
  /** Which place of the list the report is about, from 1; 0: all. */
  readonly slot: number;
  /** The privacy budget of one report: a number, or a decimal as text. */
  readonly epsilon: number | string;
  /** Of Laplace noise, in units; else 0. */
  readonly scale: number;
  /** The size of a unit, for Laplace reports; else 0. */
  readonly unit: number;
  /** The least reward. */
  readonly low: number;
  /** The largest reward. */
  readonly high: number;
  /** The most arms of a list. */
  readonly slots: number;
}

/** What may be sent: bit and position reports are one number, laplace and cube reports are lists. */
export interface Report {
  report: number | number[];
}

export interface RandomizerOptions {
  wasm?: Wasm;
  /** Refuse a randomizer that promises less privacy than this. */
  maxEpsilon?: number | null;
  /** Refuse a randomizer for rewards of another range, [least, largest]: one that your rewards do not fit could tell
   * by what it refuses. */
  range?: readonly [number, number] | null;
}

/** A click's place from 1 (0: none), or the rewards that are asked for: of the arm in place `slot`, or of all. */
export type DeviceAnswer = number | { click: number } | { rewards: readonly number[] };

/** Makes private reports, on the person's own device. */
export class Randomizer {
  /** Throws a LotorError (`invalid`) for settings that make no sense. */
  constructor(settings: RandomizerSettings, options?: RandomizerOptions);
  /** A copy of the settings, which can't be changed. */
  readonly settings: Readonly<RandomizerSettings>;
  /**
   * One report, with fresh noise from the system's cryptographic randomness: make and send one per decision.
   * Rejects with a LotorError: `invalid` (the settings do not keep their promise), `range` (the answer),
   * `entropy` (no randomness), `memory`, `wasm` (it could not be loaded). Then there is no report.
   */
  report(answer: DeviceAnswer): Promise<Report>;
}

export interface RankRequest {
  /** Who asks, in campaigns with rounds_per_user. */
  user?: string | null;
  /** The arms that may be shown; taken as public. */
  eligible?: readonly string[] | null;
  /** Linear campaigns: from each arm's id to its numbers. */
  context?: Readonly<Record<string, readonly number[]>> | null;
  signal?: AbortSignal;
}

export interface Decision {
  /** Null where no feedback is wanted. */
  event: string | null;
  /** What to show, in this order. */
  arms: string[];
  /** Unix seconds. */
  expires: number | null;
  propensity: number | null;
  /** Local campaigns. */
  randomizer?: RandomizerSettings;
}

/** A click (its place from 1, the arm, or 0 or null for none), or a reward for each shown arm. */
export type Answer = number | null | { click: number | string | null } | { rewards: readonly number[] };

export interface Acknowledged {
  event: string;
  /** "late": it came after its round was over, and does not count; one that was acknowledged before does. */
  status: "acknowledged" | "late";
  /** The body that was sent. */
  sent: Report | { click: string | null } | { rewards: readonly number[] };
}

export interface ClientOptions extends RandomizerOptions {
  /** The service's address; a path in it is kept. */
  url: string | URL;
  key?: string;
  /** Refuse decisions without a randomizer: feedback is then never sent as it is. How near to it a report may be is what
   * `maxEpsilon` bounds. */
  local?: boolean;
  /** Milliseconds for one try: 10000 unless given. */
  timeout?: number;
  /** How many more tries where that is safe: 2 unless given. */
  retries?: number;
  fetch?: typeof fetch;
}

/** Asks the decision service what to show, and tells it what came back. */
export class Client {
  constructor(options: ClientOptions);
  rank(campaign: string, request?: RankRequest): Promise<Decision>;
  /**
   * In a local campaign the answer is randomized here and only the report is sent; calling it again for the
   * same decision sends the same report. Resolves to null where no feedback is wanted.
   */
  reward(decision: Decision, answer: Answer, options?: { signal?: AbortSignal }): Promise<Acknowledged | null>;
}

/** What went wrong: here, or at the service. */
export class LotorError extends Error {
  constructor(code: string, message: string, more?: { field?: string | null; status?: number | null; cause?: unknown });
  /** Stable: the service's codes, and here invalid, range, entropy, memory, wasm, raw_feedback, timeout,
   * network, http. */
  readonly code: string;
  /** Where in the request, or which setting; null when it is about none. */
  readonly field: string | null;
  /** Of HTTP; null when it happened here. */
  readonly status: number | null;
}
