// pages.mjs - opens the console in Debian's Chromium with playwright-core, and checks what must hold on every page:
// no violation that axe-core finds, nothing wider than the screen, no error, no request to another host.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const require = createRequire(join(process.env.LOTOR_NODE_MODULES, 'package.json'));
const { chromium } = require('playwright-core');
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

// Time limits are times LOTOR_TEST_PATIENCE: see scripts/patience.
export const patience = Number(process.env.LOTOR_TEST_PATIENCE ?? 1);

export const DESKTOP = { width: 1280, height: 900 };
export const PHONE = { width: 360, height: 740 };

export async function launch() {
  return chromium.launch({ executablePath: process.env.LOTOR_CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox', '--disable-dev-shm-usage'] });
}

// A page with its own session. `seen` has what a person does not see: errors, and requests to other hosts.
export async function openPage(browser, url, { size = DESKTOP, scheme = 'light', key = null } = {}) {
  const context = await browser.newContext({ viewport: size, colorScheme: scheme, reducedMotion: 'reduce', locale: 'en-GB', timezoneId: 'Europe/Berlin', bypassCSP: false, permissions: ['clipboard-read', 'clipboard-write'] });
  const page = await context.newPage();
  page.setDefaultTimeout(15000 * patience);
  const seen = { errors: [], others: [], bytes: new Map() };
  page.on('pageerror', (error) => seen.errors.push(error.message));
  // Chromium logs every refusal of a server. The test checks refusals itself.
  page.on('console', (message) => { if (['error', 'warning'].includes(message.type()) && !message.text().startsWith('Failed to load resource')) seen.errors.push(message.text()); });
  page.on('request', (request) => { if (!request.url().startsWith(url) && !/^(data|blob|about):/.test(request.url())) seen.others.push(request.url()); });
  await page.goto(url);
  if (key) {
    await page.getByLabel('Key').fill(key);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { level: 1, name: 'Campaigns' }).waitFor();
  }
  return { page, seen, close: () => context.close() };
}

export async function goTo(page, hash, title) {
  await page.evaluate((to) => { location.hash = to; }, hash);
  await page.getByRole('heading', { level: 1, name: title }).waitFor();
}

// axe-core runs outside the page's own content security policy: it is not a part of the page.
async function violations(page) {
  const session = await page.context().newCDPSession(page);
  await session.send('Runtime.evaluate', { expression: axe });
  const found = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }));
  await session.detach();
  return found.violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html.slice(0, 100)}`));
}

const LOOKS = [[360, 'light'], [360, 'dark'], [768, 'light'], [1280, 'light'], [1280, 'dark'], [1600, 'light']];

// Looks at the page in all widths and both colour schemes; pictures go to `folder`.
export async function lookAt(page, name, folder) {
  for (const [width, scheme] of LOOKS) {
    await page.setViewportSize({ width, height: width < 600 ? 740 : 900 });
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
    await page.waitForTimeout(150);
    const [inner, outer] = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
    assert.ok(inner <= outer, `${name} at ${width}: scrolls sideways, ${inner} in ${outer}`);
    assert.deepEqual(await violations(page), [], `${name} at ${width}, ${scheme}: axe-core`);
    if (folder) {
      await page.screenshot({ path: join(folder, `${name}-${width}-${scheme}.png`), fullPage: await page.locator('dialog[open]').count() === 0 });
    }
  }
  await page.setViewportSize(DESKTOP);
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  console.log(`looked at ${name}: no violation in ${LOOKS.length} looks`);
}

// The Tab key reaches every control, in the order of the page.
export async function tabThrough(page, name) {
  await page.evaluate(() => { document.activeElement.blur(); scrollTo(0, 0); document.body.setAttribute('tabindex', '-1'); document.body.focus(); globalThis.reached = []; });
  const controls = () => [...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex="0"]')]
    .filter((e) => !e.disabled && e.checkVisibility() && (e.type !== 'radio' || e.checked));
  const count = await page.evaluate(`(${controls})().length`);
  for (let i = 0; i < count + 10; i += 1) {
    await page.keyboard.press('Tab');
    await page.evaluate(() => { const e = document.activeElement; if (e !== document.body && !globalThis.reached.includes(e)) globalThis.reached.push(e); });
  }
  const wrong = await page.evaluate(`(() => { const wrong = []; const all = (${controls})();
    for (const e of all) if (!reached.includes(e)) wrong.push('Tab does not reach ' + e.outerHTML.slice(0, 80));
    for (let i = 1; i < reached.length; i += 1) if (!(reached[i - 1].compareDocumentPosition(reached[i]) & Node.DOCUMENT_POSITION_FOLLOWING)) wrong.push('out of order: ' + reached[i].outerHTML.slice(0, 80));
    document.body.removeAttribute('tabindex'); return wrong; })()`);
  assert.deepEqual(wrong, [], `${name}: keyboard`);
}
