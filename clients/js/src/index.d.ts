// index.d.ts - the types of lotor-client.

/** lotor.wasm: its bytes, a compiled module, or its address. Default: the file next to index.js. */
export type Wasm = ArrayBuffer | ArrayBufferView | WebAssembly.Module | URL | string;

export type Mechanism = "bit" | "sum-bit" | "click-bit" | "position" | "laplace" | "cube";

/** How the person's device must randomize feedback. The service sends it with each decision of a
 * local campaign. */
export interface RandomizerSettings {
  readonly mechanism: Mechanism;
  /** The slot that the report is about, from 1; 0: all. */
  readonly slot: number;
  /** The privacy budget of one report: a number, or a decimal as text. */
  readonly epsilon: number | string;
  /** The scale of Laplace noise, in units; otherwise 0. */
  readonly scale: number;
  /** The size of a unit, for Laplace reports; otherwise 0. */
  readonly unit: number;
  /** The smallest reward. */
  readonly low: number;
  /** The largest reward. */
  readonly high: number;
  /** The largest number of arms in a list. */
  readonly slots: number;
}

/** A report, which may be sent. Laplace and cube reports are lists, all others are one number. */
export interface Report {
  report: number | number[];
}

export interface RandomizerOptions {
  wasm?: Wasm;
  /** Refuse a randomizer with a larger epsilon than this. */
  maxEpsilon?: number | null;
  /** Refuse a randomizer for rewards of another range, [smallest, largest]. If your rewards did not
   * fit, its refusals could reveal them. */
  range?: readonly [number, number] | null;
}

/** The position of a click from 1 (0: none), or the rewards of the asked arms: of the arm in
 * position `slot`, or of all. */
export type DeviceFeedback = number | { click: number } | { rewards: readonly number[] };

/** Makes private reports on the person's device. */
export class Randomizer {
  /** Throws a LotorError (`invalid`) if the settings are not valid. */
  constructor(settings: RandomizerSettings, options?: RandomizerOptions);
  /** A copy of the settings, which can't be changed. */
  readonly settings: Readonly<RandomizerSettings>;
  /**
   * Makes one report, with new noise from the system's cryptographic random bytes. Make and send
   * one per decision. Rejects with a LotorError if there is no report: `invalid` (the settings do
   * not give their epsilon), `range` (the feedback is outside the range), `entropy` (no random
   * bytes), `memory`, `wasm` (it could not be loaded).
   */
  report(feedback: DeviceFeedback): Promise<Report>;
}

export interface RankRequest {
  /** The user, in campaigns with rounds_per_user, a budget or sticky_seconds. */
  user?: string | null;
  /** The arms that may be shown. The list counts as public. */
  eligible?: readonly string[] | null;
  /** Linear campaigns: maps the id of each arm to its numbers. */
  context?: Readonly<Record<string, readonly number[]>> | null;
  signal?: AbortSignal;
}

/** A request of a batch. */
export type BatchRequest = Omit<RankRequest, "signal">;

export interface Decision {
  /** Null: no feedback is wanted. */
  event: string | null;
  /** The arms to show, in this order. */
  arms: string[];
  /** Unix seconds. */
  expires: number | null;
  /** Of a control round: the probability of this list, given the role and the eligible arms. Null: not known. */
  propensity: number | null;
  /** Campaigns with an evaluation: what the round is for. */
  role?: "learn" | "measure" | "control";
  /** Local campaigns. */
  randomizer?: RandomizerSettings;
}

/** A click (its position from 1, or the arm; 0 or null: no click), or a reward for each shown
 * arm. */
export type Feedback = number | null | { click: number | string | null } | { rewards: readonly number[] };

export interface Acknowledged {
  event: string;
  /** "late": the feedback came after the round was over, and does not count. Feedback that was
   * acknowledged before still counts. */
  status: "acknowledged" | "late";
  /** The body that was sent. */
  sent: Report | { click: string | null } | { rewards: readonly number[] };
}

export interface RefusedReward {
  /** Its place in the list, from 0. */
  index: number;
  /** The service's code: `bad_value`, `no_such_event`, ... */
  code: string;
  field: string | null;
  message: string;
}

export interface AcknowledgedMany {
  /** How many are on disk. */
  acknowledged: number;
  /** How many came after their rounds were over, and do not count. */
  late: number;
  refused: RefusedReward[];
}

/** The part of OpenFeature's EvaluationDetails that `track` reads. */
export interface FlagDetails {
  readonly flagMetadata?: Readonly<Record<string, string | number | boolean>>;
  readonly errorCode?: string;
}

export interface ClientOptions extends RandomizerOptions {
  /** The service's address; a path in it is kept. */
  url: string | URL;
  key?: string;
  /** Refuse decisions without a randomizer, so that raw feedback is never sent. `maxEpsilon` limits
   * how much a report may reveal. */
  local?: boolean;
  /** Milliseconds for one attempt (default: 10000). */
  timeout?: number;
  /** How often a request is repeated if that is safe (default: 2). */
  retries?: number;
  fetch?: typeof fetch;
}

/** Requests decisions from the service, and sends feedback to it. */
export class Client {
  constructor(options: ClientOptions);
  rank(campaign: string, request?: RankRequest): Promise<Decision>;
  /**
   * Sends feedback. In a local campaign the feedback is randomized here, and only the report is
   * sent. Another call for the same decision sends the same report. Resolves to null if no feedback
   * is wanted.
   */
  reward(decision: Decision, feedback: Feedback, options?: { signal?: AbortSignal }): Promise<Acknowledged | null>;
  /** Requests several decisions: how many, or one for each request of a list. Long lists are sent in parts. */
  rankBatch(campaign: string, wanted: number | readonly BatchRequest[], options?: { signal?: AbortSignal }): Promise<Decision[]>;
  /** Sends feedback for several decisions. Each is accepted or refused for itself. Long lists are sent in parts. If the feedback
   * of one can't be made into a body, nothing is sent. */
  rewards(list: readonly { decision: Decision; feedback: Feedback }[], options?: { signal?: AbortSignal }): Promise<AcknowledgedMany>;
  /**
   * Sends feedback for a flag of OpenFeature. `details` is what getStringDetails resolved to. Resolves as `reward` does,
   * and to null if the evaluation failed, because then the application's default was shown.
   */
  track(details: FlagDetails, feedback: Feedback, options?: { signal?: AbortSignal }): Promise<Acknowledged | null>;
}

/** An error of this package or of the service. */
export class LotorError extends Error {
  constructor(code: string, message: string, more?: { field?: string | null; status?: number | null; cause?: unknown; refused?: RefusedReward[] | null });
  /** Stable codes: those of the service, and of this package invalid, range, entropy, memory, wasm,
   * raw_feedback, timeout, network, http. */
  readonly code: string;
  /** The field of the request or the setting that is wrong; null if there is none. */
  readonly field: string | null;
  /** The HTTP status; null for errors of this package. */
  readonly status: number | null;
  /** The refused rewards of a request of which nothing was accepted; otherwise null. */
  readonly refused: RefusedReward[] | null;
}
