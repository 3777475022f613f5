// settings.js - the settings of a campaign, in words. Most can't be changed: that would break the guarantee.

import { h, card } from './dom.js';
import { count, duration, percent, titlesOf, when, whole } from './format.js';

export function settingsCard(campaign) {
  const { evaluation, half_life: half } = campaign;
  const rows = [
    ['Id', h('code', {}, campaign.name)],
    ['Created', when(campaign.created)],
    ['Algorithm', campaign.algorithm],
    ['Feedback', campaign.feedback === 'clicks' ? 'the first click in a list' : 'a reward for each shown arm'],
    ['Shown at once', whole(campaign.slots)],
    ['Reward range', campaign.reward_range.join(' to ')],
    ['Missing feedback counts as', String(campaign.default_reward)],
    ['Waits for feedback', duration(campaign.wait_seconds)],
    campaign.dimension !== null ? ['Features', whole(campaign.dimension)] : null,
    campaign.horizon !== null ? ['Rounds at most', whole(campaign.horizon)] : null,
    ['Rounds of one user', campaign.rounds_per_user === null ? 'no limit' : `at most ${whole(campaign.rounds_per_user)}`],
    campaign.budget ? ['Budget', String(campaign.budget.name ?? campaign.budget)] : null,
    campaign.sticky_seconds ? ['Same decision for', duration(campaign.sticky_seconds)] : null,
    half ? ['Half-life', typeof half === 'number' ? `${whole(half)} rounds` : half] : null,
    evaluation ? ['Measures the lift', `in ${percent(evaluation.share)} of the rounds; control: ${Array.isArray(evaluation.control) ? titlesOf(campaign.arms, evaluation.control) : 'arms at random'}`] : null,
    campaign.prior ? ['Learns also from', h('span', {}, count(campaign.prior_releases, 'release'), ' of ', h('a', { href: `#/campaign/${encodeURIComponent(campaign.prior)}` }, campaign.prior))] : null,
    campaign.oracle.kind === 'partition' ? ['Shown together', `at most ${Object.entries(campaign.oracle.capacities).map(([group, most]) => `${most} of group ${group}`).join(', ')}`] : null,
    campaign.oracle.kind === 'linear' ? ['Shown together', 'arms with linearly independent features'] : null,
    ['Room for arms', whole(campaign.max_arms)],
    ['Decisions open at once', `at most ${whole(campaign.max_open)}`],
    campaign.normalize ? ['Long contexts', 'scaled down to length 1'] : null,
    campaign.early_release ? ['Early release', 'yes: whether a person gave feedback is not protected'] : null,
    ...Object.entries(campaign.metadata ?? {}).map(([name, value]) => [name, String(value)]),
  ].filter(Boolean);
  return card('Settings', {}, h('dl', { class: 'settings' }, rows.map(([name, value]) => h('div', {}, h('dt', {}, name), h('dd', {}, value)))));
}
