// client.js - requests decisions and sends feedback.
//
// A decision that has a randomizer belongs to a local campaign: its feedback is randomized here,
// once, and only the report is sent. There is no other way to send feedback for it.
import { askedFeedback, rawFeedback } from "./feedback.js";
import { LotorError } from "./error.js";
import { Http } from "./http.js";
import { decisionOf } from "./openfeature.js";
import { Randomizer } from "./randomizer.js";

const MOST_KEPT = 10000; // reports that are kept for repeated calls
const MOST_ITEMS = 1000; // decisions or rewards in one request
const MOST_BYTES = 65000; // of the items in one request; the service reads 65,536
const FOR_NOW = new Set(["store", "not_recorded_yet", "campaign_broken", "stopping"]); // codes of rewards that may be accepted later

function checkDecision(decision) {
  const { event, arms } = decision ?? {};
  if (!(event === null || typeof event === "string") || !Array.isArray(arms) || !arms.every((arm) => typeof arm === "string")) {
    throw new LotorError("invalid", "this is not a decision: pass the value that rank resolved to");
  }
}

/** Cuts a list into parts that fit into one request each. */
function* partsOf(list) {
  let part = [], bytes = 0;
  for (const item of list) {
    const length = new TextEncoder().encode(JSON.stringify(item)).length + 1;
    if (part.length > 0 && (part.length === MOST_ITEMS || bytes + length > MOST_BYTES)) {
      yield part;
      part = [], bytes = 0;
    }
    part.push(item);
    bytes += length;
  }
  if (part.length > 0) {
    yield part;
  }
}

