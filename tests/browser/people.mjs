// people.mjs - makes campaigns over the API, and drives simulated people through them.

export function connect(url, key) {
  async function ask(method, path, body) {
    const reply = await fetch(new URL(path, url), { method, headers: { Authorization: `Bearer ${key}` }, body: body === undefined ? undefined : JSON.stringify(body) });
    const told = await reply.json();
    if (!reply.ok) {
      throw Object.assign(new Error(`${method} ${path}: ${told.error.code}: ${told.error.message}`), { status: reply.status, code: told.error.code });
    }
    return told;
  }
  return { get: (path) => ask('GET', path), post: (path, body = {}) => ask('POST', path, body), patch: (path, body) => ask('PATCH', path, body), remove: (path) => ask('DELETE', path) };
}

// The same numbers for the same seed.
export function coins(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

// `answer` gets a decision, and gives the body of its reward. Batches of 200 people; `pause` milliseconds after each.
export async function visit(server, campaign, people, answer, { pause = 0, request = null } = {}) {
  for (let left = people; left > 0; left -= 200) {
    const count = Math.min(200, left);
    const asked = request ? { requests: Array.from({ length: count }, request) } : { count };
    const { decisions } = await server.post(`/v1/campaigns/${campaign}/rank-batch`, asked);
    const rewards = decisions.filter((decision) => decision.event !== null).map((decision) => ({ event: decision.event, ...answer(decision) }));
    for (let at = 0; at < rewards.length; at += 200) {
      await server.post('/v1/rewards', { rewards: rewards.slice(at, at + 200) });
    }
    if (pause) {
      await new Promise((done) => { setTimeout(done, pause); });
    }
  }
}

// Clicks at the rates of `means` (by arm), in a list read from the top.
export function clicker(means, coin) {
  return ({ arms }) => ({ click: arms.find((id) => coin() < means[id]) ?? null });
}

export function liker(means, coin) {
  return ({ arms }) => ({ rewards: arms.map((id) => (coin() < means[id] ? 1 : 0)) });
}
