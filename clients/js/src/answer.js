// answer.js - what an application says of a decision, in the words of the service (raw) or of a device.
//
// An answer is the place of a click (0: none), or {click: place, arm or null}, or {rewards: [one for each
// shown arm]}.
import { LotorError } from "./error.js";

function refuse(message, field) {
  throw new LotorError("range", message, { field });
}

// From 1; 0 for none.
function placeOf(click, arms) {
  if (click === null || click === 0) {
    return 0;
  }
  if (typeof click === "string" && arms.includes(click)) {
    return arms.indexOf(click) + 1;
  }
  if (Number.isInteger(click) && click > 0 && click <= arms.length) {
    return click;
  }
  return refuse(`the click is outside the list: give a place from 1 to ${arms.length}, one of its arms, or 0 for none`, "click");
}

function read(answer, arms) {
  const given = typeof answer === "number" || answer === null ? { click: answer } : answer;
  const names = typeof given === "object" ? Object.keys(given) : [];
  if (names.length === 1 && names[0] === "click") {
    return { click: placeOf(given.click, arms) };
  }
  if (names.length === 1 && names[0] === "rewards" && Array.isArray(given.rewards)) {
    if (given.rewards.length !== arms.length) {
      refuse(`${given.rewards.length} rewards were given for a list of ${arms.length}: give one for each shown arm`, "rewards");
    }
    return { rewards: given.rewards };
  }
  return refuse("the answer must be the place of a click (0: none), or {click: ...}, or {rewards: [...]}", null);
}

/** The body of a reward, as it is: for campaigns that trust the service with it. */
export function rawAnswer(answer, decision) {
  const { rewards, click } = read(answer, decision.arms);
  return rewards ? { rewards } : { click: click === 0 ? null : decision.arms[click - 1] };
}

/** What a Randomizer takes: of the rewards the one that is asked for, or all. */
export function askedAnswer(answer, decision) {
  const { rewards, click } = read(answer, decision.arms);
  const { slot } = decision.randomizer;
  if (!rewards) {
    return { click };
  }
  return { rewards: slot > 0 ? rewards.slice(slot - 1, slot) : rewards };
}
