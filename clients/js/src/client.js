// client.js - requests decisions and sends feedback.
//
// A decision that has a randomizer belongs to a local campaign: its feedback is randomized here,
// once, and only the report is sent. There is no other way to send feedback for it.
import { askedAnswer, rawAnswer } from "./answer.js";
import { LotorError } from "./error.js";
import { Http } from "./http.js";
import { decisionOf } from "./openfeature.js";
import { Randomizer } from "./randomizer.js";

const MOST_KEPT = 10000; // reports that are kept for repeated calls

function checkDecision(decision) {
  const { event, arms } = decision ?? {};
  if (!(event === null || typeof event === "string") || !Array.isArray(arms) || !arms.every((arm) => typeof arm === "string")) {
    throw new LotorError("invalid", "this is no decision: give what rank resolved to");
  }
}

const isLocal = (decision) => "randomizer" in decision && decision.randomizer !== undefined;

export class Client {
  #http;
  #randomizing;
  #local;
  #reports = new Map(); // maps an event to its only report

  constructor({ url, key, local = false, maxEpsilon = null, range = null, wasm, timeout = 10000, retries = 2, fetch } = {}) {
    if (url === undefined) {
      throw new LotorError("invalid", "a client needs the service's address: new Client({url, key})", { field: "url" });
    }
    this.#http = new Http({ url, key, timeout, retries, fetch });
    this.#randomizing = { wasm, maxEpsilon, range };
    this.#local = local;
  }

  /** Requests a decision. Resolves to it: {event, arms, expires, propensity, randomizer?}. */
  async rank(campaign, { signal, ...request } = {}) {
    const path = `v1/campaigns/${encodeURIComponent(campaign)}/rank`;
    const decision = await this.#http.post(path, request, { repeatable: false, signal });
    checkDecision(decision);
    this.#checkModel(decision);
    return decision;
  }

  /** Sends feedback. Resolves to {event, status, sent}; `sent` is the body that was sent. Resolves
   * to null if no feedback is wanted (the decision's event is null). */
  async reward(decision, answer, { signal } = {}) {
    checkDecision(decision);
    this.#checkModel(decision);
    if (decision.event === null) {
      return null;
    }
    const sent = isLocal(decision) ? await this.#reportOnce(decision, answer) : rawAnswer(answer, decision);
    const path = `v1/events/${encodeURIComponent(decision.event)}/reward`;
    const reply = await this.#http.post(path, sent, { repeatable: true, signal });
    return { ...reply, sent };
  }

  /** Sends feedback for a flag of OpenFeature: `details` is what getStringDetails resolved to. Resolves as `reward` does, and
   * to null if the evaluation failed: then the application's default was shown, and there is no decision. */
  async track(details, answer, options) {
    const decision = decisionOf(details);
    return decision === null ? null : this.reward(decision, answer, options);
  }

  // A client for local campaigns sends nothing to a server that leaves the randomizer out. Past a horizon or a
  // user's cap, no feedback is wanted and there is no randomizer. The arms are to be shown all the same.
  #checkModel(decision) {
    if (this.#local && decision.event !== null && !isLocal(decision)) {
      throw new LotorError("raw_feedback", "this client is for local campaigns, and the decision has no randomizer: nothing is sent");
    }
  }

  // Two reports of the same feedback reveal more than one. So a repeated call gets the first report.
  #reportOnce(decision, answer) {
    const { event } = decision;
    let report = this.#reports.get(event);
    if (!report) {
      report = this.#randomize(decision, answer);
      this.#reports.set(event, report);
      report.catch(() => this.#reports.delete(event)); // there is no report
      if (this.#reports.size > MOST_KEPT) {
        this.#reports.delete(this.#reports.keys().next().value);
      }
    }
    return report;
  }

  // All checks of the decision come before the feedback is read. Otherwise a missing report could reveal the feedback.
  async #randomize(decision, answer) {
    const randomizer = new Randomizer(decision.randomizer, this.#randomizing);
    const { slots } = randomizer.settings;
    if (decision.arms.length > slots) {
      throw new LotorError("invalid", `the randomizer is for lists of ${slots} at most, and this one has ${decision.arms.length}: a click ` +
        "beyond would have no report, and so would be told", { field: "slots" });
    }
    return randomizer.report(askedAnswer(answer, decision));
  }
}
