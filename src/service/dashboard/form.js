// form.js - fields with their labels, hints and errors.

import { h, freshId } from './dom.js';

// A control with its label, a hint that a screen reader reads with it, and a place for what is wrong with it.
export function field(label, whole, hint, { optional = false } = {}) {
  const control = whole.matches('.twin') ? whole.firstChild : whole; // next to a unit
  const id = control.id || freshId('field');
  control.id = id;
  const note = hint ? h('p', { class: 'hint', id: `${id}-hint` }, hint) : null;
  const wrong = h('p', { class: 'wrong', id: `${id}-wrong` });
  control.setAttribute('aria-describedby', note ? `${note.id} ${wrong.id}` : wrong.id);
  return h('div', { class: 'field' }, h('label', { for: id }, label, optional ? h('span', { class: 'optional' }, ' optional') : null), whole, note, wrong);
}

// A field whose checkbox comes before its label.
export function tick(label, control, hint) {
  const element = field(label, control, hint);
  element.classList.add('tick');
  return element;
}

export function select(options, chosen, attributes) {
  return h('select', attributes, options.map(([value, text]) =>
    h('option', { value, selected: value === chosen }, text)));
}

export const input = (attributes) => h('input', { type: 'text', autocomplete: 'off', spellcheck: 'false', ...attributes });
export const number = (attributes) => h('input', { type: 'number', step: 'any', autocomplete: 'off', ...attributes });

// One choice among cards: [value, title, text]. `value` of what it returns is the chosen one.
export function choices(legend, options, chosen, onchange) {
  const name = freshId('choice');
  const radios = options.map(([value]) => h('input', { type: 'radio', name, value, checked: value === chosen, onchange }));
  return {
    element: h('fieldset', { class: 'choices' }, h('legend', {}, legend), h('div', { class: 'choice-grid' }, options.map(([, title, text], i) =>
      h('label', { class: 'choice' }, radios[i], h('span', { class: 'choice-title' }, title), text ? h('span', { class: 'choice-text' }, text) : null)))),
    get value() {
      return radios.find((radio) => radio.checked).value;
    },
  };
}

// Buttons of which one is pressed: [value, text].
export function segments(label, options, chosen, onchange) {
  const buttons = options.map(([value, text]) => h('button', { type: 'button', class: 'segment', 'aria-pressed': String(value === chosen), onclick: () => set(value) }, text));
  function set(value) {
    buttons.forEach((button, i) => button.setAttribute('aria-pressed', String(options[i][0] === value)));
    onchange(value);
  }
  return h('div', { class: 'segments', role: 'group', 'aria-label': label }, buttons);
}

export function setWrong(control, text) {
  const place = document.getElementById(`${control.id}-wrong`);
  if (place) {
    place.textContent = text ?? '';
  }
  control.toggleAttribute('aria-invalid', Boolean(text));
  if (text) {
    control.setAttribute('aria-invalid', 'true');
    control.closest('details')?.setAttribute('open', '');
  }
}

// An error of the server goes next to its field, if the form shows it: `controls` by field name. An error of
// evaluation.control[0] goes to "evaluation.control", or else to "evaluation". All others go to `rest`.
export function placeError(error, controls, rest) {
  let name = (error.field ?? '').replace(/\[\d*\]/g, '');
  while (name && !controls[name]) {
    name = name.slice(0, Math.max(0, name.lastIndexOf('.')));
  }
  const control = controls[name];
  if (control && control.closest('[hidden]') === null) {
    setWrong(control, error.message);
    control.focus();
  } else {
    rest.textContent = error.field ? `${error.field}: ${error.message}` : error.message;
  }
}
