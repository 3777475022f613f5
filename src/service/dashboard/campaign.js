// campaign.js - one campaign: the headline, what it knows over time, its arms, its promise, its settings.

import { api } from './api.js';
import { h, pageHead } from './dom.js';
import { freshness } from './fresh.js';
import { count, titleOf, when, whole } from './format.js';
import { armsCard } from './arms.js';
import { openCode } from './code.js';
import { headlineCard } from './headline.js';
import { openHistory } from './history.js';
import { manageCard } from './manage.js';
import { promiseCard } from './promise.js';
import { may } from './session.js';
import { settingsCard } from './settings.js';
import { badge, kindText } from './status.js';
import { timelineCard } from './timeline.js';
import { tryPanel } from './try.js';
import { weightsCard } from './weights.js';

const EVERY = 2000; // milliseconds between two looks

function facts(campaign, past) {
  const pairs = [['Rounds shown', whole(campaign.decisions)], ['Final rounds', whole(campaign.final)], ['Waiting for feedback', whole(campaign.pending)],
    past.note && campaign.releases === 0 ? null : ['Releases', whole(campaign.releases)]].filter(Boolean);
  return h('dl', { class: 'facts' }, pairs.map(([name, value]) => h('div', {}, h('dt', {}, name), h('dd', {}, value))));
}

export async function campaignPage(root, name) {
  let campaign = await api.campaign(name);
  const past = openHistory(name);
  await past.read(campaign);
  const state = h('span', { class: 'state' });
  const words = h('span');
  const title = h('h1');
  const numbers = h('div');
  const headline = headlineCard(name);
  const arms = armsCard(name, campaign, () => refresh());
  const time = timelineCard(campaign, past);
  const weights = weightsCard();
  const trial = may('rank') && may('reward') ? tryPanel(name, campaign, () => refresh()) : null;
  const manage = may('admin') ? manageCard(name, () => refresh()) : null;

  const left = h('div', {}, time.element, weights.element, arms.element);
  const columns = h('div', { class: `columns${trial ? ' wide-left' : ' one'}` }, left, trial?.element);

  // The arms have the whole width of the page, unless there is no chart: then they are next to the panel.
  function placeArms() {
    const place = time.element.hidden ? left : columns.parentElement;
    if (arms.element.parentElement !== place && !arms.element.contains(document.activeElement)) {
      if (place === left) {
        left.append(arms.element);
      } else {
        columns.after(arms.element);
      }
    }
  }

  function set() {
    title.textContent = titleOf(campaign);
    state.replaceChildren(badge(campaign));
    code.hidden = campaign.deleted || campaign.archived || campaign.closed; // the server would refuse its requests
    words.textContent = campaign.description ?? '';
    numbers.replaceChildren(facts(campaign, past));
    [headline, arms, time, weights, trial, manage].forEach((part) => part?.set(campaign));
    placeArms();
  }
  const fresh = freshness();
  const refresh = () => fresh.run(async () => {
    const now = await api.campaign(name);
    if (now.releases !== campaign.releases || past.note) {
      await past.read(now);
    }
    campaign = now;
    set();
  });

  const code = h('button', { type: 'button', class: 'second', onclick: () => openCode(campaign) }, 'Copy code');
  const head = pageHead('', { trail: [h('a', { href: '#/campaigns' }, 'Campaigns'), ' / ', h('code', {}, name)], badge: state, words },
    h('a', { class: 'button second', href: `#/statement/${encodeURIComponent(name)}` }, 'Privacy statement'),
    code);
  head.querySelector('h1').replaceWith(title);
  root.append(fresh.element, head, h('p', { class: 'soft about' }, `${kindText(campaign)} · ${count(campaign.arms.length, 'arm')} · started `, when(campaign.created)),
    headline.element, numbers,
    columns,
    h('div', { class: 'columns' }, h('div', {}, promiseCard(campaign), manage?.element), settingsCard(campaign)));
  set();
  const timer = setInterval(refresh, EVERY);
  document.addEventListener('visibilitychange', refresh);
  return () => {
    clearInterval(timer);
    document.removeEventListener('visibilitychange', refresh);
    time.end();
    headline.end();
  };
}
