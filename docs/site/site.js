// site.js - the search of the documents, and the menu. The index is a script of its own, which is loaded when a person
// begins to search: a page from file:// may load scripts, but not JSON.

const up = document.body.dataset.up;
const field = document.getElementById('search');
const list = document.getElementById('results');
const most = 20; // results
let loading = null;
let chosen = -1;

// On a wide screen all documents are always listed; on a phone the list opens by a tap.
const menu = document.querySelector('.menu');
const wide = window.matchMedia('(min-width: 52.01rem)');
const follow = () => { if (menu) menu.open = wide.matches; };
wide.addEventListener('change', follow);
follow();
document.querySelector('.side [aria-current]')?.scrollIntoView({ block: 'nearest' });
window.scrollTo(window.scrollX, location.hash ? window.scrollY : 0);

// A part that is wider than its place scrolls sideways. It can then be reached with the Tab key, and scrolled with arrows.
function reach() {
  for (const part of document.querySelectorAll('pre, .scroll, .formula, :is(p, li, dd):has(math)')) {
    const scrolls = part.scrollWidth > part.clientWidth && /auto|scroll/.test(getComputedStyle(part).overflowX);
    if (scrolls) part.tabIndex = 0;
    else part.removeAttribute('tabindex');
  }
}
reach();
window.addEventListener('resize', reach);
window.addEventListener('load', reach);
document.addEventListener('toggle', reach, true);

// --- the index -----------------------------------------------------------------------------------------------------------

const wordsOf = (text) => text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];

// A word without its ending: "backups", "backup" and "backing up" share "backup" or "back".
function stem(word) {
  if (word.length < 5 || /\d/.test(word)) return word;
  return word.replace(/(?:ies|y)$/, 'i').replace(/(?:ations?|ings?|ed|es|s|e)$/, (ending) => (word.length - ending.length >= 3 ? '' : ending));
}

// The points of a word in a title, a heading, the terms and the text of a section.
const weights = [16, 9, 3, 1];
const common = new Set(['a', 'an', 'and', 'are', 'as', 'at', 'by', 'for', 'from', 'how', 'i', 'in', 'is', 'it', 'of', 'on', 'or', 'the', 'to', 'what', 'with']);

// For each word: the sections that have it, as pairs of a section's number and points.
function makeIndex(rows) {
  const vocabulary = new Map();
  const lengths = rows.map((row) => row[4].length);
  const middle = lengths.reduce((sum, length) => sum + length, 0) / rows.length;
  const sections = rows.map(([url, title, heading, terms, text]) => ({ url, title, heading, text, low: text.toLowerCase(), lowTerms: terms.toLowerCase() }));
  rows.forEach(([, title, heading, terms, text], number) => {
    const counts = new Map();
    [title, heading, terms, text].forEach((field, place) => {
      for (const word of wordsOf(field)) {
        if (!counts.has(word)) counts.set(word, [0, 0, 0, 0]);
        counts.get(word)[place] += 1;
      }
    });
    for (const [word, count] of counts) {
      let sum = 0;
      if (count[0]) sum += heading ? 2 : weights[0]; // a section below the title of its page
      if (count[1]) sum += weights[1];
      if (count[2]) sum += weights[2] / (1 + terms.length / 400);
      sum += weights[3] * (count[3] * 2.2) / (count[3] + 1.2 * (0.25 + 0.75 * lengths[number] / middle));
      if (!vocabulary.has(word)) vocabulary.set(word, []);
      vocabulary.get(word).push([number, sum]);
    }
  });
  return { sections, vocabulary };
}

function loadIndex() {
  loading ??= new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.src = `${up}assets/search-index.js`;
    script.onload = () => resolve(makeIndex(window.lotorIndex));
    script.onerror = () => reject(new Error('The search index could not be loaded.'));
    document.head.append(script);
  });
  return loading;
}

// --- the search ----------------------------------------------------------------------------------------------------------

// The number of changed, missing, added and exchanged letters between two words; more than `limit` is limit + 1.
function distance(one, other, limit) {
  if (Math.abs(one.length - other.length) > limit) return limit + 1;
  let older = [];
  let old = Array.from({ length: other.length + 1 }, (_, j) => j);
  for (let i = 1; i <= one.length; i++) {
    const now = [i];
    for (let j = 1; j <= other.length; j++) {
      now[j] = Math.min(old[j] + 1, now[j - 1] + 1, old[j - 1] + (one[i - 1] !== other[j - 1]));
      if (i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]) now[j] = Math.min(now[j], older[j - 2] + 1);
    }
    if (Math.min(...now) > limit) return limit + 1;
    [older, old] = [old, now];
  }
  return old[other.length];
}

// Words of the documents that a word of the query means, and how well: itself, the same stem, its beginning, a part.
function meanings(vocabulary, word) {
  const found = new Map();
  const root = stem(word);
  for (const other of vocabulary.keys()) {
    if (other === word) found.set(other, 1);
    else if (stem(other) === root) found.set(other, 0.8);
    else if (other.startsWith(word)) found.set(other, word.length > 2 ? 0.6 : 0.2);
    else if (word.length > 2 && other.includes(word)) found.set(other, 0.1);
  }
  return found;
}

// The words that are nearest to a word that no page has.
function nearest(vocabulary, word) {
  let limit = word.length < 4 ? 0 : word.length < 8 ? 1 : 2;
  let found = [];
  for (const [other, places] of limit > 0 ? vocabulary : []) {
    const far = other[0] === word[0] || other[1] === word[1] ? distance(word, other, limit) : limit + 1;
    if (far < limit) found = [];
    if (far <= limit) {
      limit = far;
      found.push([other, places.length]);
    }
  }
  return found.sort((a, b) => b[1] - a[1]).slice(0, 3).map(([other]) => other);
}

