// package.test.mjs - the package as users get it: packed, installed offline, loaded in several ways, its
// README run, its types checked.
import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";

import { startService } from "./serving.mjs";
import { LotorError, PACKAGE, PATIENCE, Randomizer, told, wasmBytes } from "./support.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const FILES = ["LICENSE", "README.md", "client.js", "device.js", "error.js", "feedback.js", "http.js", "index.d.ts", "index.js", "lotor.wasm", "openfeature.js", "package.json", "randomizer.js"];
let scratch;

const npm = (...rest) => execFileSync("npm", [...rest, "--offline", "--no-audit", "--no-fund", "--loglevel=error"], {
  cwd: scratch, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"], env: { ...process.env, npm_config_cache: join(scratch, "cache") },
});

before(() => {
  scratch = mkdtempSync(join(tmpdir(), "lotor-npm-"));
  const [packed] = JSON.parse(npm("pack", PACKAGE, "--json"));
  assert.deepEqual(packed.files.map(({ path }) => path).sort(), [...FILES].sort());
  writeFileSync(join(scratch, "package.json"), '{"name": "scratch", "private": true, "type": "module"}');
  npm("install", `./${packed.filename}`);
});
after(() => rmSync(scratch, { recursive: true, force: true }));

/** Runs a program in the scratch folder, where lotor-client is installed. */
async function run(source, ...options) {
  writeFileSync(join(scratch, "program.mjs"), source);
  const { stdout } = await promisify(execFile)(process.execPath, [...options, "program.mjs"], { cwd: scratch, timeout: 30000 * PATIENCE });
  return stdout;
}

const readme = () => [...readFileSync(join(PACKAGE, "README.md"), "utf8").matchAll(/^```js\n(.*?)^```/gms)].map(([, block]) => block);

