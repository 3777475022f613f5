// feedback.js - converts the feedback of an application to a request body (raw), or to the input of a randomizer.
//
// The feedback is the position of a click (0: none), or {click: position, arm or null}, or {rewards: [one for each
// shown arm]}.
import { LotorError } from "./error.js";

function refuse(message, field) {
  throw new LotorError("range", message, { field });
}

// The position of the click from 1; 0: no click.
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
  return refuse(`the click is outside the list: give a position from 1 to ${arms.length}, one of its arms, or 0 for none`, "click");
}

function read(feedback, arms) {
  const given = typeof feedback === "number" || feedback === null ? { click: feedback } : feedback;
  const names = typeof given === "object" ? Object.keys(given) : [];
  if (names.length === 1 && names[0] === "click") {
    return { click: placeOf(given.click, arms) };
  }
  if (names.length === 1 && names[0] === "rewards" && Array.isArray(given.rewards)) {
    if (given.rewards.length !== arms.length) {
      refuse(`the number of rewards is ${given.rewards.length}: expected ${arms.length}, one for each shown arm`, "rewards");
    }
    return { rewards: given.rewards };
  }
  return refuse("the feedback must be the position of a click (0: none), or {click: ...}, or {rewards: [...]}", null);
}

/** The request body with raw feedback, for campaigns that are not local. */
export function rawFeedback(feedback, decision) {
  const { rewards, click } = read(feedback, decision.arms);
  return rewards ? { rewards } : { click: click === 0 ? null : decision.arms[click - 1] };
}

/** The input of a Randomizer: a click, or the reward of the asked arm, or all rewards. */
export function askedFeedback(feedback, decision) {
  const { rewards, click } = read(feedback, decision.arms);
  const { slot } = decision.randomizer;
  if (!rewards) {
    return { click };
  }
  return { rewards: slot > 0 ? rewards.slice(slot - 1, slot) : rewards };
}
