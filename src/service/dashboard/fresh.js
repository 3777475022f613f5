// fresh.js - says so while a page can't be kept up to date, and since when. The page goes on trying.

import { h } from './dom.js';
import { clock } from './format.js';

// `run` does one look, and never throws. Looks do not overlap, and a page that nobody sees does not look.
export function freshness() {
  const element = h('p', { class: 'stale', role: 'status', hidden: true });
  let since = Date.now();
  let busy = false;
  return {
    element,
    async run(look) {
      if (busy || document.hidden) {
        return;
      }
      busy = true;
      try {
        await look();
        since = Date.now();
        element.hidden = true;
      } catch (error) {
        const text = `⚠ Not updated since ${clock(since / 1000)}: ${error.code === 'away' ? 'the server does not reply' : error.message.replace(/\.$/, '')}. This page tries again every few seconds.`;
        if (element.hidden || element.textContent !== text) { // a screen reader reads it out once
          element.textContent = text;
          element.hidden = false;
        }
      } finally {
        busy = false;
      }
    },
  };
}
