// device.js - loads lotor.wasm once, gives it random bytes of the system, and makes one report at a time.
//
// Not part of the public API: tests can give it another source of bytes, users can't.
import { LotorError } from "./error.js";

const MOST_BYTES_AT_ONCE = 65536; // of crypto.getRandomValues
const MOST_NESTED = 4; // calls within calls: the stack of lotor.wasm is small

/** An instance of lotor.wasm. `fill(bytes)` fills a Uint8Array with random bytes, or throws. */
export class Device {
  #fill;
  #wasm;
  #nested = 0;

  constructor(fill) {
    this.#fill = fill;
  }

  /** The imports of an instance. The caller makes the instance, since browsers require that this is
   * asynchronous. */
  get imports() {
    return { host: { fill: (at, count) => this.#fillAt(at, count) } };
  }

  /** Call it before the first report. */
  start(instance) {
    this.#wasm = instance.exports;
    this.#wasm._initialize();
    return this;
  }

  /** The randomized report of some feedback: whole numbers. `feedback` has either `rewards` or
   * `click`. */
  report(told, feedback) {
    if (this.#nested >= MOST_NESTED) {
      throw new LotorError("memory", "too many reports are made within each other");
    }
    this.#nested++;
    try {
      return this.#report(told, feedback);
    } finally {
      this.#nested--;
    }
  }

  #report(told, feedback) {
    const wasm = this.#wasm;
    const rewards = feedback.rewards ?? [];
    const mechanism = new TextEncoder().encode(told.mechanism);
    const byText = typeof told.epsilon === "string";
    const epsilon = byText ? new TextEncoder().encode(told.epsilon) : null;
    const call = wasm.device_open(
      Math.max(told.slots, rewards.length),
      mechanism.length,
      byText ? epsilon.length : wasm.device_digits_room(),
    );
    if (call === 0) {
      throw new LotorError("memory", "there is no memory left for a report");
    }
    try {
      this.#bytes(wasm.device_mechanism(call), mechanism.length).set(mechanism);
      if (byText) {
        this.#bytes(wasm.device_epsilon(call), epsilon.length).set(epsilon);
      } else {
        wasm.device_digits(call, told.epsilon);
      }
      new Float64Array(wasm.memory.buffer, wasm.device_rewards(call), rewards.length).set(rewards);
      const outcome = wasm.device_run(
        call, told.slot, told.slots, told.scale, told.unit, told.low, told.high,
        feedback.rewards ? 1 : 0, rewards.length, feedback.rewards ? 0 : feedback.click,
      );
      if (outcome < 0) {
        throw new LotorError(this.#text(wasm.device_status_name(-outcome)), this.#text(wasm.device_message(call)));
      }
      return Array.from(new BigInt64Array(wasm.memory.buffer, wasm.device_report(call), outcome), Number);
    } finally {
      wasm.device_close(call);
    }
  }

  // For the test that no raw feedback stays in memory.
  get memory() {
    return this.#wasm.memory.buffer;
  }

  // Returns 1, or 0 if there are no random bytes: an exception must not pass through the C code.
  #fillAt(at, count) {
    try {
      const bytes = this.#bytes(at, count);
      for (let from = 0; from < count; from += MOST_BYTES_AT_ONCE) {
        this.#fill(bytes.subarray(from, Math.min(count, from + MOST_BYTES_AT_ONCE)));
      }
      // Random halves are equal once in 2^(4 count) times. Equal halves mean that `fill` wrote nothing, or repeats itself.
      return bytes.subarray(count / 2).some((byte, i) => byte !== bytes[i]) ? 1 : 0;
    } catch {
      return 0;
    }
  }

  #bytes(at, count) {
    return new Uint8Array(this.#wasm.memory.buffer, at, count);
  }

  #text(at) {
    const bytes = new Uint8Array(this.#wasm.memory.buffer, at);
    return new TextDecoder().decode(bytes.subarray(0, bytes.indexOf(0)));
  }
}

async function readFile(url) {
  const files = await import("node:fs/promises");
  return files.readFile(url);
}

async function download(url) {
  const reply = await fetch(url);
  if (!reply.ok) {
    throw new Error(`${url} gave ${reply.status}`);
  }
  return reply.arrayBuffer();
}

const isAddress = (wasm) => typeof wasm === "string" || wasm instanceof URL;

async function compile(wasm) {
  if (wasm instanceof WebAssembly.Module) {
    return wasm;
  }
  if (!isAddress(wasm)) {
    return WebAssembly.compile(wasm);
  }
  const url = new URL(wasm, import.meta.url);
  return WebAssembly.compile(await (url.protocol === "file:" ? readFile(url) : download(url)));
}

// Node 18 has no global crypto.
async function systemRandomness() {
  const crypto = globalThis.crypto ?? (await import("node:crypto")).webcrypto;
  return (bytes) => crypto.getRandomValues(bytes);
}

async function load(wasm) {
  try {
    const device = new Device(await systemRandomness());
    return device.start(await WebAssembly.instantiate(await compile(wasm), device.imports));
  } catch (cause) {
    throw new LotorError(
      "wasm",
      `lotor.wasm could not be loaded, and without it nothing is reported (${cause.message}): ` +
        "serve it next to the module, or give its bytes or address as `wasm`",
      { cause },
    );
  }
}

const beside = new URL("lotor.wasm", import.meta.url);
const devices = new Map(); // by address
const devicesOfBytes = new WeakMap();

/** The device of a .wasm file (its bytes, module or address; default: the file next to this one). It
 * is made once. */
export async function deviceOf(given) {
  const wasm = given ?? beside;
  if (wasm instanceof Device) {
    return wasm;
  }
  if (!isAddress(wasm) && typeof wasm !== "object") {
    throw new LotorError("wasm", "`wasm` must be lotor.wasm's address, its bytes, or its compiled module");
  }
  const kept = isAddress(wasm) ? devices : devicesOfBytes;
  const key = isAddress(wasm) ? String(wasm) : wasm;
  let device = kept.get(key);
  if (!device) {
    device = load(wasm);
    kept.set(key, device);
    device.catch(() => kept.delete(key)); // so that the next call tries again
  }
  return device;
}
