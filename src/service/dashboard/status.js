// status.js - the state of a campaign and of its guarantee, in a word, a sign and a colour.

import { h } from './dom.js';

// True if a campaign shows nothing at the moment.
export const isHalted = (campaign) => campaign.closed || campaign.paused || campaign.archived || campaign.deleted;

const STATES = {
  running: ['Running', '●', 'good'],
  paused: ['Paused', '❚❚', 'warn'],
  ended: ['Ended', '■', 'quiet'],
  archived: ['Archived', '▣', 'quiet'],
  deleted: ['Deleted', '✕', 'bad'],
};

export function stateOf(campaign) {
  return campaign.deleted ? 'deleted' : campaign.archived ? 'archived' : campaign.closed ? 'ended' : campaign.paused ? 'paused' : 'running';
}

export const mark = (kind, sign, text) => h('span', { class: `badge ${kind}` }, h('span', { 'aria-hidden': 'true' }, `${sign} `), text);

export function badge(campaign) {
  const [text, sign, kind] = STATES[stateOf(campaign)];
  return mark(kind, sign, text);
}

const LEVELS = { strong: ['good', '✓'], moderate: ['good', '◐'], weak: ['warn', '!'], 'very weak': ['bad', '✕'], none: ['bad', '✕'] };
export function levelBadge(guarantee) {
  const level = guarantee.level ?? (guarantee.private ? 'strong' : 'none');
  const [kind, sign] = LEVELS[level] ?? ['quiet', '·'];
  return mark(kind, sign, level === 'none' ? 'No privacy' : `${level.charAt(0).toUpperCase()}${level.slice(1)} privacy`);
}

const MODELS = { central: 'this server adds the noise', local: 'each device adds the noise', joint: 'this server adds the noise; contexts are covered' };
export function kindText(campaign) {
  const feedback = campaign.dimension !== null ? 'chosen by context' : campaign.feedback === 'clicks' ? `a list of ${campaign.slots}, first click` : campaign.slots > 1 ? `${campaign.slots} items at once` : 'one item at a time';
  return `${feedback} · ${MODELS[campaign.guarantee?.model] ?? ''}`;
}
