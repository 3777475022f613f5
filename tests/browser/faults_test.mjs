// faults_test.mjs URL KEY READER SCRATCH [FOLDER] - what the console shows when something is wrong: the server does not
// reply, a key ends, an address is damaged, a campaign is gone, a guarantee protects nobody.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { goTo, launch, lookAt, openPage, patience } from './pages.mjs';
import { connect } from './people.mjs';

const [, , url, key, , scratch, folder] = process.argv;
const server = connect(url, key);
const browser = await launch();
const deadline = setTimeout(() => { console.error('the test of faults took too long'); process.exit(1); }, 300000 * patience);
const soon = { timeout: 30000 * patience };

const signedOut = 'You were signed out: the server no longer accepts your key. It has expired, or somebody has revoked it.';

// An open page says that it is old, goes on trying, and is fresh again when the server is back.
async function serverAway() {
  const { page, close } = await openPage(browser, url, { key });
  await goTo(page, '#/campaign/home', 'home');
  const stale = page.locator('.stale');
  assert.equal(await stale.isVisible(), false);
  await page.route('**/v1/**', (route) => route.abort());
  await stale.getByText(/Not updated since \d\d:\d\d: the server does not reply/).waitFor(soon);
  await lookAt(page, 'stale', folder);
  await page.getByRole('button', { name: 'Pause', exact: true }).click();
  await page.getByText('The server does not reply. Check that it runs, and try again.').waitFor();
  await page.unroute('**/v1/**');
  await server.post('/v1/campaigns/home/rank');
  await stale.waitFor({ state: 'hidden', ...soon });
  await page.waitForFunction(() => document.querySelector('.facts dd').innerText === '1', null, soon);
  // an error of the server is told as it is
  await page.route('**/v1/campaigns/home', (route) => route.fulfill({ status: 503, json: { error: { code: 'store', field: null, message: 'the disk is full' } } }));
  await stale.getByText(/Not updated since \d\d:\d\d: The disk is full\./).waitFor(soon);
  await page.unroute('**/v1/campaigns/home');
  await stale.waitFor({ state: 'hidden', ...soon });
  // the list says which results it could not read
  await page.route('**/v1/campaigns/home', (route) => route.abort());
  await goTo(page, '#/campaigns', 'Campaigns');
  await page.getByText('Not loaded').first().waitFor();
  await close();

  const device = await openPage(browser, `${url}device#local`);
  await device.page.getByLabel('Key').fill(key);
  await device.page.getByRole('button', { name: 'Sign in' }).click();
  await device.page.getByRole('heading', { level: 1, name: 'local' }).waitFor();
  await device.page.locator('.item').first().click();
  await device.page.getByText('Meaning of the report').waitFor();
  await lookAt(device.page, 'device-axe', folder);
  await device.page.route('**/v1/**', (route) => route.abort());
  await device.page.locator('.stale').getByText(/Not updated since \d\d:\d\d: the server does not reply/).waitFor(soon);
  await device.close();
  console.log('a page says that the server does not reply');
}

// A key that ends while a page is open: the person gets to the sign-in page, with the reason.
async function keyEnds() {
  const hold = async (hash, title, then) => {
    const made = await server.post('/v1/keys', { roles: ['admin'], name: 'short' });
    const { page, close } = await openPage(browser, url, { key: made.key });
    await goTo(page, hash, title);
    await server.remove(`/v1/keys/${made.id}`);
    await then?.(page);
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor(soon);
    await page.getByText(signedOut).waitFor();
    assert.equal(await page.evaluate('sessionStorage.length'), 0);
    return { page, close };
  };
  const { page, close } = await hold('#/campaign/home', 'home');
  await lookAt(page, 'signed-out', folder);
  await page.getByLabel('Key').fill(key);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { level: 1, name: 'home' }).waitFor(); // where the person was
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
  assert.equal(await page.getByText(signedOut).count(), 0, 'not after signing out');
  await close();
  await (await hold('#/new', 'New campaign', async (form) => {
    await form.getByLabel('Title', { exact: true }).fill('Late');
    await form.getByLabel('Arms: what there is to show').fill('a\nb');
    await form.getByRole('button', { name: 'Create the campaign' }).click();
  })).close();
  await (await hold('#/campaigns', 'Campaigns', (list) => list.reload())).close();
  console.log('a person whose key has ended signs in again');
}

