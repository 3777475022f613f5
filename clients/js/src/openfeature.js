// openfeature.js - reads the decision from what OpenFeature says about a flag (OFREP: docs/openfeature.md).
import { LotorError } from "./error.js";

function refuse(message) {
  throw new LotorError("invalid", message, { field: "details" });
}

// OpenFeature's metadata has no objects, so the service sends the randomizer as text.
function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return refuse("the metadata's randomizer is not JSON: is the flag a campaign of a Lotor service?");
  }
}

/** The decision behind the details of an evaluation (`getStringDetails`). Null: the value is the application's default,
 * because the evaluation failed, so there is no decision. */
export function decisionOf(details) {
  const metadata = details?.flagMetadata;
  if (details === null || typeof details !== "object" || typeof (metadata ?? {}) !== "object") {
    refuse("these are not the details of an evaluation: pass the value that OpenFeature's getStringDetails resolved to");
  }
  if (details.errorCode !== undefined) {
    return null;
  }
  if (typeof metadata?.arms !== "string") {
    refuse("the metadata has no arms: is the flag a campaign of a Lotor service?");
  }
  const { event = null, arms, expires = null, propensity = null, role, randomizer } = metadata;
  const decision = { event, arms: arms.split(","), expires, propensity, ...(role === undefined ? {} : { role }) };
  return randomizer === undefined ? decision : { ...decision, randomizer: parse(randomizer) };
}
