// reports.js - from a click to what may be sent, by lotor-client (clients/js) as it is: its randomizers run in this
// page, and nothing else here sees the click on its way to the server.

const WASM = '/client/lotor.wasm';
let loaded = null;

class Missing extends Error {
  title = 'The randomizer is missing';
}

async function load() {
  const reply = await fetch(WASM, { credentials: 'omit' }).catch(() => null);
  if (!reply?.ok) {
    const told = await reply?.json().catch(() => null);
    throw new Missing(told?.error.message ?? 'The server does not answer.');
  }
  const [{ Randomizer }, wasm] = await Promise.all([import('./client/index.js'), reply.arrayBuffer()]);
  return { Randomizer, wasm };
}

// Throws where there is none, with what to do.
export function loadRandomizer() {
  loaded ??= load().catch((error) => {
    loaded = null;
    throw error;
  });
  return loaded;
}

// The body of a reward: {report}. `place` of the click from 1, or 0; `count`: how many arms were shown. What asks
// for rewards gets the highest one for what was clicked, the lowest for all else.
export async function reportOf(randomizer, place, count) {
  const { Randomizer, wasm } = await loadRandomizer();
  const { mechanism, slot, low, high } = randomizer;
  const clicks = mechanism === 'bit' || mechanism === 'position';
  const asked = slot ? [slot] : Array.from({ length: count }, (none, i) => i + 1);
  return new Randomizer(randomizer, { wasm }).report(clicks ? place : { rewards: asked.map((at) => (at === place ? high : low)) });
}

// A report as a list of numbers, as law.js has it.
export const numbersOf = ({ report }) => [report].flat();
