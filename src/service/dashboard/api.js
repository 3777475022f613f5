// api.js - talks to the server that served this page. The key stays in this tab: sessionStorage.

const PLACE = 'lotor-key';

export const key = {
  get: () => sessionStorage.getItem(PLACE),
  set: (text) => sessionStorage.setItem(PLACE, text),
  drop: () => sessionStorage.removeItem(PLACE),
};

export class Refusal extends Error {
  constructor(status, error) {
    super(error.message);
    this.status = status;
    this.code = error.code;
    this.field = error.field;
  }
}

async function call(method, path, body) {
  let response;
  try {
    response = await fetch(path, {
      method,
      headers: { Authorization: `Bearer ${key.get() ?? ''}`, Accept: 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
      credentials: 'omit',
    });
  } catch {
    throw new Refusal(0, { code: 'away', field: null, message: 'The server does not reply. Check that it is running, and try again.' });
  }
  const reply = await response.json().catch(() => null);
  if (!response.ok || reply === null) {
    throw new Refusal(response.status, reply?.error ?? { code: 'internal', field: null, message: `The server replied with status ${response.status}.` });
  }
  return reply;
}

// Null where this server has no such path, or refuses this key: the page then leaves that part out.
async function optional(promise) {
  try {
    return await promise;
  } catch (error) {
    if (error.status === 403 || error.status === 404 || error.status === 405 || error.status === 503) {
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
  create: (spec) => call('POST', '/v1/campaigns', spec),
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
