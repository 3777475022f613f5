// login.js - asks for a key, tries it, and keeps it in this tab; signing out forgets it.

import { key } from './api.js';
import { h, say } from './dom.js';
import { field, setWrong } from './form.js';

// `attempt` uses the key, and throws where it is of no use; `explain` says why, where the server does not say it well.
// `reason`: why the person has to sign in again.
export function loginPage(root, { words, label, hint, attempt, explain, done, reason = null }) {
  const input = h('input', { type: 'password', autocomplete: 'off', required: true, spellcheck: 'false' });
  const form = h('form', {
    class: 'card narrow',
    onsubmit: async (event) => {
      event.preventDefault();
      setWrong(input, '');
      key.set(input.value.trim());
      try {
        await attempt();
      } catch (error) {
        key.drop();
        setWrong(input, error.status === 401 ? 'The server does not know this key.' : explain?.(error) ?? error.message);
        input.focus();
        return;
      }
      done();
    },
  }, h('h1', {}, 'Sign in'), reason ? h('p', { class: 'stale', role: 'alert' }, `⚠ ${reason}`) : null, h('p', {}, words), field(label, input, hint), h('button', { type: 'submit' }, 'Sign in'));
  root.append(form);
  input.focus();
}

export const LOST_KEY = 'You were signed out: the server no longer accepts your key. It has expired, or somebody has revoked it.';

// The frame of every page: the button that signs out, the link that skips the head, and the address, which tells
// `show` what to show.
export function frame(show) {
  document.getElementById('leave').addEventListener('click', () => {
    key.drop();
    show();
    say('Signed out.');
  });
  document.querySelector('.skip').addEventListener('click', (event) => {
    event.preventDefault(); // the part after the # is taken
    document.getElementById('main').focus();
  });
  addEventListener('hashchange', show);
  show();
}
