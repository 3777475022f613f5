// randomizer.js - randomizes feedback on a person's device, before anything is sent (the local model).
import { deviceOf } from "./device.js";
import { LotorError } from "./error.js";

const FIELDS = ["mechanism", "slot", "epsilon", "scale", "unit", "low", "high", "slots"];
const LISTS = ["laplace", "cube"]; // mechanisms whose reports are lists
const MOST_SLOTS = 4096;
const MOST_TEXT = 1000; // characters

function refuse(message, field = null) {
  throw new LotorError("invalid", message, { field });
}

function refuseField(told, name, wanted) {
  refuse(told[name] === undefined
    ? `the randomizer has no field ${name}: give the randomizer exactly as rank returned it`
    : `the randomizer's ${name} must be ${wanted}`, name);
}

// C ends a text at its first NUL.
const isText = (value) => typeof value === "string" && value.length <= MOST_TEXT && !value.includes("\0");
const isWhole = (value) => typeof value === "number" && Number.isInteger(value) && value >= 0 && value < 2 ** 63;

// The same checks and messages as in `lotor randomize`.
function checkSettings(told) {
  if (told === null || typeof told !== "object" || Array.isArray(told)) {
    refuse("a randomizer is made from an object: the `randomizer` of a decision");
  }
  for (const name of Object.keys(told)) {
    if (!FIELDS.includes(name)) {
      refuse(`the randomizer has a field '${name.slice(0, 40)}', which is not known: give the randomizer exactly as rank returned it`, name);
    }
  }
  if (!isText(told.mechanism)) {
    refuseField(told, "mechanism", "bit, sum-bit, click-bit, position, laplace or cube");
  }
  if (!isText(told.epsilon) && !Number.isFinite(told.epsilon)) {
    refuseField(told, "epsilon", "a number above 0");
  }
  for (const name of ["slot", "slots", "scale"]) {
    if (!isWhole(told[name])) {
      refuseField(told, name, "a whole number from 0");
    }
  }
  for (const name of ["unit", "low", "high"]) {
    if (!Number.isFinite(told[name])) {
      refuseField(told, name, "a number");
    }
  }
  if (told.slots === 0 || told.slots > MOST_SLOTS || told.slot > told.slots) {
    refuseField(told, "slots", "from 1 to 4096, and not below its slot");
  }
}

function copy(told) {
  return Object.freeze(Object.fromEntries(FIELDS.map((name) => [name, told[name]])));
}

// A number is the position of the click.
function readFeedback(feedback) {
  const given = typeof feedback === "number" ? { click: feedback } : feedback;
  const names = given !== null && typeof given === "object" ? Object.keys(given) : [];
  if (names.length !== 1 || !["rewards", "click"].includes(names[0])) {
    refuse("the feedback must be the position of a click (0: none), or {rewards: [...]}, or {click: position}");
  }
  if (names[0] === "click") {
    if (!Number.isInteger(given.click) || given.click < 0 || given.click >= 2 ** 32) {
      throw new LotorError("range", "the click must be a place from 1, or 0 for none", { field: "click" });
    }
    return { click: given.click };
  }
  if (!Array.isArray(given.rewards) || !given.rewards.every((value) => typeof value === "number")) {
    throw new LotorError("range", "the rewards must be a list of numbers", { field: "rewards" });
  }
  const count = given.rewards.length;
  if (count === 0 || count > MOST_SLOTS) { // an empty list would be read as "no click"
    throw new LotorError("range", `the number of rewards is ${count}: expected 1 to ${MOST_SLOTS}`, { field: "rewards" });
  }
  return { rewards: given.rewards };
}

/** Makes private reports, with the settings that a decision of a local campaign has in
 * `randomizer`. */
export class Randomizer {
  #told;
  #wasm;

  constructor(settings, { wasm, maxEpsilon = null, range = null } = {}) {
    checkSettings(settings);
    if (range !== null && !(settings.low === range[0] && settings.high === range[1])) {
      refuse(`the randomizer's rewards are from ${settings.low} to ${settings.high}, and this device's from ${range[0]} to ${range[1]}`, "low");
    }
    if (maxEpsilon !== null && !(Number(settings.epsilon) <= maxEpsilon)) {
      refuse(`the randomizer's epsilon is ${settings.epsilon}, and this device takes ${maxEpsilon} at most`, "epsilon");
    }
    this.#told = copy(settings);
    this.#wasm = wasm;
  }

  get settings() {
    return this.#told;
  }

  /** Resolves to a report, which may be sent: {report: ...}. Each call draws new noise: send one
   * report per decision. */
  async report(feedback) {
    const read = readFeedback(feedback);
    const device = await deviceOf(this.#wasm);
    const numbers = device.report(this.#told, read);
    return { report: LISTS.includes(this.#told.mechanism) ? numbers : numbers[0] };
  }
}
