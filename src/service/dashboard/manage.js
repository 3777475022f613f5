// manage.js - what an admin does with a whole campaign: edit its labels, pause, end, archive, delete.

import { api } from './api.js';
import { h, card, say } from './dom.js';
import { field, input, placeError } from './form.js';
import { confirmed, openDialog } from './dialog.js';
import { titleOf } from './format.js';
import { operatorFields } from './operator.js';
import { metadataText, readMetadata } from './metadata.js';

function editLabels(campaign, refresh) {
  openDialog('Edit title and labels', (close) => {
    const title = input({ value: campaign.title ?? '', maxlength: 200 });
    const description = h('textarea', { rows: 3, maxlength: 2000 });
    description.value = campaign.description ?? '';
    const metadata = h('textarea', { rows: 3, spellcheck: 'false' });
    metadata.value = metadataText(campaign.metadata);
    const operator = operatorFields(campaign);
    const wrong = h('p', { class: 'wrong', role: 'alert' });
    const names = campaign.arms.slice(0, 50).map((arm) => [arm, input({ value: arm.title ?? '', maxlength: 200, placeholder: arm.id })]);
    return h('form', {
      onsubmit: async (event) => {
        event.preventDefault();
        wrong.textContent = '';
        try {
          await api.edit(campaign.name, { ...operator.read(), title: title.value.trim() || null, description: description.value.trim() || null, metadata: metadata.value.trim() ? readMetadata(metadata.value) : null,
            arms: names.filter(([arm, control]) => control.value.trim() !== (arm.title ?? '')).map(([arm, control]) => ({ id: arm.id, title: control.value.trim() || null })) });
          close();
          say('Saved.');
          refresh();
        } catch (error) {
          placeError(error, { ...operator.controls, title, description, metadata }, wrong);
        }
      },
    }, field('Title', title), field('Description', description), field('Own data', metadata, 'One per line, as name: value.'),
    h('details', {}, h('summary', {}, 'For the privacy statement'), operator.elements),
    h('details', {}, h('summary', {}, 'Titles of arms'), names.map(([arm, control]) => field(arm.id, control))), wrong,
    h('div', { class: 'buttons end' }, h('button', { type: 'button', class: 'second', onclick: close }, 'Cancel'), h('button', { type: 'submit' }, 'Save')));
  });
}

const ACTS = {
  pause: { label: 'Pause', words: 'Shows nothing for now. Feedback for what was shown still counts. You can resume at any time.', done: 'The campaign is paused.' },
  resume: { label: 'Resume', words: 'Shows decisions again.', done: 'The campaign shows decisions again.' },
  close: { label: 'End…', words: 'Shows nothing any more, for good. Feedback for what was shown still counts. Results stay.', danger: true, ask: 'End this campaign?', yes: 'End the campaign', done: 'The campaign has ended.' },
  archive: { label: 'Archive…', words: 'Makes the campaign read-only and takes it out of the list. You can bring it back.', ask: 'Archive this campaign?', yes: 'Archive', done: 'The campaign is archived.' },
  unarchive: { label: 'Bring back', words: 'Puts the campaign back into the list, as it was before.', done: 'The campaign is back.' },
};

export function manageCard(name, refresh) {
  const body = h('div', { class: 'acts' });
  let latest = null;
  let shown = '';

  async function run(act) {
    const { ask, words, yes, danger, done } = ACTS[act];
    if (ask && !(await confirmed({ title: ask, words, yes, danger: Boolean(danger) }))) {
      return;
    }
    try {
      await api.act(name, act);
      say(done);
    } catch (error) {
      say(error.message);
    }
    refresh();
  }
  async function erase() {
    const sure = await confirmed({ title: `Delete ${titleOf(latest)}?`, typed: name, yes: 'Delete for good',
      words: 'All feedback, the state and the key of this campaign are erased for good. Its releases, its settings and its privacy statement stay. The name can’t be used again.' });
    if (!sure) {
      return;
    }
    try {
      await api.remove(name);
      say('The campaign is deleted.');
      location.hash = '#/campaigns';
    } catch (error) {
      say(error.message);
    }
  }
  const line = (button, words) => h('div', { class: 'act' }, h('p', { class: 'soft' }, words), button);
  const button = (act) => line(h('button', { type: 'button', class: ACTS[act].danger ? 'danger' : 'second', onclick: () => run(act) }, ACTS[act].label), ACTS[act].words);
  return {
    element: card('Manage', {}, body),
    set(now) {
      latest = now;
      this.element.hidden = now.deleted;
      const acts = now.deleted ? [] : now.archived ? ['unarchive'] : now.closed ? ['archive'] : [now.paused ? 'resume' : 'pause', 'close', 'archive'];
      if (acts.join() === shown) {
        return;
      }
      shown = acts.join();
      body.replaceChildren(now.archived ? '' : line(h('button', { type: 'button', class: 'second', onclick: () => editLabels(latest, refresh) }, 'Edit title and labels…'), 'Changes what people read here. No algorithm reads it.'),
        ...acts.map(button), line(h('button', { type: 'button', class: 'danger', onclick: erase }, 'Delete…'), 'Erases all feedback and the state for good.'));
    },
  };
}
