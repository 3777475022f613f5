// learn.js - how private learning works: one simulated campaign twice, with noise and without.

import { api } from './api.js';
import { h, field, percent, select, short, whole } from './dom.js';
import { plot, swatch } from './plot.js';
import { forest } from './forest.js';

const still = () => matchMedia('(prefers-reduced-motion: reduce)').matches;
const items = ['sleep', 'stress', 'diet', 'exercise', 'allergies', 'headache'];
const means = [0.62, 0.5, 0.45, 0.4, 0.3, 0.2];

function side(title, text) {
  const rows = items.map((name, place) => {
    const picture = forest([0, 1]);
    const estimate = h('td', { class: 'number' });
    const share = h('td', { class: 'number' });
    return { picture, estimate, share,
      element: h('tr', {}, h('th', { scope: 'row' }, name), h('td', { class: 'picture' }, picture.element), estimate, share,
        h('td', { class: 'number' }, short(means[place]))) };
  });
  const reward = h('strong');
  return {
    element: h('section', { class: 'card' }, h('h2', {}, title), h('p', { class: 'soft' }, text), h('p', {}, 'Likes per visitor so far: ', reward),
      h('table', { class: 'tight arms' }, h('caption', { class: 'hidden' }, `${title}: what is known of every article`), h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, 'Article'), h('th', { scope: 'col' }, h('span', { class: 'hidden' }, 'Drawing')),
        ['Estimate', 'Shown', 'Truth'].map((name) => h('th', { scope: 'col', class: 'number' }, name)))), h('tbody', {}, rows.map((row) => row.element)))),
    set(play, frame) {
      const total = play.shown[frame].reduce((sum, count) => sum + count, 0);
      reward.textContent = play.reward[frame].toFixed(3);
      rows.forEach((row, i) => {
        const mean = play.mean[frame][i];
        row.picture.set({ mean, low: play.low[frame][i], high: play.high[frame][i] }, means[i]);
        row.estimate.textContent = mean === null ? 'none yet' : short(mean);
        row.share.textContent = percent(play.shown[frame][i] / total);
      });
    },
  };
}

export async function learnPage(root) {
  const epsilon = select([['0.1', '0.1: hides very much'], ['0.5', '0.5'], ['1', '1: a common choice'], ['4', '4: hides little']], '1');
  const people = select([['1000', '1,000'], ['5000', '5,000'], ['20000', '20,000']], '5000');
  const trust = select([['lik-imed', 'the server (lik-imed)'], ['rr-imed', 'nobody (rr-imed)']], 'lik-imed');
  const slider = h('input', { type: 'range', min: 0, max: 0, value: 0, step: 1 });
  const play = h('button', { type: 'button' }, '▶ Play');
  const told = h('p', { class: 'soft', role: 'status' });
  const hidden = side('Private', 'Estimates have noise, so that no single visitor can be found in them.');
  const open = side('Not private', 'The same visitors, without noise: more exact, and what somebody liked can be found out.');
  const chart = plot('Likes per visitor so far', { x: 'visitors' });
  let story = null;
  let seed = 1;
  let timer = 0;

  function data() {
    const frame = Number(slider.value);
    const line = (values, place) => ({ place, dots: false, strong: true, points: story.rounds.slice(0, frame + 1).map((x, i) => ({ x, y: values[i] })) });
    const end = story.rounds.at(-1);
    const flat = (y, place) => ({ place, dots: false, points: [{ x: 0, y }, { x: end, y }] });
    return { series: [flat(means[0], 4), flat(means.reduce((a, b) => a + b) / means.length, 6), line(story.private.reward, 0), line(story.not_private.reward, 2)], steps: false,
      x: { time: false, low: 0, high: end }, y: { low: 0.3, high: 0.68, rate: true } };
  }
  function show(aloud) {
    const frame = Number(slider.value);
    hidden.set(story.private, frame);
    open.set(story.not_private, frame);
    slider.setAttribute('aria-valuetext', `after ${whole(story.rounds[frame])} visitors`);
    const text = `After ${whole(story.rounds[frame])} visitors: ${story.private.reward[frame].toFixed(3)} likes per visitor in private, ${story.not_private.reward[frame].toFixed(3)} without privacy.`;
    if (aloud) {
      told.textContent = text; // not at every step of the play: it is read out
    }
    chart.set(data(), text);
  }
  function stop() {
    clearInterval(timer);
    timer = 0;
    play.textContent = '▶ Play';
    if (story) {
      show(true);
    }
  }
  function step() {
    const stride = still() ? 8 : 1; // few large steps in place of a movement
    slider.value = String(Math.min(Number(slider.max), Number(slider.value) + stride));
    if (slider.value === slider.max) {
      stop();
    } else {
      show(false);
    }
  }
  play.addEventListener('click', () => {
    if (timer) {
      stop();
      return;
    }
    if (slider.value === slider.max) {
      slider.value = '0';
    }
    play.textContent = '❚❚ Pause';
    timer = setInterval(step, still() ? 1000 : 120);
    show(false);
  });
  slider.addEventListener('input', () => { if (timer) { stop(); } show(true); });

  async function tell() {
    if (timer) {
      stop();
    }
    try {
      story = await api.simulate({ algorithm: trust.value, epsilon: Number(epsilon.value), means, rounds: Number(people.value), slots: 1, seed });
    } catch (error) {
      told.textContent = error.message;
      return;
    }
    slider.max = String(story.rounds.length - 1);
    slider.value = slider.max;
    show(true);
  }
  for (const control of [epsilon, people, trust]) {
    control.addEventListener('change', tell);
  }
  root.append(h('h1', {}, 'How private learning works'),
    h('p', {}, 'A health library shows each visitor one of six articles, and learns which are liked. One visitor’s taste is private. So every number gets noise before the algorithm learns from it, and before anyone else sees it. Play it, and see what that costs.'),
    h('section', { class: 'card', 'aria-label': 'The simulation' }, h('div', { class: 'three' }, field('Epsilon', epsilon), field('Visitors', people), field('Feedback is visible to', trust)),
      h('div', { class: 'player' }, play, field('Visitors so far', slider), h('button', { type: 'button', class: 'second', onclick: () => { seed += 1; tell(); } }, 'Other visitors')), told),
    h('p', { class: 'legend soft' }, '● estimate · ▬ where the truth is in 95 cases of 100 · ◆ the truth, which no server knows'),
    h('div', { class: 'columns' }, hidden.element, open.element),
    h('section', { class: 'card', 'aria-labelledby': 'likes-title' }, h('h2', { id: 'likes-title' }, 'What it costs'), chart.element,
      h('ul', { class: 'legend across' }, [[0, 'private'], [2, 'not private'], [4, 'always the best'], [6, 'at random']].map(([place, words]) => h('li', {}, swatch(place), h('span', {}, words)))),
      h('p', { class: 'hint' }, 'Simulated visitors and simulated noise: this protects nobody, it only shows.')));
  await tell();
  return () => {
    clearInterval(timer);
    chart.end();
  };
}