async function addresses() {
  const { page, seen, close } = await openPage(browser, url, { key });
  for (const [hash, words] of [['#/campaign/%E0%A4%A', 'The address of this page is damaged.'], ['#/statement/%', 'The address of this page is damaged.'], ['#/campaign/none', 'There is no campaign with this id.']]) {
    await page.evaluate((to) => { location.hash = to; }, hash);
    await page.getByText(words).waitFor();
    assert.equal(await page.getByText('/v1/').count(), 0, 'no path of the API');
    await page.getByRole('link', { name: 'All campaigns' }).click();
    await page.getByRole('heading', { level: 1, name: 'Campaigns' }).waitFor();
  }
  await page.goto(`${url}device#%E0%A4%A`);
  await page.getByRole('heading', { level: 1, name: 'Be somebody’s device' }).waitFor();
  assert.deepEqual(seen.errors, []);
  await close();
}

// A campaign that is deleted says so, and offers nothing that it can't do.
async function deleted() {
  await server.post('/v1/campaigns', { name: 'gone', epsilon: 1, arms: ['a', 'b'], wait_seconds: 1 });
  const { page, close } = await openPage(browser, url, { key });
  await goTo(page, '#/campaign/gone', 'gone');
  await page.getByRole('button', { name: 'Copy code' }).waitFor();
  await server.remove('/v1/campaigns/gone');
  await page.locator('.title-line').getByText('Deleted').waitFor(soon);
  await page.getByText('The campaign was deleted before it released a number.').waitFor();
  assert.equal(await page.getByText('The first number is released').count(), 0);
  assert.equal(await page.getByRole('button', { name: 'Copy code' }).isVisible(), false);
  await close();
}

// Weak is said to be weak, first and over the whole width.
async function weak() {
  await server.post('/v1/campaigns', { name: 'huge', epsilon: 1e9, arms: ['a', 'b'] });
  await server.post('/v1/campaigns', { name: 'capped', epsilon: 0.5, arms: ['a', 'b'], rounds_per_user: 4 });
  const { page, close } = await openPage(browser, url, { key });
  await goTo(page, '#/campaign/huge', 'huge');
  const warning = page.getByRole('region', { name: 'Headline' }).locator('.warning');
  await warning.getByText('Warning: this campaign protects nobody in practice.').waitFor();
  await warning.getByText('1,000,000,000').waitFor();
  const [outer, inner] = await page.evaluate(() => ['.headline', '.headline .warning'].map((name) => document.querySelector(name).getBoundingClientRect()));
  assert.ok(inner.width > 0.9 * outer.width && inner.top - outer.top < 60, 'first, and over the whole width');
  await lookAt(page, 'weak', folder);
  await goTo(page, '#/campaign/capped', 'capped');
  assert.equal(await page.locator('.headline .warning').isVisible(), false);
  const { guarantee } = await server.get('/v1/campaigns/capped');
  assert.deepEqual([guarantee.epsilon, guarantee.per_round.epsilon], [2, 0.5]);
  await page.getByText('For one round alone, epsilon is 0.5. A user has up to 4 rounds that count, so epsilon is 2 for all of them together.').waitFor();
  await close();
}

// The code clicks an arm that was shown.
async function codeForClicks() {
  await server.post('/v1/campaigns', { name: 'clicks', epsilon: 1, feedback: 'clicks', slots: 2, arms: ['never', 'b', 'c', 'd'], wait_seconds: 600 });
  await server.post('/v1/campaigns/clicks/arms', { pause: ['never'] });
  const { page, close } = await openPage(browser, url, { key });
  await goTo(page, '#/campaign/clicks', 'clicks');
  await page.getByRole('button', { name: 'Copy code' }).click();
  const curl = await page.getByLabel('The code').innerText();
  assert.doesNotMatch(curl, /never/);
  assert.match(execFileSync('sh', ['-c', curl], { encoding: 'utf8', env: { ...process.env, KEY: key }, stdio: ['ignore', 'pipe', 'ignore'] }), /"status": "acknowledged"/, 'the curl code runs');
  await close();
  console.log('the code for clicks runs');
}

try {
  await server.post('/v1/campaigns', { name: 'home', epsilon: 1, arms: ['a', 'b'], wait_seconds: 600 });
  await server.post('/v1/campaigns', { name: 'local', algorithm: 'rr-imed', epsilon: 1, arms: ['a', 'b'], wait_seconds: 600 });
  await serverAway();
  await keyEnds();
  await addresses();
  await deleted();
  await weak();
  await codeForClicks();
  console.log('done');
} catch (error) {
  console.error(error);
  process.exitCode = 1;
  const open = browser.contexts().flatMap((context) => context.pages()).at(-1);
  await open?.screenshot({ path: join(folder || scratch, 'failed.png'), fullPage: true }).catch(() => {});
} finally {
  clearTimeout(deadline);
  await browser.close();
}
