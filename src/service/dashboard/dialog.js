// dialog.js - asks before something that can't be undone, and shows what needs no page of its own.

import { h, freshId } from './dom.js';

// Opens a dialog. `build` gets a function that closes it, and gives its content.
export function openDialog(title, build) {
  const id = freshId('dialog');
  const dialog = h('dialog', { 'aria-labelledby': id });
  const close = () => dialog.close();
  dialog.append(h('div', { class: 'dialog-head' }, h('h2', { id }, title), h('button', { type: 'button', class: 'plain', 'aria-label': 'Close', onclick: close }, '✕')), ...[build(close)].flat());
  dialog.addEventListener('close', () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

// Resolves to true if the person confirms. `typed`: a text that has to be typed first.
export function confirmed({ title, words, yes, danger = true, typed = null }) {
  return new Promise((done) => {
    let agreed = false;
    const button = h('button', { type: 'submit', class: danger ? 'danger' : '', disabled: typed !== null }, yes);
    const dialog = openDialog(title, (close) => {
      const id = freshId('typed');
      const input = typed === null ? null : h('input', { type: 'text', id, autocomplete: 'off', spellcheck: 'false', oninput: (event) => { button.disabled = event.target.value !== typed; } });
      return h('form', { onsubmit: (event) => { event.preventDefault(); agreed = true; close(); } }, h('p', {}, words),
        input ? h('div', { class: 'field' }, h('label', { for: id }, 'Type ', h('code', {}, typed), ' to confirm'), input) : null,
        h('div', { class: 'buttons end' }, h('button', { type: 'button', class: 'second', onclick: close }, 'Cancel'), button));
    });
    dialog.addEventListener('close', () => done(agreed));
  });
}
