// dom.js - making elements. Text is always set as text: nothing from the server is read as HTML.

const SVG = 'http://www.w3.org/2000/svg';

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (name.startsWith('on')) {
      element.addEventListener(name.slice(2), value);
    } else if (name === 'value') {
      element.value = value;
    } else if (value === true) {
      element.setAttribute(name, '');
    } else if (value !== false && value !== null && value !== undefined) {
      element.setAttribute(name, value);
    }
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export function h(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

export function svg(tag, attributes, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

let count = 0;
export const freshId = (prefix) => `${prefix}-${++count}`;

// A section with a heading. `more` is shown next to the heading.
export function card(title, { more = null, level = 'h2', ...attributes } = {}, ...children) {
  const id = freshId('card');
  return h('section', { class: 'card', 'aria-labelledby': id, ...attributes },
    h('div', { class: 'card-head' }, h(level, { id }, title), more), children);
}

// The head of a page: where it is, its name, and what can be done.
export function pageHead(title, { trail = null, badge = null, words = null } = {}, ...actions) {
  return h('div', { class: 'page-head' },
    h('div', { class: 'page-title' }, trail ? h('p', { class: 'trail' }, trail) : null,
      h('div', { class: 'title-line' }, h('h1', {}, title), badge), words ? h('p', { class: 'soft lead' }, words) : null),
    actions.length ? h('div', { class: 'buttons' }, actions) : null);
}

// Grey bars while a page is loading.
export const skeleton = (lines = 4) => h('div', { class: 'skeleton', role: 'status' }, h('span', { class: 'hidden' }, 'Loading'),
  Array.from({ length: lines }, () => h('span', { class: 'bone', 'aria-hidden': 'true' })));

export const empty = (title, ...words) => h('div', { class: 'empty' }, h('img', { src: '/mask.svg', alt: '', width: 72, height: 46 }), h('h2', {}, title), h('p', {}, words));

// A table in which rows become small cards on a phone. `columns`: [text, class, hidden?].
export function table(caption, columns, rows, attributes = {}) {
  return h('table', { class: 'stacks', ...attributes }, h('caption', { class: 'hidden' }, caption),
    h('thead', {}, h('tr', {}, columns.map(([text, kind, unseen]) => h('th', { scope: 'col', class: kind || null }, unseen ? h('span', { class: 'hidden' }, text) : text)))),
    h('tbody', {}, rows));
}

export async function copy(text, button) {
  const words = button.textContent;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = '✓ Copied';
    say('Copied.');
  } catch {
    say('The browser did not allow copying: select the text instead.');
  }
  setTimeout(() => { button.textContent = words; }, 2000);
}

// Tells the user what just happened: the text is shown for some seconds, and screen readers read it out.
let timer = 0;
export function say(text) {
  const said = document.getElementById('said');
  said.textContent = text;
  clearTimeout(timer);
  timer = setTimeout(() => { said.textContent = ''; }, 4000);
}

export { field, select } from './form.js';
export { percent, sentence, short, whole } from './format.js';
