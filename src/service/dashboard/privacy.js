// privacy.js - how strong the guarantee of the campaign in the form would be. The server says it: the page sends it the
// settings that decide it, as a dry run.

import { api } from './api.js';
import { h } from './dom.js';
import { plain, sentence } from './format.js';
import { levelBadge, mark } from './status.js';

const PAUSE = 300; // milliseconds without a key press before it asks
const DECIDING = ['algorithm', 'slots', 'feedback', 'dimension', 'horizon', 'normalize', 'epsilon', 'delta', 'rounds_per_user', 'early_release'];
const unused = `preview-${Math.random().toString(36).slice(2, 12)}`; // a name that no campaign has

// The settings that decide the guarantee. All others are left out, so that the level can be known before they are right.
function dryRunOf(spec) {
  const arms = Math.max(2, spec.slots || 1, spec.arms.length);
  return { ...Object.fromEntries(DECIDING.filter((name) => name in spec).map((name) => [name, spec[name]])), name: unused,
    arms: Array.from({ length: Math.min(arms, 4096) }, (none, i) => `arm-${i + 1}`), ...(spec.evaluation ? { evaluation: { share: 0.1, control: 'uniform' } } : {}) };
}

function words({ guarantee }) {
  const { per_round: round } = guarantee;
  if (guarantee.level === 'none') {
    return [levelBadge(guarantee), ` This campaign would protect nobody: ${guarantee.reason ?? 'no proof is known'}.`];
  }
  return [levelBadge(guarantee), ` Epsilon ${plain(guarantee.epsilon)}${guarantee.delta ? `, delta ${guarantee.delta}` : ''}, for ${guarantee.unit}. `,
    round && round.epsilon !== guarantee.epsilon ? `For one round alone, epsilon is ${plain(round.epsilon)}. ` : '',
    guarantee.level === 'strong' ? '' : `${sentence(guarantee.level_reason)} `, guarantee.meaning ? sentence(guarantee.meaning) : ''];
}

// `read` gives the whole request of the form.
export function privacyPreview(read) {
  const element = h('p', { class: 'level', role: 'status' });
  let timer = 0;
  let asked = '';

  async function ask() {
    const text = JSON.stringify(dryRunOf(read()));
    if (text === asked) {
      return;
    }
    asked = text;
    let shown;
    try {
      shown = words(await api.dryRun(JSON.parse(text)));
    } catch (error) {
      shown = [error.status === 400 ? mark('bad', '✕', 'Not possible') : mark('quiet', '·', 'Not known'), ` ${error.message}`];
    }
    if (asked === text) {
      element.replaceChildren(...shown);
    }
  }
  return {
    element,
    later() {
      if (JSON.stringify(dryRunOf(read())) === asked) {
        return;
      }
      asked = ''; // what is shown is of other settings
      element.replaceChildren(h('span', { class: 'soft' }, h('span', { class: 'spinner', 'aria-hidden': 'true' }), 'Checking the level of privacy…'));
      clearTimeout(timer);
      timer = setTimeout(ask, PAUSE);
    },
    end: () => { clearTimeout(timer); asked = 'left'; },
  };
}