// The main pages first, then the other documents, the manual, proofs, and last tables and history.
function kindOf(url) {
  if (/^docs\/(install|service|http|operations)\.html/.test(url)) return 1.7;
  if (/^docs\/(papers|references)\.html|^CHANGELOG/.test(url)) return 0.5;
  return url.startsWith('docs/') ? 1.4 : url.startsWith('man/') ? 1.1 : url.startsWith('src/') ? 0.8 : 1;
}

// The sections that have every word of the query, best first; `marks`: the words that were found; `instead`: words that
// no page has, each with what was looked for.
function find({ sections, vocabulary }, query) {
  const all = [...new Set(wordsOf(query))];
  const rare = all.filter((word) => !common.has(word));
  const words = rare.length > 0 ? rare : all;
  const marks = new Set();
  const instead = [];
  let scores = null;
  for (const word of words) {
    let meant = meanings(vocabulary, word);
    if (meant.size === 0) {
      const others = nearest(vocabulary, word);
      if (others.length > 0) instead.push([word, others[0]]);
      meant = new Map(others.map((other) => [other, 0.5]));
    }
    const points = new Map();
    for (const [other, part] of meant) {
      const places = vocabulary.get(other);
      const rarity = Math.log(1 + sections.length / places.length);
      if (part >= 0.5) marks.add(other);
      for (const [number, value] of places) {
        points.set(number, Math.max(points.get(number) ?? 0, value * part * rarity));
      }
    }
    if (points.size > 0) marks.add(word);
    scores = scores === null ? points : new Map([...points].filter(([number]) => scores.has(number)).map(([number, value]) => [number, value + scores.get(number)]));
  }
  const phrase = query.trim().toLowerCase();
  const found = [...(scores ?? [])].map(([number, value]) => {
    const section = sections[number];
    const whole = phrase.length > 2 && /\W/.test(phrase) && section.low.includes(phrase) ? 20 + 15 * section.lowTerms.includes(phrase) : 0;
    const named = all.length > 1 && !section.heading && ` ${wordsOf(section.title).join(' ')} `.includes(` ${all.join(' ')} `) ? 30 : 0;
    return { section, score: (value + whole + named) * kindOf(section.url) };
  });
  found.sort((a, b) => b.score - a.score);
  return { words: [...marks], instead, found: found.slice(0, most).map(({ section }) => section) };
}

// The text around the first word, with the words marked.
function excerpt(section, words) {
  const whole = words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).sort((a, b) => b.length - a.length).join('|');
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}_])(${whole || '$^'})`, 'giu');
  const begin = Math.max(0, section.text.search(pattern) - 50);
  const piece = (begin > 0 ? '…' : '') + section.text.slice(begin, begin + 150);
  const element = document.createElement('span');
  piece.split(pattern).forEach((part, number) => {
    if (number % 2 === 0) {
      element.append(part);
    } else {
      const mark = document.createElement('mark');
      mark.textContent = part;
      element.append(mark);
    }
  });
  return element;
}

function choose(next) {
  const rows = [...list.querySelectorAll('a')];
  rows[chosen]?.setAttribute('aria-selected', 'false');
  chosen = rows.length ? (next + rows.length) % rows.length : -1;
  rows[chosen]?.setAttribute('aria-selected', 'true');
  rows[chosen]?.scrollIntoView({ block: 'nearest' });
  field.setAttribute('aria-activedescendant', rows[chosen]?.id ?? '');
}

function close() {
  list.hidden = true;
  field.setAttribute('aria-expanded', 'false');
}

async function search() {
  const query = field.value;
  if (!query.trim()) {
    close();
    return;
  }
  let index;
  try {
    index = await loadIndex();
  } catch (error) {
    list.textContent = error.message;
    list.hidden = false;
    return;
  }
  if (query !== field.value) return;
  const { words, instead, found } = find(index, query);
  list.replaceChildren(...found.map((section, number) => {
    const link = document.createElement('a');
    link.href = up + section.url;
    link.id = `result-${number}`;
    link.setAttribute('role', 'option');
    link.tabIndex = -1;
    const title = document.createElement('b');
    title.textContent = section.title;
    link.append(title, section.heading ? ` › ${section.heading}` : '', excerpt(section, words));
    return link;
  }));
  if (found.length > 0 && instead.length > 0) {
    const note = document.createElement('p');
    note.textContent = instead.map(([word, other]) => `No page has “${word}”. These have “${other}”.`).join(' ');
    list.prepend(note);
  }
  if (found.length === 0) {
    const none = document.createElement('p');
    none.textContent = `No page has “${query.trim()}”.`;
    list.append(none);
  }
  list.hidden = false;
  field.setAttribute('aria-expanded', 'true');
  chosen = -1;
  choose(0);
}

field.addEventListener('focus', () => { loadIndex().catch(() => {}); });
field.addEventListener('input', search);
field.form.addEventListener('submit', (event) => {
  event.preventDefault();
  list.querySelector('[aria-selected=true]')?.click();
});
document.addEventListener('keydown', (event) => {
  const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
  if (event.key === '/' && !typing) {
    event.preventDefault();
    field.focus();
  } else if (event.target === field && event.key === 'ArrowDown') {
    event.preventDefault();
    choose(chosen + 1);
  } else if (event.target === field && event.key === 'ArrowUp') {
    event.preventDefault();
    choose(chosen - 1);
  } else if (event.key === 'Escape') {
    close();
  }
});
document.addEventListener('click', (event) => {
  if (!field.form.contains(event.target)) close();
  else if (event.target.closest('#results a')) close();
});
