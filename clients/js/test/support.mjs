// support.mjs - what the tests share: the built package, bytes from a seed, the command.
import { createCipheriv } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

function setting(name) {
  const value = process.env[name];
  if (!value) {
    throw new Error(`${name} is not set: use clients/js/test/run`);
  }
  return value;
}

/** Time limits are multiplied by this: see scripts/patience. */
export const PATIENCE = Number(process.env.LOTOR_TEST_PATIENCE ?? 1);
export const PACKAGE = setting("LOTOR_JS"); // build/clients/js
export const LOTOR = setting("LOTOR"); // the command
export const GOLDEN = setting("LOTOR_JS_GOLDEN"); // golden.c, compiled

const load = (file) => import(pathToFileURL(join(PACKAGE, file)));
export const { Randomizer, Client, LotorError } = await load("index.js");
const { Device } = await load("device.js"); // internal to the package: users can't give other bytes

export const wasmBytes = readFileSync(join(PACKAGE, "lotor.wasm"));
const compiled = new WebAssembly.Module(wasmBytes);

/** Bytes of ChaCha20 with the seed as key and the nonce 0, as in golden.c. */
export function seededBytes(seed) {
  const key = Buffer.alloc(32);
  key.writeBigUInt64LE(BigInt(seed));
  const cipher = createCipheriv("chacha20", key, Buffer.alloc(16));
  return (bytes) => bytes.set(cipher.update(new Uint8Array(bytes.length)));
}

/** A device with another source of bytes than the system's. */
export function deviceWith(fill) {
  const device = new Device(fill);
  return device.start(new WebAssembly.Instance(compiled, device.imports));
}
export const seededDevice = (seed) => deviceWith(seededBytes(seed));

/** Settings as the service sends them, with changes. */
export const told = (changes) => ({
  mechanism: "position", slot: 0, epsilon: 1, scale: 0, unit: 0, low: 0, high: 1, slots: 3, ...changes,
});

const UNIT = 2 ** -20; // of rewards in [0, 1]

/** Laplace reports of rewards in [0, 1], with exactly the noise that epsilon needs. */
export const toldLaplace = (epsilon, slots, slot = 0) =>
  told({ mechanism: "laplace", epsilon, slots, slot, unit: UNIT, scale: Math.ceil(((slot ? 1 : slots) / epsilon) * 2 ** 20) });
