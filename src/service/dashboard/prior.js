// prior.js - the warm start: a new campaign that also learns from what another one has released.

import { api } from './api.js';
import { h } from './dom.js';
import { field, select } from './form.js';
import { count, titleOf } from './format.js';

const ALGORITHM = 'lik-imed'; // the only one that can learn from another campaign

// `campaigns`: all campaigns of the server. `idsOf` gives the ids of the arms in the form.
export function priorField(campaigns, idsOf) {
  const able = campaigns.filter((campaign) => campaign.algorithm === ALGORITHM && campaign.metadata?.sandbox !== true);
  const control = select([['', 'None'], ...able.map((campaign) => [campaign.name, titleOf(campaign) === campaign.name ? campaign.name : `${titleOf(campaign)} (${campaign.name})`])], '');
  const told = h('p', { class: 'soft', role: 'status' });
  const element = h('div', { hidden: able.length === 0 }, field('Learn also from', control, 'A warm start: the campaign does not start from nothing. It costs no privacy, because releases are public. Feedback, reward range and the reward without feedback must be the same there.', { optional: true }), told);
  let chosen = null;

  function say() {
    const ids = chosen?.arms.filter((arm) => idsOf().includes(arm.id)).length;
    told.textContent = !chosen ? '' : `${titleOf(chosen)} has ${count(chosen.releases, 'release')} so far, and ${count(ids, 'arm')} with an id that is also here. Only these arms get a warm start.`;
  }
  control.addEventListener('change', async () => {
    chosen = null;
    const name = control.value;
    try {
      const found = name ? await api.campaign(name) : null;
      chosen = name === control.value ? found : chosen;
      say();
    } catch (error) {
      told.textContent = error.message;
    }
  });
  return {
    element,
    control,
    settle(offered) {
      element.hidden = !offered || able.length === 0;
      say();
    },
    read: () => (element.hidden ? undefined : control.value || undefined),
  };
}
