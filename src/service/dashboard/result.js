// result.js - what a campaign has found out, in a few words: for the list and for the head of its page.

import { titleOf, value } from './format.js';

// Arms that may be shown, the best estimate first; those without an estimate last.
export function byEstimate(arms) {
  return [...arms].sort((a, b) => Number(a.removed ?? false) - Number(b.removed ?? false) || (b.mean ?? -Infinity) - (a.mean ?? -Infinity) || b.shown - a.shown);
}

// The best arms so far, as many as are shown at once, and whether their intervals are above those of all others.
export function leaders(campaign) {
  const arms = byEstimate(campaign.arms.filter((arm) => !arm.removed && arm.interval));
  const best = arms.slice(0, campaign.slots);
  const rest = arms.slice(campaign.slots);
  const low = Math.min(...best.map((arm) => arm.interval.low));
  return { best, clear: best.length > 0 && rest.length > 0 && arms.length === campaign.arms.filter((arm) => !arm.removed).length && rest.every((arm) => arm.interval.high < low) };
}

// {kind, title, text}: kind is good, bad, open or none.
export function resultOf(campaign) {
  const { lift, reward_range: range } = campaign;
  if (lift?.absolute) {
    const relative = lift.relative ? ` (${lift.relative.mean > 0 ? '+' : ''}${(100 * lift.relative.mean).toFixed(0)}%)` : '';
    const title = `${value(lift.policy.mean, range)} against ${value(lift.control.mean, range)}${relative}`;
    return lift.decided ? { kind: lift.decided === 'better' ? 'good' : 'bad', title, text: lift.decided === 'better' ? 'Better than the control' : 'Worse than the control' }
      : { kind: 'open', title, text: 'Not decided yet' };
  }
  if (campaign.dimension !== null) {
    return { kind: 'none', title: campaign.final > 0 ? 'Chooses by context' : 'No rounds yet', text: lift ? 'Nothing measured yet' : 'No control is measured' };
  }
  const { best, clear } = leaders(campaign);
  if (best.length === 0) {
    return { kind: 'none', title: campaign.final > 0 ? 'No release yet' : 'No rounds yet', text: 'Estimates appear after the first releases' };
  }
  return { kind: clear ? 'good' : 'open', title: `${best.map(titleOf).slice(0, 2).join(', ')}${best.length > 2 ? ', …' : ''}: ${value(best[0].mean, range)}`, text: clear ? 'Clearly ahead' : 'Ahead, not clearly yet' };
}
