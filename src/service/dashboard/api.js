// api.js - talking to the server that served this page. The key stays in this tab: sessionStorage.

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
      headers: { Authorization: `Bearer ${key.get() ?? ''}` },
      body: body === undefined ? undefined : JSON.stringify(body),
      credentials: 'omit',
    });
  } catch {
    throw new Refusal(0, { code: 'away', field: null, message: 'The server does not answer.' });
  }
  const reply = await response.json();
  if (!response.ok) {
    throw new Refusal(response.status, reply.error);
  }
  return reply;
}

const at = (name) => `/v1/campaigns/${encodeURIComponent(name)}`;

export const api = {
  list: () => call('GET', '/v1/campaigns'),
  campaign: (name) => call('GET', at(name)),
  releases: (name, after) => call('GET', `${at(name)}/releases?limit=500&after=${after}`),
  create: (spec) => call('POST', '/v1/campaigns', spec),
  act: (name, act) => call('POST', `${at(name)}/${act}`, {}), // close, pause, resume, archive, unarchive
  arms: (name, changes) => call('POST', `${at(name)}/arms`, changes),
  rank: (name, asked) => call('POST', `${at(name)}/rank`, asked),
  reward: (event, answer) => call('POST', `/v1/events/${encodeURIComponent(event)}/reward`, answer),
  advise: (wish) => call('POST', '/v1/advise', wish),
  simulate: (wish) => call('POST', '/v1/simulate', wish),
};
