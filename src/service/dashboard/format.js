// format.js - numbers, times and names as people read them.

import { h } from './dom.js';

export const whole = (number) => Number(number).toLocaleString('en-US');
// 12 and 0.0001 as they are, 1,000,000,000 in groups.
export const plain = (number) => (Math.abs(number) < 1e4 ? String(number) : whole(number));
export const count = (number, one, many = `${one}s`) => `${whole(number)} ${Number(number) === 1 ? one : many}`;
export const short = (number) => (Number.isFinite(number) ? number.toFixed(3) : 'none yet');
export const percent = (share) => `${(100 * share).toFixed(share < 0.1 ? 1 : 0)}%`;

// Makes a sentence of a server's message.
export const sentence = (text) => text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? '' : '.');

// Rewards between 0 and 1 are rates: 2.31%. Others are plain numbers.
export const isRate = ([low, high]) => low === 0 && high === 1;
export function value(number, range, signed = false) {
  if (number === null || number === undefined || !Number.isFinite(number)) {
    return 'none yet';
  }
  const sign = signed && number > 0 ? '+' : '';
  if (isRate(range)) {
    const hundred = 100 * number;
    return `${sign}${hundred.toFixed(Math.abs(hundred) < 10 ? 2 : 1)}%`;
  }
  return `${sign}${Number(number.toPrecision(3))}`;
}
export const between = (interval, range, signed = false) => (interval ? `${value(interval.low, range, signed)} to ${value(interval.high, range, signed)}` : 'none yet');

// A difference of two rates is in percentage points.
export function difference(number, range) {
  const sign = number > 0 ? '+' : '';
  return isRate(range) ? `${sign}${(100 * number).toFixed(Math.abs(number) < 0.1 ? 2 : 1)} points` : `${sign}${Number(number.toPrecision(3))}`;
}

const UNITS = [[86400, 'day'], [3600, 'hour'], [60, 'minute'], [1, 'second']];
export function duration(seconds) {
  const [size, name] = UNITS.find(([unit]) => seconds >= 1.5 * unit || seconds === unit || unit === 1);
  const number = seconds / size;
  const text = number >= 10 ? whole(Math.round(number)) : String(Number(number.toPrecision(2)));
  return `${text} ${name}${text === '1' ? '' : 's'}`;
}

// Local time to read, exact UTC on hover.
const LOCAL = { dateStyle: 'medium', timeStyle: 'short' };
const DAY = { dateStyle: 'medium' };
export const utc = (seconds) => new Date(1000 * seconds).toISOString().replace('T', ' ').replace(/\.\d+Z$/, ' UTC');
export const local = (seconds, day = false) => new Date(1000 * seconds).toLocaleString(undefined, day ? DAY : LOCAL);
export const clock = (seconds) => new Date(1000 * seconds).toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit' });
export function when(seconds, day = false) {
  return h('time', { datetime: new Date(1000 * seconds).toISOString(), title: utc(seconds) }, local(seconds, day));
}

// The titles of arms, from their ids.
export const titlesOf = (arms, ids) => ids.map((id) => titleOf(arms.find((arm) => arm.id === id) ?? { id })).join(', ');
export const titleOf = (labelled) => labelled.title || labelled.name || labelled.id;

// Letters that have no accent to take away.
const LATIN = { ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ð: 'd', þ: 'th', ı: 'i' };

// "Coping with grief" is the title, coping-with-grief the id. "" if the title has letters that an id can't have.
export function idOf(title) {
  const latin = title.normalize('NFKD').replace(/\p{M}/gu, '').trim().toLowerCase().replace(/./gu, (letter) => LATIN[letter] ?? letter);
  return /[^\x00-\x7f]/.test(latin.replace(/[^\p{L}\p{N}]/gu, '')) ? '' : latin.replace(/[^a-z0-9._-]+/g, '-').replace(/^[^a-z0-9]+|-+$/g, '').slice(0, 64);
}

// The id of a title, or else the first of arm-1, arm-2, ... that is not taken.
export function freshId(title, prefix, taken, from = 1) {
  const id = idOf(title);
  if (id) {
    return id;
  }
  for (let number = from; ; number += 1) {
    if (!taken.includes(`${prefix}-${number}`)) {
      return `${prefix}-${number}`;
    }
  }
}
