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

// A control with its label, and a hint that a screen reader reads with it.
export function field(label, control, hint) {
  const id = control.id || `field-${++count}`;
  control.id = id;
  const note = hint ? h('p', { class: 'hint', id: `${id}-hint` }, hint) : null;
  if (note) {
    control.setAttribute('aria-describedby', note.id);
  }
  return h('div', { class: 'field' }, h('label', { for: id }, label), control, note);
}

export function select(options, chosen, attributes) {
  return h('select', attributes, options.map(([value, text]) =>
    h('option', { value, selected: value === chosen }, text)));
}

// What just happened, for everybody: shown for some seconds, and read out.
let timer = 0;
export function say(text) {
  const said = document.getElementById('said');
  said.textContent = text;
  clearTimeout(timer);
  timer = setTimeout(() => { said.textContent = ''; }, 4000);
}

// What a server says, as a sentence.
export const sentence = (text) => text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? '' : '.');
export const whole = (number) => Number(number).toLocaleString('en-US');
export const short = (number) => (Number.isFinite(number) ? number.toFixed(3) : 'none yet');
export const percent = (share) => `${(100 * share).toFixed(share < 0.1 ? 1 : 0)}%`;
