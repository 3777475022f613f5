// operator.js - what the operator says about a campaign in its privacy statement.

import { h } from './dom.js';
import { field } from './form.js';

const FIELDS = [
  ['purpose', 'Purpose', 'Why feedback is collected.', 2000],
  ['controller', 'Controller', 'The name and address of the person or firm that is responsible.', 1000],
  ['legal_basis', 'Legal basis', 'Such as consent, or a legitimate interest.', 1000],
  ['contact', 'Contact', 'Whom people can ask.', 1000],
];

// `controls` by name, their fields, and `read`: those that differ from what the campaign says.
export function operatorFields(said = {}) {
  const controls = Object.fromEntries(FIELDS.map(([name, , , most]) => [name, h('textarea', { rows: 2, maxlength: most })]));
  for (const [name, control] of Object.entries(controls)) {
    control.value = said[name] ?? '';
  }
  return {
    controls,
    elements: FIELDS.map(([name, label, hint]) => field(label, controls[name], hint, { optional: true })),
    read() {
      const changed = Object.entries(controls).filter(([name, control]) => control.value.trim() !== (said[name] ?? ''));
      return Object.fromEntries(changed.map(([name, control]) => [name, control.value.trim() || null]));
    },
  };
}
