// make.js - the form for a new campaign: every kind, with help at each field, advice while typing, and a preview of
// the request.

import { api } from './api.js';
import { h, card, copy, pageHead, say } from './dom.js';
import { choices, field, input, number, placeError, select, setWrong, tick } from './form.js';
import { count, duration, freshId } from './format.js';
import { advicePanel } from './advice.js';
import { operatorFields } from './operator.js';
import { oracleFields } from './oracle.js';
import { priorField } from './prior.js';
import { privacyPreview } from './privacy.js';
import { readMetadata } from './metadata.js';

const KINDS = [
  ['finite', 'One item', 'Each person sees one item, and likes it or not.'],
  ['semi-bandit', 'Several items', 'Each person sees several items, and each is liked or not.'],
  ['cascade', 'A ranked list', 'Each person reads a list from the top, up to the first click.'],
  ['linear', 'By context', 'You send numbers about each person and item, and the choice depends on them.'],
];
const TRUSTS = [
  ['central', 'This server', 'It sees feedback, and adds noise before anything is published.'],
  ['local', 'Nobody', 'Each person’s device adds noise before it sends anything. Needs far more people.'],
];
const UNITS = [['1', 'seconds'], ['60', 'minutes'], ['3600', 'hours'], ['86400', 'days']];
// One arm for each line: "Coping with grief" is one arm. The third arm is arm-3 if no id can be made of its title.
export function readArms(text) {
  const taken = [];
  return text.split('\n').map((line) => line.trim()).filter(Boolean).map((title, i) => {
    const id = freshId(title, 'arm', taken, i + 1);
    taken.push(id);
    return id === title ? id : { id, title };
  });
}
const idOfArm = (arm) => arm.id ?? arm;

// Words for the fields of a request, to say in which one two campaigns differ.
const CALLED = { arms: 'list of arms', slots: 'number of arms shown at once', wait_seconds: 'waiting time', reward_range: 'reward range', default_reward: 'reward without feedback', rounds_per_user: 'limit of rounds per user', sticky_seconds: 'time with the same decision',
  half_life: 'half-life', evaluation: 'measurement of the lift', max_arms: 'room for arms', max_open: 'limit of open decisions', early_release: 'early release', dimension: 'number of features', oracle: 'rule for arms that may be shown together', prior: 'warm start', horizon: 'number of rounds at most', normalize: 'treatment of long contexts' };

function twin(control, unit) {
  return h('div', { class: 'twin' }, control, unit);
}

// All controls of the form, by the name of their field in the request.
function controls() {
  return {
    title: input({ required: true, maxlength: 200, placeholder: 'Which article helps?' }),
    name: input({ pattern: '[A-Za-z0-9][A-Za-z0-9._\\-]{0,63}', maxlength: 64, required: true }),
    description: h('textarea', { rows: 2, maxlength: 2000 }),
    arms: h('textarea', { rows: 6, required: true, placeholder: 'Coping with grief\nSleeping better\nTalking to a friend' }),
    slots: number({ min: 1, max: 4096, step: 1, value: 3 }),
    dimension: number({ min: 1, max: 1024, step: 1, value: 4 }),
    horizon: number({ min: 2, step: 1, value: 100000 }),
    normalize: h('input', { type: 'checkbox' }),
    epsilon: number({ value: 1, required: true }),
    delta: number({ value: '' }),
    rounds: number({ min: 2, step: 1, value: '' }),
    rounds_per_user: number({ min: 1, step: 1, value: '' }),
    budget: select([['', 'None']], ''),
    sticky_seconds: number({ min: 1, value: '' }),
    low: number({ value: 0 }),
    high: number({ value: 1 }),
    default_reward: number({ value: '' }),
    wait: number({ min: 0.001, value: 1, required: true }),
    share: number({ min: 0.01, max: 50, value: 10 }),
    control: select([['uniform', 'Arms at random'], ['list', 'The arms that are shown today']], 'uniform'),
    controlArms: h('textarea', { rows: 2 }),
    half: number({ min: 1, value: '' }),
    max_arms: number({ min: 2, max: 4096, step: 1, value: '' }),
    max_open: number({ min: 1, max: 10000000, step: 1, value: '' }),
    early_release: h('input', { type: 'checkbox' }),
    paused: h('input', { type: 'checkbox' }),
    metadata: h('textarea', { rows: 3, spellcheck: 'false', placeholder: 'team: web' }),
  };
}

