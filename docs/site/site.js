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

function loadIndex() {
  loading ??= new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.src = `${up}assets/search-index.js`;
    script.onload = () => resolve(window.lotorIndex.map(([url, title, heading, text]) => ({
      url, title, heading, text, low: text.toLowerCase(), lowTitle: title.toLowerCase(), lowHeading: heading.toLowerCase(),
    })));
    script.onerror = () => reject(new Error('The search index could not be loaded.'));
    document.head.append(script);
  });
  return loading;
}

// The number of points of a section: every word must occur in it. Words in titles count most, words in short sections
// more than in long ones, and the whole query as a phrase more than its words.
function points(section, words, phrase) {
  let sum = 0;
  let inText = 0;
  for (const word of words) {
    let score = 0;
    if (section.lowTitle.includes(word)) score += section.heading ? 4 : 15;
    if (section.lowHeading.includes(word)) score += 12;
    let at = section.low.indexOf(word);
    for (let count = 0; at >= 0 && count < 5; count++) {
      const begins = !/\w/.test(section.low[at - 1] ?? ' ');
      const ends = !/\w/.test(section.low[at + word.length] ?? ' ');
      inText += 1 + 2 * begins + ends;
      score += Number.EPSILON;
      at = section.low.indexOf(word, at + word.length);
    }
    if (score === 0) return 0;
    sum += score;
  }
  sum += inText / (1 + section.low.length / 3000);
  if (words.length > 1 && section.low.includes(phrase)) sum += 25;
  return section.url.startsWith('docs/') ? sum * 1.5 : sum;
}

function find(sections, query) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return { words, found: [] };
  const found = sections.map((section) => ({ section, score: points(section, words, words.join(' ')) })).filter(({ score }) => score > 0);
  found.sort((a, b) => b.score - a.score);
  return { words, found: found.slice(0, most).map(({ section }) => section) };
}

// The text around the first word, with the words marked.
function excerpt(section, words) {
  const places = words.map((word) => section.low.indexOf(word)).filter((at) => at >= 0);
  const begin = Math.max(0, Math.min(...(places.length ? places : [0])) - 50);
  const piece = (begin > 0 ? '…' : '') + section.text.slice(begin, begin + 150);
  const element = document.createElement('span');
  const pattern = new RegExp(`(${words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|')})`, 'i');
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
  let sections;
  try {
    sections = await loadIndex();
  } catch (error) {
    list.textContent = error.message;
    list.hidden = false;
    return;
  }
  if (query !== field.value) return;
  const { words, found } = find(sections, query);
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
