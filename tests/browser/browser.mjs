// browser.mjs - controls headless Chromium over a pipe with its DevTools protocol. It needs only node.

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// Time limits are times LOTOR_TEST_PATIENCE: see scripts/patience.
export const patience = Number(process.env.LOTOR_TEST_PATIENCE ?? 1);

const wait = (milliseconds) => new Promise((done) => { setTimeout(done, milliseconds); });

export async function openBrowser(executable) {
  const profile = mkdtempSync(join(tmpdir(), 'lotor-browser.'));
  const child = spawn(executable, ['--headless=new', '--remote-debugging-pipe', '--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-extensions',
    '--disable-background-networking', '--disable-component-update', '--disable-sync', '--disable-dev-shm-usage', '--hide-scrollbars', '--force-color-profile=srgb',
    `--user-data-dir=${profile}`, 'about:blank'], { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });
  const [, , , out, back] = child.stdio;
  const waiting = new Map();
  // `sent`: all that leaves the page, with headers and bodies; `replies`: bodies by request, of what keepReplies says
  const seen = { errors: [], requests: [], sent: [], replies: [] };
  const byId = new Map();
  let keepReplies = () => false;
  let number = 0;
  let rest = '';
  let session;

  function hear(message) {
    if (message.id !== undefined) {
      const { done, fail } = waiting.get(message.id);
      waiting.delete(message.id);
      if (message.error) {
        fail(new Error(message.error.message));
      } else {
        done(message.result);
      }
      return;
    }
    const { method, params } = message;
    if (method === 'Network.requestWillBeSent') {
      const { url, method: verb, headers, postData, hasPostData } = params.request;
      const sent = { id: params.requestId, url, method: verb, headers: { ...headers }, body: hasPostData ? postData ?? null : undefined, type: params.type };
      seen.requests.push(url);
      seen.sent.push(sent);
      byId.set(params.requestId, sent);
    } else if (method === 'Network.requestWillBeSentExtraInfo') {
      Object.assign(byId.get(params.requestId)?.headers ?? {}, params.headers); // cookies and the like
    } else if (method === 'Network.webSocketCreated') {
      seen.requests.push(params.url);
      seen.sent.push({ id: params.requestId, url: params.url, method: 'WebSocket', headers: {}, type: 'WebSocket' });
    } else if (method === 'Network.loadingFinished' && keepReplies(byId.get(params.requestId)?.url ?? '')) {
      const { url } = byId.get(params.requestId);
      send('Network.getResponseBody', { requestId: params.requestId }).then(({ body }) => seen.replies.push({ url, body }), (error) => seen.errors.push(`${url}: ${error.message}`));
    } else if (method === 'Fetch.requestPaused') {
      pause(params);
    } else if (method === 'Runtime.exceptionThrown') {
      seen.errors.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
    } else if (method === 'Runtime.consoleAPICalled' && ['error', 'warning', 'assert'].includes(params.type)) {
      seen.errors.push(params.args.map((value) => value.value ?? value.description).join(' '));
    } else if (method === 'Log.entryAdded' && params.entry.level === 'error') {
      seen.errors.push(`${params.entry.text} ${params.entry.url ?? ''}`);
    }
  }
  back.on('data', (chunk) => {
    rest += chunk;
    for (let end = rest.indexOf('\0'); end >= 0; end = rest.indexOf('\0')) {
      const text = rest.slice(0, end);
      rest = rest.slice(end + 1);
      hear(JSON.parse(text));
    }
  });

  function send(method, params = {}, to = session) {
    number += 1;
    const id = number;
    out.write(`${JSON.stringify({ id, method, params, sessionId: to })}\0`);
    return new Promise((done, fail) => { waiting.set(id, { done, fail }); });
  }

  // Requests to paths that were given to `put` get its reply instead of the server's.
  const instead = new Map();
  function pause({ requestId, request }) {
    const { status, type, body } = instead.get(new URL(request.url).pathname);
    send('Fetch.fulfillRequest', { requestId, responseCode: status, responseHeaders: [{ name: 'Content-Type', value: type }], body: Buffer.from(body).toString('base64') }).catch(() => {});
  }

  const { targetInfos } = await send('Target.getTargets');
  const page = targetInfos.find((target) => target.type === 'page');
  session = (await send('Target.attachToTarget', { targetId: page.targetId, flatten: true })).sessionId;
  for (const domain of ['Page', 'Runtime', 'Network', 'Log']) {
    await send(`${domain}.enable`, domain === 'Network' ? { maxPostDataSize: 65536 } : {});
  }

  const browser = {
    seen,
    send,
    wait,
    keepReplies(of) {
      keepReplies = of;
    },
    // The test's reply for one path; null: the server replies again.
    async put(path, reply) {
      instead.set(path, reply);
      await (reply ? send('Fetch.enable', { patterns: [{ urlPattern: `*${path}` }] }) : send('Fetch.disable'));
    },
    // The value of an expression in the page; promises are waited for.
    async run(expression) {
      const { result, exceptionDetails } = await send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });
      if (exceptionDetails) {
        throw new Error(`${expression}: ${exceptionDetails.exception?.description ?? exceptionDetails.text}`);
      }
      return result.value;
    },
    // Until an expression is true in the page.
    async until(expression, what, seconds = 15) {
      for (const end = Date.now() + 1000 * seconds * patience; Date.now() < end; await wait(50)) {
        const value = await browser.run(expression);
        if (value) {
          return value;
        }
      }
      throw new Error(`not seen in ${seconds * patience} seconds: ${what ?? expression}\n${await browser.run('document.querySelector("main").innerText')}`);
    },
    async view(width, scheme, height = 900) {
      await send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: width < 600 });
      await send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: scheme }, { name: 'prefers-reduced-motion', value: 'reduce' }] });
    },
    async click(selector) {
      const place = await browser.run(`(() => { const e = document.querySelector(${JSON.stringify(selector)}); if (!e) return null; e.scrollIntoView({ block: 'center' });
        const r = e.getBoundingClientRect(); return { x: r.x + r.width / 2, y: r.y + r.height / 2 }; })()`);
      if (!place) {
        throw new Error(`nothing to click: ${selector}`);
      }
      for (const type of ['mousePressed', 'mouseReleased']) {
        await send('Input.dispatchMouseEvent', { type, ...place, button: 'left', clickCount: 1 });
      }
    },
    async type(selector, text) {
      await browser.run(`(() => { const e = document.querySelector(${JSON.stringify(selector)}); e.focus(); e.select?.(); })()`);
      await send('Input.insertText', { text });
    },
    async press(key, code) {
      for (const type of ['keyDown', 'keyUp']) {
        await send('Input.dispatchKeyEvent', { type, key, code: key, windowsVirtualKeyCode: code, text: key === 'Enter' && type === 'keyDown' ? '\r' : undefined });
      }
    },
    async picture(file, whole = true) {
      await wait(150);
      const { cssContentSize, cssLayoutViewport } = await send('Page.getLayoutMetrics');
      const clip = whole ? { x: 0, y: 0, width: cssLayoutViewport.clientWidth, height: Math.min(cssContentSize.height, 4000), scale: 1 } : undefined;
      const { data } = await send('Page.captureScreenshot', { format: 'png', captureBeyondViewport: whole, clip });
      writeFileSync(file, Buffer.from(data, 'base64'));
    },
    async close() {
      const ended = new Promise((done) => { child.on('exit', done); });
      const late = setTimeout(() => child.kill('SIGKILL'), 5000 * patience);
      send('Browser.close', {}, undefined).catch(() => {});
      await ended;
      clearTimeout(late);
      rmSync(profile, { recursive: true, force: true, maxRetries: 3 });
    },
    kill: () => child.kill('SIGKILL'),
  };
  return browser;
}