export async function makePage(root) {
  const [known, { campaigns }] = await Promise.all([api.budgets().then(({ budgets }) => budgets, (error) => { // a key of one campaign may not look at budgets
    if (error.status !== 403) {
      throw error;
    }
    return [];
  }), api.list(true)]);
  const f = controls();
  const oracle = oracleFields();
  const names = campaigns.map((campaign) => campaign.name);
  f.budget.append(...known.map((budget) => h('option', { value: budget.name }, `${budget.name} (epsilon ${budget.epsilon})`)));
  const waitUnit = select(UNITS, '3600', { 'aria-label': 'Unit of the waiting time' });
  const halfUnit = select([['d', 'days'], ['h', 'hours'], ['rounds', 'rounds']], 'd', { 'aria-label': 'Unit of the half-life' });
  const operator = operatorFields();
  const algorithm = select([['', 'The default']], '');
  const measure = h('input', { type: 'checkbox', checked: true });
  const wrong = h('p', { class: 'wrong', role: 'alert' });
  const chips = h('p', { class: 'chips' });
  const summary = h('p');
  const preview = h('pre', { class: 'code', tabindex: '0', 'aria-label': 'The request' });
  let named = false; // whether a person wrote the id

  const kind = choices('What does a person see?', KINDS, 'finite', () => settle());
  const trust = choices('Who may see feedback before it has noise?', TRUSTS, 'central', () => settle());
  const isLinear = () => kind.value === 'linear';
  const isLocal = () => trust.value === 'local' && !isLinear();
  const slots = () => (kind.value === 'finite' || isLinear() ? 1 : Number(f.slots.value));
  const optional = (control) => (control.value === '' ? undefined : Number(control.value));
  const armsOf = () => readArms(f.arms.value);
  const prior = priorField(campaigns, () => armsOf().map(idOfArm));
  // A line of the control is the title or the id of an arm.
  const controlLines = () => f.controlArms.value.split('\n').map((line) => line.trim()).filter(Boolean);
  const armOfLine = (line) => armsOf().find((arm) => arm.title === line || idOfArm(arm) === line) ?? readArms(line)[0];
  const controlIds = () => controlLines().map((line) => idOfArm(armOfLine(line)));

  function specOf() {
    const range = [Number(f.low.value), Number(f.high.value)];
    const spec = {
      name: f.name.value.trim(), title: f.title.value.trim() || undefined, description: f.description.value.trim() || undefined,
      algorithm: algorithm.value || (isLocal() ? 'rr-imed' : undefined), ...oracle.read(armsOf()), slots: slots(),
      feedback: kind.value === 'cascade' ? 'clicks' : undefined,
      dimension: isLinear() ? Number(f.dimension.value) : undefined, horizon: isLinear() ? Number(f.horizon.value) : optional(f.rounds), normalize: isLinear() && f.normalize.checked ? true : undefined,
      epsilon: Number(f.epsilon.value), delta: optional(f.delta), rounds_per_user: optional(f.rounds_per_user), budget: f.budget.value || undefined, sticky_seconds: isLocal() ? undefined : optional(f.sticky_seconds),
      reward_range: kind.value === 'cascade' ? undefined : range, default_reward: optional(f.default_reward),
      wait_seconds: Number(f.wait.value) * Number(waitUnit.value),
      evaluation: measure.checked ? { share: Number(f.share.value) / 100, control: f.control.value === 'list' ? controlIds() : 'uniform' } : undefined,
      half_life: f.half.value === '' ? undefined : halfUnit.value === 'rounds' ? Number(f.half.value) : `${f.half.value}${halfUnit.value}`,
      max_arms: optional(f.max_arms), max_open: optional(f.max_open), early_release: f.early_release.checked || undefined, paused: f.paused.checked || undefined,
      prior: prior.read(),
      metadata: f.metadata.value.trim() ? readMetadata(f.metadata.value) : undefined, ...operator.read(),
    };
    return JSON.parse(JSON.stringify(spec)); // without what is undefined
  }
  function wish() {
    const arms = readArms(f.arms.value).length;
    if (arms < 2 || !(Number(f.epsilon.value) > 0)) {
      return null;
    }
    return { problem: kind.value, trust: isLocal() ? 'local' : 'central', epsilon: Number(f.epsilon.value), arms: Math.min(arms, 200), slots: Math.min(slots(), arms), ...(isLinear() ? { dimension: Number(f.dimension.value) } : {}) };
  }
  const privacy = privacyPreview(specOf);
  const advice = advicePanel(wish, (offered) => {
    const chosen = algorithm.value;
    algorithm.replaceChildren(h('option', { value: '' }, `The default (${isLinear() ? 'jdp-batch' : isLocal() ? 'rr-imed' : 'lik-imed'})`), ...offered.map((id) => h('option', { value: id }, id)));
    algorithm.value = offered.includes(chosen) ? chosen : isLinear() ? offered[0] : '';
    settle(false);
  });

  const only = (shown, ...elements) => elements.forEach((element) => { element.hidden = !shown; });
  const slotField = field('How many at once', f.slots);
  const linearFields = h('div', { class: 'pair' }, field('Numbers for each item', f.dimension, 'How many features describe a person and an item.'), field('Rounds at most', f.horizon, 'The learner needs to know this. Later rounds are shown, and do not count.'));
  const normalizeField = tick('Scale long contexts down', f.normalize, 'Otherwise, contexts that are longer than 1 are refused.');
  const rangeFields = h('div', { class: 'pair' }, field('Lowest reward', f.low), field('Highest reward', f.high, 'Rewards outside are refused.'));
  const measureFields = h('div', {}, h('div', { class: 'pair' }, field('Percent of rounds that measure', f.share, 'Half of them show the control. 10 is a good start.'), field('Control', f.control)), field('Arms of the control', f.controlArms, 'One per line, in their order. Name more than are shown at once.'));
  const measureCard = h('fieldset', { class: 'card' }, h('legend', {}, 'Measure the lift'), h('p', { class: 'soft' }, 'See how much better the campaign is than what you show today. This costs no extra privacy.'), tick('Measure the lift against a control', measure), measureFields);
  const roundsField = field('Rounds at most', f.rounds, 'Some algorithms need to know it. Later rounds are shown, and do not count.', { optional: true });
  const stickyField = field('Same decision for a user, in seconds', f.sticky_seconds, 'A person who reloads a page sees the same items.', { optional: true });

  function settle(again = true) {
    only(kind.value === 'semi-bandit' || kind.value === 'cascade', slotField);
    only(isLinear(), linearFields, normalizeField);
    only(kind.value !== 'cascade', rangeFields);
    only(!isLinear(), trust.element);
    only(!isLocal(), stickyField);
    only(!isLinear(), roundsField);
    prior.settle(!isLinear() && !isLocal() && ['', 'lik-imed'].includes(algorithm.value));
    oracle.settle(slots() > 1, armsOf());
    only(measure.checked, measureFields);
    only(f.control.value === 'list', measureFields.lastChild);
    const arms = armsOf();
    chips.replaceChildren(...arms.slice(0, 12).map((arm) => h('span', { class: 'chip' }, arm.title ?? arm, arm.title ? h('code', {}, arm.id) : null)), arms.length > 12 ? ` and ${arms.length - 12} more` : '');
    privacy.later();
    const spec = specOf();
    summary.textContent = `${count(arms.length, 'arm')}, ${slots() > 1 ? `${slots()} at once` : 'one at a time'}. Feedback is taken for ${duration(spec.wait_seconds || 1)} after an item is shown. `
      + `${spec.evaluation ? `${f.share.value}% of the rounds measure the lift.` : 'The lift is not measured.'}${spec.prior ? ` It also learns from ${spec.prior}.` : ''}${spec.oracle ? ' Not every list of arms may be shown.' : ''}`;
    preview.textContent = JSON.stringify(spec, null, 2);
    if (again) {
      advice.later();
    }
  }

  f.title.addEventListener('input', () => {
    if (!named) {
      f.name.value = f.title.value.trim() ? freshId(f.title.value, 'campaign', names) : '';
    }
  });
  f.name.addEventListener('input', () => { named = f.name.value !== ''; });
  const lows = kind.element.querySelectorAll('input');
  lows.forEach((radio) => radio.addEventListener('change', () => {
    f.low.value = isLinear() ? '-1' : '0';
    settle();
  }));

  function check() {
    const arms = armsOf();
    const ids = arms.map(idOfArm);
    const twice = ids.find((id, i) => ids.indexOf(id) !== i);
    const problem = twice ? `Two arms have the same id: ${twice}. Change one of them.` : arms.length < Math.max(2, slots()) ? `Name at least ${Math.max(2, slots())} arms, one per line.` : '';
    setWrong(f.arms, problem);
    if (problem) {
      f.arms.focus();
    }
    const range = Number(f.low.value) < Number(f.high.value) ? '' : 'The highest reward must be above the lowest.';
    setWrong(f.high, range);
    const stranger = measure.checked && f.control.value === 'list' ? controlLines().find((line) => !ids.includes(idOfArm(armOfLine(line)))) : undefined;
    const control = stranger === undefined ? '' : `“${stranger}” is not one of the arms above.`;
    if (control) {
      setWrong(f.controlArms, control);
      f.controlArms.focus();
    }
    return !problem && !range && !control;
  }

  // Another campaign has the id.
  function taken({ field: differs }) {
    const words = differs === 'name' ? 'A campaign with this id was deleted, and the server keeps its releases under the id. Choose another id.'
      : `Another campaign has this id, and its ${CALLED[differs] ?? differs} differs. Choose another id.`;
    return { field: 'name', message: words };
  }

  const more = h('details', { class: 'card' }, h('summary', {}, 'More settings'),
    h('div', { class: 'pair' }, field('Half-life', twin(f.half, halfUnit), 'Older results count less: after each half-life half as much. For tastes that change.', { optional: true }), field('Missing feedback counts as', f.default_reward, '0 unless given.', { optional: true })),
    prior.element, oracle.element, roundsField,
    h('div', { class: 'pair' }, stickyField, field('Room for arms', f.max_arms, 'How many arms there can be later. A few more than now, unless given.', { optional: true })),
    h('div', { class: 'pair' }, field('Decisions open at once', f.max_open, '1,000,000 unless given.', { optional: true }), field('Delta', f.delta, 'The algorithm’s own unless given.', { optional: true })),
    tick('Release early', f.early_release, 'A round counts as soon as its feedback comes. Whether and when a person gave feedback is then not protected.'),
    tick('Create it paused', f.paused, 'It shows nothing until you resume it.'),
    field('Own data', f.metadata, 'One per line, as name: value. No algorithm reads it. Write nothing about persons.', { optional: true }));
  const copyButton = h('button', { type: 'button', class: 'second small', onclick: () => copy(preview.textContent, copyButton) }, 'Copy');

  const form = h('form', {
    novalidate: true,
    oninput: ({ target }) => {
      setWrong(target, '');
      settle();
    },
    onsubmit: async (event) => {
      event.preventDefault();
      wrong.textContent = '';
      [...Object.values(f), ...Object.values(oracle.controls), prior.control].forEach((control) => setWrong(control, ''));
      const invalid = Object.values(f).find((control) => control.willValidate && control.closest('[hidden]') === null && !control.checkValidity());
      if (invalid) {
        setWrong(invalid, invalid.validationMessage);
        invalid.focus();
        return;
      }
      if (!check()) {
        return;
      }
      const spec = specOf();
      submit.disabled = true;
      try {
        const isNew = await api.create(spec);
        location.hash = `#/campaign/${encodeURIComponent(spec.name)}`;
        say(isNew ? `${spec.title ?? spec.name} is created.` : `A campaign with this id and these settings exists already: nothing was created.`);
      } catch (error) {
        placeError(error.code === 'exists' ? taken(error) : error, { ...f, ...oracle.controls, ...operator.controls, prior: prior.control, reward_range: f.low, wait_seconds: f.wait, half_life: f.half, evaluation: f.share, 'evaluation.control': f.control.value === 'list' ? f.controlArms : f.control, horizon: isLinear() ? f.horizon : f.rounds, algorithm }, wrong);
      } finally {
        submit.disabled = false;
      }
    },
  });
  const submit = h('button', { type: 'submit' }, 'Create the campaign');
  form.append(
    h('fieldset', { class: 'card' }, h('legend', {}, 'Name'), field('Title', f.title, 'For people. Spaces are fine.'), field('Id', f.name, 'Programs use it. Letters, digits, dots, _ and -. It never changes.'), field('Description', f.description, null, { optional: true })),
    h('div', { class: 'card' }, kind.element, field('Arms: what there is to show', f.arms, 'One per line. A line is one arm, also with spaces.'), chips, slotField, linearFields, normalizeField),
    h('div', { class: 'card' }, trust.element, field('Epsilon', f.epsilon, 'The privacy budget of one round. Smaller hides more, and learning takes longer. 1 is a common choice. It never changes.'), privacy.element,
      h('div', { class: 'pair' }, field('Rounds of one user that count', f.rounds_per_user, 'With a limit, the guarantee covers all rounds of a user. Programs must then send a user id.', { optional: true }), field('Budget over campaigns', f.budget, 'Limits what one user spends in several campaigns.', { optional: true }))),
    h('fieldset', { class: 'card' }, h('legend', {}, 'Feedback'), rangeFields, field('Wait for feedback', twin(f.wait, waitUnit), 'Each round counts when its time is over, with or without feedback. So nobody can find out which people gave feedback.')),
    measureCard, more, h('details', { class: 'card' }, h('summary', {}, 'For the privacy statement'), operator.elements),
    h('div', { class: 'card' }, field('Algorithm', algorithm, 'The advice next to this form simulates the algorithms that fit.'), wrong, h('div', { class: 'buttons' }, submit, h('a', { class: 'button second', href: '#/campaigns' }, 'Cancel'))));

  settle(false);
  root.append(pageHead('New campaign', { trail: h('a', { href: '#/campaigns' }, 'Campaigns'), words: 'Privacy settings can’t be changed later: another budget is another campaign.' }),
    h('div', { class: 'columns wide-left' }, form, h('div', { class: 'sticky' }, advice.element, card('Preview', { more: copyButton }, summary, h('details', {}, h('summary', {}, 'The request as JSON'), preview)))));
  return () => {
    advice.end();
    privacy.end();
  };
}
