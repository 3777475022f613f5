// serving.mjs - starts a real `lotor serve`, and a relay to it that records every byte that a client sends.
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

import { LOTOR, PATIENCE } from "./support.mjs";

const ended = (child) => new Promise((done) => (child.exitCode === null ? child.once("exit", done) : done()));

/** Starts a server on a free port, with an admin key. `stop` ends it and removes its files. */
export async function startService() {
  const folder = mkdtempSync(join(tmpdir(), "lotor-js-"));
  const store = join(folder, "a.db"), portFile = join(folder, "port");
  const key = execFileSync(LOTOR, ["key", "--store", store, "--role", "admin"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  const server = spawn(LOTOR, ["serve", "--store", store, "--port", "0", "--port-file", portFile, "--allow-weak-epsilon"], { stdio: "ignore" });
  const onExit = () => server.kill("SIGKILL");
  process.once("exit", onExit); // whatever happens to the test
  const stop = async () => {
    server.kill("SIGTERM");
    await ended(server);
    process.removeListener("exit", onExit);
    rmSync(folder, { recursive: true, force: true });
  };
  for (let tries = 0; !(existsSync(portFile) && readFileSync(portFile, "utf8").includes("\n")); tries++) {
    if (tries === 100 * PATIENCE || server.exitCode !== null) {
      await stop();
      throw new Error("lotor serve did not start");
    }
    await pause(100);
  }
  const port = Number(readFileSync(portFile, "utf8"));
  const url = `http://127.0.0.1:${port}`;

  /** Sends a request to the server directly, without the relay. */
  const ask = async (path, body) => {
    const reply = await fetch(url + path, {
      method: body ? "POST" : "GET",
      headers: { Authorization: `Bearer ${key}` },
      body: body && JSON.stringify(body),
    });
    return { status: reply.status, body: await reply.json() };
  };
  return { key, port, url, ask, stop };
}

/** A TCP relay to the server. `sent()` is all that clients sent through it, as text. */
export async function recordWire(port) {
  const chunks = [];
  const open = new Set();
  const relay = createServer((client) => {
    const server = connect(port, "127.0.0.1");
    for (const socket of [client, server]) {
      open.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => (open.delete(socket), client.destroy(), server.destroy()));
    }
    client.on("data", (data) => chunks.push(data));
    client.pipe(server).pipe(client);
  });
  await new Promise((done) => relay.listen(0, "127.0.0.1", done));
  return {
    url: `http://127.0.0.1:${relay.address().port}`,
    sent: () => Buffer.concat(chunks).toString("latin1"),
    forget: () => (chunks.length = 0),
    stop: () => new Promise((done) => (relay.close(done), open.forEach((socket) => socket.destroy()))),
  };
}

/** The requests in the recorded bytes: [{head, body}], with bodies by their Content-Length. */
export function requestsIn(sent) {
  const requests = [];
  for (let at = 0; at < sent.length; ) {
    const bodyAt = sent.indexOf("\r\n\r\n", at) + 4;
    if (bodyAt < 4) {
      throw new Error("a request without an end of its head");
    }
    const head = sent.slice(at, bodyAt);
    const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0);
    requests.push({ head, body: sent.slice(bodyAt, bodyAt + length) });
    at = bodyAt + length;
  }
  return requests;
}
