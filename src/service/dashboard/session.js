// session.js - what the key of this tab may do. Pages ask `may` before they offer a change.

import { api } from './api.js';

let me = null;

// Asks the server for the roles of the key. A server that does not tell is asked for the audit log, which only
// an admin may read.
export async function openSession() {
  me = await api.me();
  if (!me) {
    const admin = await api.audit(0, 1).then(() => true, (error) => {
      if (error.status !== 403) {
        throw error;
      }
      return false;
    });
    me = { roles: admin ? ['admin'] : ['read'], name: null, campaign: null };
  }
  me.roles = Array.isArray(me.roles) ? me.roles : String(me.roles).split(',');
  return me;
}

export const closeSession = () => { me = null; };
export const session = () => me;
export const may = (role) => me !== null && (me.roles.includes('admin') || me.roles.includes(role));

// In words, for the head of the page.
export function sessionText() {
  const name = me.name && me.name !== '-' ? `${me.name}: ` : '';
  const rights = may('admin') ? 'admin' : 'read only';
  return `${name}${rights}${me.campaign ? `, campaign ${me.campaign}` : ''}`;
}
