// reports.js - from a click to a report, by lotor-client (clients/js) as it is: its randomizers run in this page, and
// nothing else here sees the click on its way to the server.

import { key } from './api.js';

const WASM = '/client/lotor.wasm';
let loaded = null;

class Missing extends Error {
  title = 'The randomizer is missing';
}

async function load() {
  const reply = await fetch(WASM, { credentials: 'omit' }).catch(() => null);
  if (!reply?.ok) {
    const told = await reply?.json().catch(() => null);
    throw new Missing(told?.error.message ?? 'the server does not reply');
  }
  const [{ Client }, wasm] = await Promise.all([import('./client/index.js'), reply.arrayBuffer()]);
  return { Client, wasm };
}

// Sends reports with this tab's key, and no raw feedback. `maxEpsilon`: refuses a larger epsilon. If the build has no
// randomizers, it throws an error that says what to do.
export async function openReporter(maxEpsilon = null) {
  loaded ??= load().catch((error) => {
    loaded = null;
    throw error;
  });
  const { Client, wasm } = await loaded;
  const client = new Client({ url: location.origin, key: key.get(), local: true, maxEpsilon, wasm });
  return {
    // `place` of the click from 1, 0 for none. Resolves to the body that was sent: {report}. A mechanism that
    // asks for rewards gets the highest reward for the clicked arm, and the lowest reward for all others.
    async send(decision, place) {
      const { mechanism, low, high } = decision.randomizer;
      const clicks = mechanism !== 'laplace' && mechanism !== 'cube';
      const feedback = clicks ? place : { rewards: decision.arms.map((id, i) => (place === i + 1 ? high : low)) };
      return (await client.reward(decision, feedback)).sent;
    },
  };
}

// A report as a list of numbers, as law.js has it.
export const numbersOf = ({ report }) => [report].flat();
