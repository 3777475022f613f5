// http.js - sends JSON to the service and reads the reply: one address, one key, a time limit, and retries that are
// safe.
import { LotorError } from "./error.js";

const MOST_WAIT = 5000; // milliseconds between two tries

const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

// Null: the text is not JSON.
function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const refusedIn = ({ refused }) => (Array.isArray(refused) && refused.length > 0 ? refused : null);

function refusal(status, body) {
  const told = body?.error;
  return typeof told?.code === "string" && typeof told?.message === "string"
    ? new LotorError(told.code, told.message, { field: told.field ?? null, status, refused: refusedIn(body) })
    : new LotorError("http", `the service replied ${status} without a reason: check the address`, { status });
}

// The service's address, which ends in a slash. In a page it may be relative to the page.
function baseOf(given) {
  const refuse = (why) => {
    throw new LotorError("invalid", `\`url\` is not the address of a service: ${why}; expected the protocol http or https, a host and a port, as for curl`, { field: "url" });
  };
  let url;
  try {
    url = new URL(String(given), globalThis.location?.href);
  } catch {
    return refuse("it can't be read as a URL");
  }
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    refuse(`it begins with ${url.protocol}`);
  }
  if (url.username || url.password) {
    refuse("it has a name or a password in it, and the key is given as `key`");
  }
  if (url.search || url.hash) {
    refuse("it has a query or a fragment");
  }
  return url.href.replace(/\/*$/, "/");
}

export class Http {
  #base;
  #headers;
  #timeout;
  #retries;
  #fetch;

  constructor({ url, key, timeout, retries, fetch }) {
    this.#base = baseOf(url);
    this.#headers = { "Content-Type": "application/json" };
    if (key) {
      this.#headers.Authorization = `Bearer ${key}`;
    }
    this.#timeout = timeout;
    this.#retries = retries;
    this.#fetch = fetch ?? ((...request) => globalThis.fetch(...request));
  }

  /** How often a request is sent again at most. */
  get retries() {
    return this.#retries;
  }

  /** Waits before something is sent again, after `tries` tries that failed. */
  async wait(tries, signal) {
    await pause(Math.min(200 * 2 ** tries, MOST_WAIT));
    signal?.throwIfAborted();
  }

  /** Resolves to the reply's JSON. `repeatable`: sending the request twice has the same effect as once. */
  async post(path, body, { repeatable, signal }) {
    for (let tries = 0; ; tries++) {
      const { result, error, wait } = await this.#once(path, JSON.stringify(body), signal);
      if (!error) {
        return result;
      }
      const undone = error.status === 503 || error.status === 429; // the service says that nothing happened
      const lost = error.code === "network" || error.code === "timeout";
      if (tries >= this.#retries || !(undone || (lost && repeatable))) {
        throw error;
      }
      await pause(Math.min(wait ?? 200 * 2 ** tries, MOST_WAIT));
    }
  }

  async #once(path, body, signal) {
    signal?.throwIfAborted();
    const control = new AbortController();
    const stop = () => control.abort(signal.reason);
    const timer = setTimeout(() => control.abort(), this.#timeout);
    signal?.addEventListener("abort", stop);
    try {
      const reply = await this.#fetch(this.#base + path, {
        method: "POST",
        headers: this.#headers,
        body,
        cache: "no-store",
        redirect: "error", // a report must not be sent to another server
        signal: control.signal,
      });
      const json = parse(await reply.text());
      if (reply.ok && json !== null) {
        return { result: json };
      }
      const seconds = Number(reply.headers.get("Retry-After") ?? NaN);
      return { error: refusal(reply.status, json), wait: seconds >= 0 ? seconds * 1000 : undefined };
    } catch (cause) {
      signal?.throwIfAborted(); // the caller aborted: throw the caller's error
      return {
        error: control.signal.aborted
          ? new LotorError("timeout", `the service did not reply within ${this.#timeout} ms`, { cause })
          : new LotorError("network", `the service can't be reached: ${cause.message}`, { cause }),
      };
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", stop);
    }
  }
}