test("it depends on nothing and names no other place", () => {
  const described = JSON.parse(readFileSync(join(PACKAGE, "package.json"), "utf8"));
  for (const name of ["dependencies", "devDependencies", "peerDependencies", "scripts", "publishConfig"]) {
    assert.equal(described[name], undefined, name);
  }
  assert.equal(described.license, "Apache-2.0");
  assert.equal(described.author, "The Lotor developers");
  const source = readFileSync(join(here, "../../../CMakeLists.txt"), "utf8");
  assert.equal(described.version, /project\(lotor VERSION (\S+)/.exec(source)[1], "one version for all of Lotor");
});

test("the README has no links out of the package", () => {
  const text = readFileSync(join(PACKAGE, "README.md"), "utf8");
  assert.doesNotMatch(text, /\]\((?!https?:|#)/);
  assert.match(text, /The tutorial is docs\/device-tutorial\.md,/);
  assert.match(text, /OpenFeature \(docs\/openfeature\.md\)/);
});

test("the inside of the package can't be imported", async () => {
  await assert.rejects(run('import "lotor-client/device.js";'), /ERR_PACKAGE_PATH_NOT_EXPORTED/);
});

test("README: a report", async () => {
  const output = await run(readme()[0]);
  assert.match(output, /^\{ report: [1-4] \}\n\{ report: [1-4] \}\n$/);
});

test("README: with a service, and its errors", async () => {
  const service = await startService();
  try {
    const { status } = await service.ask("/v1/campaigns", {
      name: "diary", algorithm: "cascade-ldp-rr", epsilon: 1, slots: 2, arms: ["tea", "coffee", "cocoa", "water"],
    });
    assert.equal(status, 201);
    const blocks = readme();
    assert.equal(blocks.length, 4);
    const central = { name: "articles", feedback: "clicks", epsilon: 1, slots: 2, arms: ["sleep", "stress", "focus"] };
    assert.equal((await service.ask("/v1/campaigns", central)).status, 201);
    const here = (block) => block.replace("http://127.0.0.1:8080", service.url).replace('"KEY"', JSON.stringify(service.key));
    assert.match(await run(here(blocks[1])), /^show: \w+, \w+\nsent: \{"report":[1-3]\} acknowledged\n$/);
    assert.match(await run(here(blocks[2])), /^sent: \{"click":"\w+"\} acknowledged\n$/);
    assert.match(await run(here(blocks[3])), /^no_such_campaign 404 null .+\n$/);
  } finally {
    await service.stop();
  }
});

test("Node without a global crypto has one all the same", async () => {
  const output = await run(`delete globalThis.crypto;\n${readme()[0]}console.log(typeof globalThis.crypto);`);
  assert.match(output, /^\{ report: [1-4] \}\n\{ report: [1-4] \}\nundefined\n$/);
});

test("the system's randomness is asked for, and without it there is no report", async () => {
  const program = `
    import { webcrypto } from "node:crypto";
    import { Randomizer } from "lotor-client";
    let asked = 0;
    const crypto = globalThis.crypto ?? webcrypto;
    const real = crypto.getRandomValues.bind(crypto);
    crypto.getRandomValues = (bytes) => { asked += bytes.length; if (asked > 4096) { throw new Error("quota"); } return real(bytes); };
    const randomizer = new Randomizer(${JSON.stringify(told({}))});
    await randomizer.report(1);
    console.log(asked > 0);
    try { for (;;) await randomizer.report(1); } catch (error) { console.log(error.code); }`;
  assert.equal(await run(program), "true\nentropy\n");
});

test("lotor.wasm from an address, from bytes and from a module, each loaded once", async () => {
  let asked = 0;
  const server = createServer((request, response) => {
    asked++;
    response.writeHead(request.url === "/lotor.wasm" ? 200 : 404, { "Content-Type": "application/octet-stream" });
    response.end(request.url === "/lotor.wasm" ? wasmBytes : "");
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const base = `http://127.0.0.1:${server.address().port}`;
  try {
    const bytes = new Uint8Array(wasmBytes);
    for (const wasm of [`${base}/lotor.wasm`, new URL(`${base}/lotor.wasm`), bytes, bytes.buffer, new WebAssembly.Module(bytes)]) {
      for (let i = 0; i < 3; i++) {
        assert.ok((await new Randomizer(told({}), { wasm }).report(1)).report > 0);
      }
    }
    assert.equal(asked, 1);
    await assert.rejects(new Randomizer(told({}), { wasm: `${base}/none` }).report(1), (error) => error instanceof LotorError && error.code === "wasm");
    await assert.rejects(new Randomizer(told({}), { wasm: `${base}/none` }).report(1), { code: "wasm" });
    assert.equal(asked, 3, "what failed is tried again");
    for (const wasm of [3, true, {}, new Uint8Array(8), "file:///nowhere"]) {
      await assert.rejects(new Randomizer(told({}), { wasm }).report(1), { name: "LotorError", code: "wasm" }, String(wasm));
    }
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

test("the module reports a missing lotor.wasm, and loads it once it is there", async () => {
  const folder = join(scratch, "bare");
  mkdirSync(folder);
  writeFileSync(join(folder, "package.json"), '{"type": "module"}');
  for (const file of FILES.filter((name) => name.endsWith(".js"))) {
    cpSync(join(PACKAGE, file), join(folder, file));
  }
  const bare = await import(pathToFileURL(join(folder, "index.js")));
  const randomizer = new bare.Randomizer(told({}));
  await assert.rejects(randomizer.report(1), (error) => error.code === "wasm" && /serve it next to the module/.test(error.message));
  cpSync(join(PACKAGE, "lotor.wasm"), join(folder, "lotor.wasm"));
  assert.ok((await randomizer.report(1)).report > 0);
});

// TypeScript's compiler is not a dependency: it is used if LOTOR_TSC names one or the path has one.
function findCompiler() {
  const places = [process.env.LOTOR_TSC ?? "", ...(process.env.PATH ?? "").split(":").map((folder) => join(folder, "tsc"))];
  return places.find((place) => place !== "" && existsSync(place));
}

test("the types", { skip: findCompiler() ? false : "there is no tsc: install node-typescript, or set LOTOR_TSC" }, async () => {
  cpSync(join(here, "types.ts"), join(scratch, "types.ts"));
  const options = ["--noEmit", "--strict", "--target", "es2022", "--module", "node16", "--moduleResolution", "node16", "--lib", "es2022,dom", "types.ts"];
  const failed = await promisify(execFile)(findCompiler(), options, { cwd: scratch, timeout: 120000 * PATIENCE }).then(() => "", ({ stdout }) => stdout);
  assert.equal(failed, "");
});
