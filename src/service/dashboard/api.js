// api.js - talks to the server that served this page. The key stays in this tab: sessionStorage.

import { sentence } from './format.js';

const PLACE = 'lotor-key';
const PATIENCE = 30000; // milliseconds: a server that takes longer does not reply

// Messages of the API name its paths. People who use the pages read this instead.
const WORDS = {
  no_such_campaign: 'There is no campaign with this id.',
  no_such_key: 'There is no such key: it may have been revoked.',
  unauthorized: 'The server does not know this key, or the key has expired.',
  archived: 'The campaign is archived and read-only. Bring it back first.',
  paused: 'The campaign is paused and shows nothing. Resume it first.',
};

export const key = {
  get: () => sessionStorage.getItem(PLACE),
  set: (text) => sessionStorage.setItem(PLACE, text),
  drop: () => sessionStorage.removeItem(PLACE),
};

export class Refusal extends Error {
  constructor(status, error) {
    super(WORDS[error.code] ?? sentence(error.message));
    this.status = status;
    this.code = error.code;
    this.field = error.field;
  }
}

let keyIsLost = () => {};
// `handler` is called when the server refuses a key that is in use.
export const onLostKey = (handler) => { keyIsLost = handler; };

async function send(method, path, body) {
  const used = key.get();
  const away = () => new Refusal(0, { code: 'away', field: null, message: 'The server does not reply. Check that it runs, and try again.' });
  let response;
  try {
    response = await fetch(path, {
      method,
      headers: { Authorization: `Bearer ${used ?? ''}`, Accept: 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
      credentials: 'omit',
      signal: AbortSignal.timeout(PATIENCE),
    });
  } catch {
    throw away();
  }
  const reply = await response.json().catch(() => null);
  if (response.status === 401 && used && used === key.get()) {
    keyIsLost();
  }
  if (response.ok && reply === null) {
    throw away(); // it stopped in the middle of its reply
  }
  if (!response.ok) {
    throw new Refusal(response.status, reply?.error ?? { code: 'internal', field: null, message: `The server replied with status ${response.status}.` });
  }
  return { status: response.status, reply };
}
const call = async (method, path, body) => (await send(method, path, body)).reply;

// Null where this server has no such path, or refuses this key: the page then leaves that part out.
async function optional(promise) {
  try {
    return await promise;
  } catch (error) {
    if (error.status === 403 || error.status === 404 || error.status === 405) {
      return null;
    }
    throw error;
  }
}

const at = (name) => `/v1/campaigns/${encodeURIComponent(name)}`;

export const api = {
  list: (archived = false) => call('GET', `/v1/campaigns${archived ? '?archived=true' : ''}`),
  campaign: (name) => call('GET', at(name)),
  releases: (name, after) => call('GET', `${at(name)}/releases?limit=500&after=${after}`),
  outlook: (name) => optional(call('GET', `${at(name)}/outlook`)),
  statement: (name) => optional(call('GET', `${at(name)}/statement`)),
  // Resolves to whether the campaign is new: with the same settings it may be there already.
  create: async (spec) => (await send('PUT', at(spec.name), spec)).status === 201,
  dryRun: (spec) => call('POST', '/v1/campaigns?dry_run=true', spec),
  edit: (name, labels) => call('PATCH', at(name), labels),
  act: (name, act) => call('POST', `${at(name)}/${act}`, {}), // close, pause, resume, archive, unarchive
  remove: (name) => call('DELETE', at(name)),
  sandbox: (name) => call('POST', `${at(name)}/sandbox`, {}),
  arms: (name, changes) => call('POST', `${at(name)}/arms`, changes),
  rank: (name, asked) => call('POST', `${at(name)}/rank`, asked),
  reward: (event, feedback) => call('POST', `/v1/events/${encodeURIComponent(event)}/reward`, feedback),
  advise: (wish) => call('POST', '/v1/advise', wish),
  simulate: (wish) => call('POST', '/v1/simulate', wish),
  me: () => optional(call('GET', '/v1/me')),
  keys: () => call('GET', '/v1/keys'),
  makeKey: (wish) => call('POST', '/v1/keys', wish),
  revokeKey: (id) => call('DELETE', `/v1/keys/${encodeURIComponent(id)}`),
  budgets: () => call('GET', '/v1/budgets'),
  budget: (name) => call('GET', `/v1/budgets/${encodeURIComponent(name)}`),
  makeBudget: (spec) => call('POST', '/v1/budgets', spec),
  audit: (after, limit) => call('GET', `/v1/audit?after=${after}&limit=${limit}`),
};
