// headline.js - what an operator wants to know first: reward per round now against the control, whether that is decided, when
// it is expected to be, and what it costs in privacy.

import { api } from './api.js';
import { h } from './dom.js';
import { between, count, difference, duration, plain, sentence, titleOf, titlesOf, value, whole } from './format.js';
import { forest } from './forest.js';
import { leaders } from './result.js';
import { levelBadge, mark, stateOf } from './status.js';

const LOOK_AGAIN = 60000; // milliseconds between two simulations of how long it still takes

function block(title) {
  const big = h('p', { class: 'stat-value' });
  const more = h('div', { class: 'stat-more' });
  return { element: h('div', { class: 'stat' }, h('h2', {}, title), big, more), title(text) { this.element.querySelector('h2').textContent = text; }, big, more };
}

const roundWord = (campaign) => (campaign.feedback === 'clicks' ? 'Rounds with a click, now' : 'Reward per round, now');
const controlText = ({ arms, evaluation: { control } }) => (Array.isArray(control) ? `always ${titlesOf(arms, control)}` : 'arms at random');

// A guarantee that protects nobody is the first thing to know about a campaign.
const warningOf = ({ guarantee }) => (guarantee.level === 'very weak' ? `Warning: this campaign protects nobody in practice. Epsilon is ${plain(guarantee.epsilon)} for ${guarantee.unit}.`
  : !guarantee.private ? `Warning: this campaign is not private${guarantee.reason ? `: ${guarantee.reason}` : ''}.` : '');

function setReward(stat, campaign) {
  const { lift, reward_range: range } = campaign;
  const { best, clear } = leaders(campaign);
  if (lift?.policy.mean !== null && lift?.policy.mean !== undefined) {
    stat.title(roundWord(campaign));
    stat.big.textContent = value(lift.policy.mean, range);
    stat.more.replaceChildren(h('p', {}, `95% interval ${between(lift.policy.interval, range)}`),
      h('p', {}, `Control (${controlText(campaign)}): ${value(lift.control.mean, range)}, interval ${between(lift.control.interval, range)}`));
  } else if (best.length > 0) {
    stat.title(campaign.slots > 1 ? 'Best arms so far' : 'Best arm so far');
    stat.big.textContent = best.map(titleOf).slice(0, 3).join(', ');
    stat.more.replaceChildren(h('p', {}, `${value(best[0].mean, range)} per display, 95% interval ${between(best[0].interval, range)}`),
      h('p', {}, clear ? mark('good', '✓', 'Clearly ahead') : mark('open', '…', 'Not clearly ahead yet')));
  } else {
    stat.title('Reward per round');
    stat.big.textContent = 'Not known yet';
    stat.more.replaceChildren(h('p', {}, campaign.dimension !== null && !lift ? 'This campaign chooses by context and measures no control. Weights and display shares are below.'
      : campaign.deleted ? 'The campaign was deleted before it released a number.'
        : `The first number is released after some rounds are final. So far ${count(campaign.final, 'round is', 'rounds are')} final.`));
  }
}

function liftForest({ absolute }) {
  const drawing = forest([0, 1]);
  const far = 1.15 * Math.max(Math.abs(absolute.interval.low), Math.abs(absolute.interval.high), 1e-9);
  drawing.set({ mean: absolute.mean, ...absolute.interval }, undefined, [-far, far]);
  return h('div', { class: 'lift-line' }, h('span', { class: 'soft' }, 'worse'), drawing.element, h('span', { class: 'soft' }, 'better'));
}

function setLift(stat, campaign) {
  const { lift, reward_range: range } = campaign;
  stat.element.hidden = !lift;
  if (lift?.absolute) {
    stat.big.textContent = lift.relative ? `${lift.relative.mean > 0 ? '+' : ''}${(100 * lift.relative.mean).toFixed(1)}%` : difference(lift.absolute.mean, range);
    stat.more.replaceChildren(liftForest(lift), h('p', {}, `${difference(lift.absolute.mean, range)} a round, 95% interval ${difference(lift.absolute.interval.low, range)} to ${difference(lift.absolute.interval.high, range)}`));
  } else if (lift) {
    stat.big.textContent = 'Not known yet';
    stat.more.replaceChildren(h('p', {}, `Measured so far: ${count(lift.policy.rounds, 'round')} with the policy, ${whole(lift.control.rounds)} with the control.`));
  }
}

