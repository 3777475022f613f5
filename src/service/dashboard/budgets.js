// budgets.js - budgets: what one user can spend in several campaigns together.

import { api } from './api.js';
import { h, card, empty, pageHead, say, table } from './dom.js';
import { field, input, number, placeError } from './form.js';
import { idOf, when } from './format.js';
import { may } from './session.js';

function budgetCard(budget) {
  const share = Math.min(1, Number(budget.most.epsilon) / Number(budget.epsilon));
  return card(budget.name, { more: h('span', { class: 'soft' }, 'created ', when(budget.created, true)) },
    h('p', {}, 'One user can spend at most epsilon ', h('strong', {}, String(budget.epsilon)), budget.delta ? `, delta ${budget.delta}` : '', ' in all campaigns of this budget.'),
    h('p', { class: 'soft' }, Number(budget.most.epsilon) > 0 ? `The campaigns below can use ${budget.most.epsilon} of it.` : 'No campaign uses it yet.'),
    h('progress', { max: '1', value: share, 'aria-label': `Used at most by one user in ${budget.name}` }),
    budget.campaigns.length ? table(`Campaigns of ${budget.name}`, [['Campaign'], ['Epsilon of a round', 'number'], ['Rounds per user', 'number'], ['Rounds the budget is enough for', 'number']],
      budget.campaigns.map((row) => h('tr', {}, h('th', { scope: 'row' }, h('a', { href: `#/campaign/${encodeURIComponent(row.name)}` }, row.name)), h('td', { 'data-label': 'Epsilon of a round', class: 'number' }, String(row.epsilon)),
        h('td', { 'data-label': 'Rounds per user', class: 'number' }, row.rounds_per_user === null ? 'no limit' : String(row.rounds_per_user)), h('td', { 'data-label': 'Rounds the budget is enough for', class: 'number' }, String(row.rounds ?? '—'))))) : null,
    budget.statement ? h('details', {}, h('summary', {}, 'Statement for reviewers'), h('p', {}, budget.statement)) : null);
}

function form(done) {
  const name = input({ required: true });
  const epsilon = number({ value: 3, required: true });
  const delta = number({ value: 0, required: true });
  const wrong = h('p', { class: 'wrong', role: 'alert' });
  return card('New budget', {}, h('form', {
    onsubmit: async (event) => {
      event.preventDefault();
      wrong.textContent = '';
      try {
        await api.makeBudget({ name: idOf(name.value) || name.value, epsilon: Number(epsilon.value), ...(Number(delta.value) ? { delta: Number(delta.value) } : {}) });
        say('The budget is created.');
        done();
      } catch (error) {
        placeError(error, { name, epsilon, delta }, wrong);
      }
    },
  }, field('Name', name), field('Epsilon of one user', epsilon, 'The most that one user can spend in all campaigns of the budget together. It never changes.'),
  field('Delta', delta, 'Leave 0, unless many small campaigns share the budget. Then each needs a limit of rounds per user.'), wrong, h('button', { type: 'submit' }, 'Create the budget')));
}

export async function budgetsPage(root) {
  const list = h('div');
  async function draw() {
    const { budgets } = await api.budgets();
    const whole = await Promise.all(budgets.map((budget) => api.budget(budget.name)));
    list.replaceChildren(...(whole.length ? whole.map(budgetCard) : [h('div', { class: 'card' }, empty('No budget yet', 'A person who takes part in five campaigns of epsilon 1 spends 5. A budget limits that sum.'))]));
  }
  await draw();
  root.append(pageHead('Budgets', { words: 'A budget limits what one user can spend in several campaigns together.' }), may('admin') ? h('div', { class: 'columns wide-left' }, list, form(draw)) : list);
  return null;
}