/** The bodies of requests for `count` decisions, or for a list of them. */
function* batchesOf(wanted) {
  if (Array.isArray(wanted)) {
    for (const requests of partsOf(wanted)) {
      yield { body: { requests }, count: requests.length };
    }
    return;
  }
  if (!Number.isInteger(wanted) || wanted < 1) {
    throw new LotorError("invalid", "give how many decisions are wanted, from 1, or a list of requests", { field: "wanted" });
  }
  for (let left = wanted; left > 0; left -= MOST_ITEMS) {
    const count = Math.min(left, MOST_ITEMS);
    yield { body: { count }, count };
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

  /** Requests several decisions: `wanted` is how many, or a list of requests {user?, eligible?, context?}. Resolves to a list of
   * decisions, in the same order. */
  async rankBatch(campaign, wanted, { signal } = {}) {
    const path = `v1/campaigns/${encodeURIComponent(campaign)}/rank-batch`;
    const decisions = [];
    for (const { body, count } of batchesOf(wanted)) {
      const reply = await this.#http.post(path, body, { repeatable: false, signal });
      if (!Array.isArray(reply.decisions) || reply.decisions.length !== count) {
        throw new LotorError("invalid", `the service did not make the ${count} decisions that were asked for`);
      }
      decisions.push(...reply.decisions);
    }
    decisions.forEach((decision) => {
      checkDecision(decision);
      this.#checkModel(decision);
    });
    return decisions;
  }

  /** Sends feedback. Resolves to {event, status, sent}; `sent` is the body that was sent. Resolves
   * to null if no feedback is wanted (the decision's event is null). */
  async reward(decision, feedback, { signal } = {}) {
    checkDecision(decision);
    this.#checkModel(decision);
    if (decision.event === null) {
      return null;
    }
    const sent = isLocal(decision) ? await this.#reportOnce(decision, feedback) : rawFeedback(feedback, decision);
    const path = `v1/events/${encodeURIComponent(decision.event)}/reward`;
    const reply = await this.#http.post(path, sent, { repeatable: true, signal });
    return { ...reply, sent };
  }

  /** Sends feedback for several decisions: [{decision, feedback}, ...]. Resolves to {acknowledged, late, refused}: how many are on
   * disk, how many came too late, and the refused ones as [{index, code, field, message}]. Rewards that the service can't accept for
   * now are sent again, as often as a whole request is. Decisions that want no feedback are left out. If there is no body for one of
   * them, nothing is sent. */
  async rewards(list, { signal } = {}) {
    const items = [];
    for (const [index, { decision, feedback }] of list.entries()) {
      checkDecision(decision);
      this.#checkModel(decision);
      if (decision.event !== null) {
        const sent = isLocal(decision) ? await this.#reportOnce(decision, feedback) : rawFeedback(feedback, decision);
        items.push({ index, reward: { event: decision.event, ...sent } });
      }
    }
    const total = { acknowledged: 0, late: 0, refused: [] };
    let done = 0;
    for (const rewards of partsOf(items.map(({ reward }) => reward))) {
      const reply = await this.#sendPart(rewards, signal);
      total.acknowledged += reply.acknowledged;
      total.late += reply.late;
      total.refused.push(...reply.refused.map((each) => ({ ...each, index: items[done + each.index].index })));
      done += rewards.length;
    }
    return total;
  }

  // Sends the rewards of one request. Those that the service can't accept for now are sent again, unchanged. If it accepts none
  // of them for now (503), `post` did so already.
  async #sendPart(rewards, signal) {
    const total = { acknowledged: 0, late: 0, refused: [] };
    let places = [...rewards.keys()];
    for (let tries = 0; ; tries++) {
      const reply = await this.#sendRewards(places.map((place) => rewards[place]), signal);
      const refused = reply.refused.map((each) => ({ ...each, index: places[each.index] }));
      const isLast = tries >= this.#http.retries || reply.status === 503;
      const again = refused.filter(({ code }) => FOR_NOW.has(code) && !isLast);
      total.acknowledged += reply.acknowledged;
      total.late += reply.late;
      total.refused.push(...refused.filter((each) => !again.includes(each)));
      if (again.length === 0) {
        total.refused.sort((one, other) => one.index - other.index);
        return total;
      }
      places = again.map(({ index }) => index);
      await this.#http.wait(tries, signal);
    }
  }

  // If all rewards of a request are refused, the reply is an error with the list.
  async #sendRewards(rewards, signal) {
    try {
      const { acknowledged, late, refused } = await this.#http.post("v1/rewards", { rewards }, { repeatable: true, signal });
      return { acknowledged, late, refused: refused ?? [], status: 200 };
    } catch (error) {
      if (error instanceof LotorError && error.refused !== null) {
        return { acknowledged: 0, late: 0, refused: error.refused, status: error.status };
      }
      throw error;
    }
  }

  /** Sends feedback for a flag of OpenFeature: `details` is what getStringDetails resolved to. Resolves as `reward` does, and
   * to null if the evaluation failed: then the application's default was shown, and there is no decision. */
  async track(details, feedback, options) {
    const decision = decisionOf(details);
    return decision === null ? null : this.reward(decision, feedback, options);
  }

  // A client for local campaigns sends nothing to a server that leaves the randomizer out. Past a horizon or a
  // user's cap, no feedback is wanted and there is no randomizer. The arms are to be shown all the same. A randomizer that breaks
  // a promise (maxEpsilon, range) is refused before anything is shown.
  #checkModel(decision) {
    if (decision.event !== null && isLocal(decision)) {
      void new Randomizer(decision.randomizer, this.#randomizing);
    }
    if (this.#local && decision.event !== null && !isLocal(decision)) {
      throw new LotorError("raw_feedback", "this client is for local campaigns, and the decision has no randomizer: nothing is sent");
    }
  }

  // Two reports of the same feedback reveal more than one. So a repeated call gets the first report.
  #reportOnce(decision, feedback) {
    const { event } = decision;
    let report = this.#reports.get(event);
    if (!report) {
      report = this.#randomize(decision, feedback);
      this.#reports.set(event, report);
      report.catch(() => this.#reports.delete(event)); // there is no report
      if (this.#reports.size > MOST_KEPT) {
        this.#reports.delete(this.#reports.keys().next().value);
      }
    }
    return report;
  }

  // All checks of the decision come before the feedback is read. Otherwise a missing report could reveal the feedback.
  async #randomize(decision, feedback) {
    const randomizer = new Randomizer(decision.randomizer, this.#randomizing);
    const { slots } = randomizer.settings;
    if (decision.arms.length > slots) {
      throw new LotorError("invalid", `the randomizer is for lists of ${slots} at most, and this one has ${decision.arms.length}: a click ` +
        "beyond would have no report, and so would be told", { field: "slots" });
    }
    return randomizer.report(askedFeedback(feedback, decision));
  }
}