function outlookText(outlook) {
  if (!outlook) {
    return null;
  }
  if (outlook.rounds === null) {
    return outlook.why ? sentence(outlook.why) : null;
  }
  const time = outlook.seconds === null ? '' : `, in about ${duration(outlook.seconds)}`;
  return `Expected after about ${whole(Number(outlook.rounds.toPrecision(2)))} more rounds${time}.`;
}

function setDecision(stat, campaign, outlook) {
  const decided = campaign.lift?.decided;
  if (decided) {
    stat.big.replaceChildren(mark(decided === 'better' ? 'good' : 'bad', decided === 'better' ? '✓' : '✕', decided === 'better' ? 'Decided: better' : 'Decided: worse'));
    stat.more.replaceChildren(h('p', {}, `The campaign is ${decided} than its control. You may look as often as you like: if there were no difference, about 5 of 100 campaigns would say so by chance.`));
  } else if (campaign.lift) {
    stat.big.replaceChildren(mark('open', '…', 'Not decided yet'));
    const text = stateOf(campaign) === 'running' ? outlookText(outlook) : null;
    const { low, high } = campaign.lift.absolute?.interval ?? { low: 0, high: 0 };
    stat.more.replaceChildren(h('p', {}, !campaign.lift.absolute ? 'No number about the value of rounds was released yet.' : text ?? 'The lift could still be zero.'),
      low > 0 || high < 0 ? h('p', {}, 'The 95% interval is for one look. A decision needs more, because you may look as often as you like.') : '');
  } else {
    stat.big.replaceChildren(mark('quiet', '·', 'No control'));
    stat.more.replaceChildren(h('p', {}, 'This campaign measures no control, so there is no lift to decide. Choose “Measure the lift” when you create a campaign.'));
  }
}

function setPrivacy(stat, campaign) {
  const { guarantee, budget } = campaign;
  stat.big.replaceChildren(levelBadge(guarantee));
  const budgetName = budget?.name ?? budget;
  stat.more.replaceChildren(guarantee.level === 'none' ? '' : h('p', {}, `Epsilon ${plain(guarantee.epsilon)}${guarantee.delta ? `, delta ${guarantee.delta}` : ''} for ${guarantee.unit}.`),
    guarantee.per_round && campaign.rounds_per_user > 1 ? h('p', {}, `For one round alone, epsilon is ${plain(guarantee.per_round.epsilon)}. A user has up to ${whole(campaign.rounds_per_user)} rounds that count, so epsilon is ${plain(guarantee.epsilon)} for all of them together.`) : '',
    guarantee.meaning ? h('p', {}, sentence(guarantee.meaning)) : '',
    budgetName ? h('p', {}, 'Users also share the budget ', h('a', { href: '#/budgets' }, String(budgetName)), budget?.epsilon ? `: at most epsilon ${budget.epsilon} each, in all campaigns of the budget.` : '.') : '');
}

export function headlineCard(name) {
  const reward = block('Reward per round');
  const lift = block('Lift against the control');
  const decision = block('Decision');
  const privacy = block('Privacy spent');
  const warning = h('p', { class: 'warning', hidden: true });
  let outlook = null;
  let latest = null;
  let releases = 0; // when the outlook was asked for
  async function look() {
    releases = latest?.releases;
    outlook = await api.outlook(name).catch(() => outlook); // the page says itself that it is old
    if (latest) {
      setDecision(decision, latest, outlook);
    }
  }
  let timer = 0;
  return {
    element: h('section', { class: 'card headline', 'aria-label': 'Headline' }, warning, h('div', { class: 'stats' }, reward.element, lift.element, decision.element, privacy.element)),
    set(campaign) {
      latest = campaign;
      warning.textContent = warningOf(campaign);
      warning.hidden = warning.textContent === '';
      setReward(reward, campaign);
      setLift(lift, campaign);
      setDecision(decision, campaign, outlook);
      setPrivacy(privacy, campaign);
      if (!timer && campaign.lift && !campaign.lift.decided) {
        timer = setInterval(look, LOOK_AGAIN);
        look();
      } else if (outlook?.rounds === null && campaign.lift?.absolute && campaign.releases !== releases) {
        look(); // it was asked too early to know
      }
    },
    end: () => clearInterval(timer),
  };
}
