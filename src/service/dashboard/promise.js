// promise.js - what a campaign promises about privacy, and what it does not.

import { h, card } from './dom.js';
import { plain, sentence } from './format.js';
import { levelBadge } from './status.js';

export function promiseText(guarantee, level = 'h3') {
  return [
    h('p', {}, h('strong', {}, guarantee.private ? `Epsilon ${plain(guarantee.epsilon)}, delta ${guarantee.delta}, for ${guarantee.unit}. ` : guarantee.level === 'very weak' ? `This protects nobody in practice. Epsilon is ${plain(guarantee.epsilon)} for ${guarantee.unit}. ` : 'Not private. '),
      guarantee.private ? `Protected: ${guarantee.protects}` : null),
    guarantee.level && guarantee.level !== 'none' ? h('p', {}, `Level: ${guarantee.level}. ${sentence(guarantee.level_reason)} ${sentence(guarantee.meaning)}`) : null,
    h('p', { class: 'soft' }, `By ${guarantee.mechanism}${guarantee.theorem ? ` (${guarantee.theorem})` : ''}; ${guarantee.model} model.`),
    h(level, {}, 'Not protected'), h('ul', {}, guarantee.not_protected.map((gap) => h('li', {}, gap)))];
}

export function promiseCard(campaign) {
  return card('Privacy', { more: levelBadge(campaign.guarantee) }, promiseText(campaign.guarantee),
    h('p', { class: 'buttons' }, h('a', { class: 'button second', href: `#/statement/${encodeURIComponent(campaign.name)}` }, 'Privacy statement')));
}
