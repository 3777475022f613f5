// console_test.mjs URL KEY READER SCRATCH [FOLDER] - uses the console in headless Chromium, as a person does.
//
// It signs in, creates each kind of campaign by hand, drives people through the API, and sees the headline move. It prints
// the statement, and pauses, edits, ends and deletes campaigns. Then it signs in as a reader, and is refused every change. It looks
// at every page in several widths and both colour schemes. Pictures go to FOLDER.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { PHONE, goTo, launch, lookAt, openPage, patience, tabThrough } from './pages.mjs';
import { clicker, coins, connect, liker, visit } from './people.mjs';

const [, , url, key, reader, scratch, folder] = process.argv;
const server = connect(url, key);
const coin = coins(11);
const browser = await launch();
const deadline = setTimeout(() => { console.error('the browser test took too long'); process.exit(1); }, 600000 * patience);
const soon = { timeout: 30000 * patience };

const TITLES = ['Coping with grief', 'Sleeping better', 'Talking to a friend', 'Breathing', 'A walk outside', 'Writing a diary', 'Music', 'A doctor', 'Less screen time', 'Cooking'];
const RATES = Object.fromEntries(['coping-with-grief', 'sleeping-better', 'talking-to-a-friend', 'breathing', 'a-walk-outside', 'writing-a-diary', 'music', 'a-doctor', 'less-screen-time', 'cooking']
  .map((id, i) => [id, 0.04 - 0.003 * i]));

// Fills in the form and creates the campaign. `more` does what is special about it.
async function create(page, { title, arms, kind, more = null }) {
  await goTo(page, '#/campaigns', 'Campaigns'); // an empty form
  await goTo(page, '#/new', 'New campaign');
  await page.getByLabel('Title', { exact: true }).fill(title);
  await page.getByRole('radio', { name: kind }).check();
  await page.getByLabel('Arms: what there is to show').fill(arms.join('\n'));
  await page.getByLabel('Wait for feedback').fill('0.3');
  await page.getByLabel('Unit of the waiting time').selectOption('seconds');
  await more?.();
  await page.getByRole('button', { name: 'Create the campaign' }).click();
  await page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor();
}

async function signIn() {
  const { page, seen, close } = await openPage(browser, url);
  await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
  await lookAt(page, 'sign-in', folder);
  await page.getByLabel('Key').fill('lotor_nonsense');
  await page.keyboard.press('Enter');
  await page.getByText('The server does not know this key.').waitFor();
  await page.getByLabel('Key').fill(key);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Campaigns' }).waitFor();
  await page.getByText('No campaign yet').waitFor();
  assert.equal(await page.evaluate('localStorage.length + document.cookie.length'), 0, 'the key is in sessionStorage alone');
  assert.equal(await page.evaluate('sessionStorage.length'), 1);
  await lookAt(page, 'campaigns-empty', folder);
  return { page, seen, close };
}

async function createAll(page) {
  await goTo(page, '#/new', 'New campaign');
  // The form shows an error next to its field, before it sends anything.
  await page.getByLabel('Title', { exact: true }).fill('Help articles');
  assert.equal(await page.getByLabel('Id', { exact: true }).inputValue(), 'help-articles');
  await page.getByLabel('Arms: what there is to show').fill('Coping with grief\ncoping with grief');
  await page.getByRole('button', { name: 'Create the campaign' }).click();
  await page.getByText('Two arms have the same id: coping-with-grief').waitFor();
  assert.equal(await page.getByLabel('Arms: what there is to show').getAttribute('aria-invalid'), 'true');
  // Advice comes while typing.
  await page.getByLabel('Arms: what there is to show').fill(TITLES.join('\n'));
  await page.locator('.advice strong').first().waitFor(soon);
  assert.match(await page.locator('.advice strong').first().innerText(), /^(lik|rr)-imed$/);
  assert.equal(await page.getByLabel('Algorithm', { exact: true }).evaluate((e) => e.selectedOptions[0].text), 'The default (lik-imed)', 'what needs nothing on devices');
  await page.getByText('Choosing at random').waitFor();
  await page.getByText('More settings').click();
  await page.getByLabel('Own data').fill('team: help centre\nticket: 417');
  await lookAt(page, 'new', folder);
  await tabThrough(page, 'new');

  await create(page, { title: 'Help articles', arms: TITLES, kind: /^One item/, more: async () => {
    await page.getByLabel('Epsilon', { exact: true }).fill('2');
    await page.getByLabel('Percent of rounds that measure').fill('30');
    await page.getByText('More settings').click();
    await page.getByLabel('Own data').fill('team: help centre\nticket: 417');
    await page.getByLabel('Description').fill('On the start page.');
    await page.getByText('For the privacy statement').click();
    await page.getByLabel('Purpose').fill('To show articles that help.');
  } });
  const one = await server.get('/v1/campaigns/help-articles');
  assert.deepEqual(one.arms.map(({ title, id }) => title ?? id), TITLES, 'one line is one arm');
  assert.equal(one.arms[0].id, 'coping-with-grief');
  assert.deepEqual([one.title, one.description, one.metadata], ['Help articles', 'On the start page.', { team: 'help centre', ticket: 417 }]);
  assert.deepEqual([one.epsilon, one.slots, one.wait_seconds, one.evaluation], [2, 1, 0.3, { share: 0.3, control: 'uniform' }]);

  await create(page, { title: 'Several', arms: ['a', 'b', 'c', 'd'], kind: /^Several items/, more: async () => {
    await page.getByLabel('How many at once').fill('2');
    await page.getByLabel('Highest reward').fill('5');
    await page.getByLabel('Rounds of one user that count').fill('3');
    await page.getByText('More settings').click();
    await page.getByLabel(/^Half-life/).fill('7');
  } });
  const several = await server.get('/v1/campaigns/several');
  assert.deepEqual([several.slots, several.feedback, several.reward_range, several.rounds_per_user, several.half_life], [2, 'rewards', [0, 5], 3, '7d']);

  await create(page, { title: 'A list', arms: TITLES.slice(0, 5), kind: /^A ranked list/, more: async () => {
    await page.getByLabel('How many at once').fill('3');
    await page.getByLabel('Control', { exact: true }).selectOption('list');
    await page.getByLabel('Arms of the control').fill(TITLES.slice(1, 5).join('\n'));
  } });
  const list = await server.get('/v1/campaigns/a-list');
  assert.deepEqual([list.slots, list.feedback, list.evaluation.control], [3, 'clicks', ['sleeping-better', 'talking-to-a-friend', 'breathing', 'a-walk-outside']]);

  await create(page, { title: 'By time of day', arms: ['Sleep', 'Focus', 'Food'], kind: /^By context/, more: async () => {
    await page.getByLabel('Numbers for each item').fill('6');
    await page.getByLabel('Rounds at most', { exact: true }).fill('50000');
    await page.getByLabel('Measure the lift against a control').uncheck();
  } });
  const linear = await server.get('/v1/campaigns/by-time-of-day');
  assert.deepEqual([linear.dimension, linear.horizon, linear.reward_range, linear.guarantee.model], [6, 50000, [-1, 1], 'joint']);

  await create(page, { title: 'On devices', arms: ['Gratitude', 'Plans'], kind: /^One item/, more: async () => {
    await page.getByRole('radio', { name: /^Nobody/ }).check();
    await page.getByLabel('Epsilon', { exact: true }).fill('3');
    await page.getByText('10% of the rounds measure the lift.').waitFor(); // a device can measure, too
    await page.getByLabel('Measure the lift against a control').uncheck();
  } });
  assert.equal((await server.get('/v1/campaigns/on-devices')).guarantee.model, 'local');

  // The form shows an error of the server next to its field.
  await goTo(page, '#/new', 'New campaign');
  await page.getByLabel('Title', { exact: true }).fill('Too much');
  await page.getByLabel('Arms: what there is to show').fill('a\nb');
  await page.getByText('More settings').click();
  await page.getByLabel('Room for arms').fill('4096');
  await page.getByLabel('Own data').fill('not a name!: 1');
  await page.getByRole('button', { name: 'Create the campaign' }).click();
  await page.locator('[aria-invalid]').first().waitFor();
  assert.equal(await page.locator('[aria-invalid]').evaluate((e) => e.labels[0].innerText.startsWith('Own data')), true, 'next to its field');
  console.log('created each kind of campaign by hand');
}

const axisTexts = (page) => page.locator('.plot .axis-text[text-anchor=end]').allTextContents();

async function driveHeadline(page) {
  await goTo(page, '#/campaign/help-articles', 'Help articles');
  const headline = page.getByRole('region', { name: 'Headline' });
  await headline.getByText('Not known yet').first().waitFor();
  assert.equal(await page.locator('.plot:visible').count(), 0, 'no empty chart');
  assert.equal(await page.locator('.facts div', { hasText: 'Rounds shown' }).locator('dd').innerText(), '0');
  assert.deepEqual(await page.locator('.arms td[data-label=Estimate]').allInnerTexts(), TITLES.map(() => 'none yet'));
  const value = headline.locator('.stat-value').first();
  await visit(server, 'help-articles', 8000, liker(RATES, coin));
  await page.waitForFunction(() => /^-?[0-9.]+%$/.test(document.querySelector('.headline .stat-value').innerText), null, soon);
  const before = await value.innerText();
  await visit(server, 'help-articles', 12000, liker(RATES, coin));
  await page.waitForFunction((text) => document.querySelector('.headline .stat-value').innerText !== text, before, soon);
  await page.waitForFunction(() => [...document.querySelectorAll('.facts div')].some((e) => e.innerText.startsWith('Waiting') && e.querySelector('dd').innerText === '0'), null, soon);
  const { lift } = await server.get('/v1/campaigns/help-articles');
  await page.waitForFunction((text) => document.querySelector('.headline .stat-value').innerText === text, `${(100 * lift.policy.mean).toFixed(2)}%`, soon);
  await headline.getByText(lift.decided ? `Decided: ${lift.decided}` : 'Not decided yet').waitFor();
  await headline.getByText('Moderate privacy').waitFor();
  console.log(`the headline moved from ${before} to ${await value.innerText()}`);

  // The chart fits rates of 1 to 4%: its axis ends far below 100%.
  const ends = (await axisTexts(page)).filter((text) => text.endsWith('%')).map((text) => parseFloat(text));
  assert.ok(ends.length >= 3 && Math.max(...ends) <= 30, `the axis has ${ends}`);
  assert.equal(await page.locator('.plot path.line').count(), 8, 'at most 8 lines');
  // The latest intervals are bars at the right edge. Only a chosen line has a band, and then the axis has room for it.
  const heights = () => page.locator('.plot path.line').evaluateAll((lines) => { const boxes = lines.map((line) => line.getPointAtLength(line.getTotalLength()).y); return Math.max(...boxes) - Math.min(...boxes); });
  assert.deepEqual([await page.locator('.plot .band').count(), await page.locator('.plot g > line.interval:first-child').count()], [0, 8]);
  assert.ok(await heights() > 50, `the ends of the lines are ${await heights()} pixels apart`);
  await page.locator('ul.legend button').first().click();
  assert.equal(await page.locator('.plot .band').count(), 1);
  assert.equal(await page.locator('.plot g.strong line.interval').count(), 3, 'its bar has two ends, and no arrow');
  await page.locator('ul.legend button').first().click();
  assert.equal(await page.locator('.plot .band').count(), 0);
  await page.getByText('The bars at the right edge are the latest 95% intervals.').waitFor();
  await page.getByRole('button', { name: 'Display share' }).click();
  await page.getByText('The share of all displays so far in which an arm was shown.').waitFor();
  assert.equal(await page.getByText('95% intervals').filter({ visible: true }).count(), 0, 'no interval of a share');
  assert.equal(await page.locator('.plot .interval').count(), 0);
  await page.getByRole('button', { name: 'Estimates' }).click();
  assert.ok(await page.locator('.plot .mark').count() > 10, 'releases are marked');
  await page.getByText(/2 more arms/).click();
  const other = page.locator('details ul.legend li').first();
  assert.ok(await other.getByRole('checkbox').isDisabled(), 'a ninth line has no place');
  await page.locator('ul.legend').first().getByRole('checkbox').first().uncheck();
  await other.getByRole('checkbox').check();
  assert.equal(await page.locator('.plot path.line').count(), 8);
  const estimates = (await page.locator('.arms td[data-label=Estimate]').allInnerTexts()).map(parseFloat);
  assert.deepEqual(estimates, [...estimates].sort((a, b) => b - a), 'arms are sorted by estimate');
  await lookAt(page, 'clicks', folder);
  await tabThrough(page, 'clicks');
}

async function lookAtKinds(page) {
  await visit(server, 'a-list', 4000, clicker(RATES, coin));
  await goTo(page, '#/campaign/a-list', 'A list');
  await page.getByText('Rounds with a click, now').waitFor(soon);
  await lookAt(page, 'list', folder);

  const evenings = [];
  const context = () => {
    const evening = coin() < 0.5 ? 1 : 0;
    const numbers = (arm) => Array.from({ length: 6 }, (none, i) => (i === 2 * arm + evening ? 1 : 0));
    evenings.push(evening);
    return { context: { sleep: numbers(0), focus: numbers(1), food: numbers(2) } };
  };
  await visit(server, 'by-time-of-day', 3000, ({ arms }) => ({ rewards: [coin() < (arms[0] === ['sleep', 'focus'][evenings.shift()] ? 0.6 : 0.2) ? 1 : -1] }), { request: context });
  await goTo(page, '#/campaign/by-time-of-day', 'By time of day');
  await page.getByRole('heading', { name: 'What was shown' }).waitFor();
  assert.equal(await page.locator('.arms td[data-label=Estimate]').count(), 0, 'no estimate by arm');
  for (const chart of await page.locator('.plot:visible').all()) {
    assert.ok(await chart.locator('path.line').count() > 0, 'no empty chart');
  }
  await lookAt(page, 'linear', folder);

  // An algorithm without intervals says so.
  await server.post('/v1/campaigns', { name: 'bayes', algorithm: 'jdp-bayes', epsilon: 1, dimension: 2, arms: ['a', 'b'], horizon: 2000, wait_seconds: 0.2 });
  await visit(server, 'bayes', 1500, () => ({ rewards: [coin() < 0.6 ? 1 : -1] }), { request: () => ({ context: { a: [1, 0], b: [0, 1] } }) });
  await goTo(page, '#/campaign/bayes', 'bayes');
  await page.getByText('The algorithm jdp-bayes gives no intervals').waitFor(soon);
  assert.equal(await page.getByText('not known', { exact: true }).filter({ visible: true }).count(), 0);
  await lookAt(page, 'bayes', folder);
  await server.post('/v1/campaigns/bayes/archive');

  const lie = 1 / (1 + Math.exp(3));
  await visit(server, 'on-devices', 3000, ({ arms }) => ({ report: (coin() < { gratitude: 0.5, plans: 0.3 }[arms[0]]) !== (coin() < lie) ? 1 : 0 }));
  await goTo(page, '#/campaign/on-devices', 'On devices');
  await page.waitForFunction(() => /^[0-9.]+%$/.test(document.querySelector('.arms td[data-label=Estimate]')?.innerText), null, soon);
  await page.getByRole('link', { name: 'Open the device page' }).waitFor();
  await page.getByText('Lines start when you opened this page: the server keeps no history of a local campaign.').waitFor();
  for (const chart of await page.locator('.plot:visible').all()) {
    assert.ok(await chart.locator('path.line').count() > 0, 'no empty chart');
  }
  await lookAt(page, 'local', folder);
}

// The statement as PDF: its pages have ink, and its text has the epsilon.
async function printStatement(page) {
  await goTo(page, '#/campaign/help-articles', 'Help articles');
  await page.getByRole('link', { name: 'Privacy statement' }).first().click();
  await page.getByRole('heading', { level: 1, name: 'Privacy statement' }).waitFor();
  await lookAt(page, 'statement', folder);
  const file = join(folder || scratch, 'statement.pdf');
  await page.pdf({ path: file, format: 'A4', printBackground: false, preferCSSPageSize: true });
  const text = execFileSync('pdftotext', ['-layout', file, '-'], { encoding: 'utf8' });
  assert.match(text, /Privacy statement/);
  assert.match(text, /Help articles/);
  assert.match(text, /Epsilon\s+2\b/);
  assert.match(text, /To show articles that help\./);
  assert.doesNotMatch(text, /Sign out|Print or save/, 'no navigation on paper');
  execFileSync('pdftoppm', ['-r', '40', '-gray', file, join(scratch, 'paper')]);
  const papers = readdirSync(scratch).filter((name) => name.endsWith('.pgm')).sort();
  for (const name of papers) {
    const bytes = readFileSync(join(scratch, name));
    const [header] = bytes.toString('latin1').match(/^P5\s+\d+\s+\d+\s+\d+\s/);
    const ink = bytes.subarray(header.length).filter((grey) => grey < 160).length / (bytes.length - header.length);
    assert.ok(ink > 0.002 && ink < 0.3, `${name}: ${ink} of the page is dark`);
  }
  assert.ok(papers.length >= 1 && papers.length <= 12, `${papers.length} pages`);
  console.log(`printed the statement: ${papers.length} pages`);
}

async function copyCode(page) {
  await goTo(page, '#/campaign/help-articles', 'Help articles');
  await page.getByRole('button', { name: 'Copy code' }).click();
  const dialog = page.getByRole('dialog');
  const take = async (language) => {
    await dialog.getByRole('button', { name: language }).click();
    await dialog.getByRole('button', { name: 'Copy', exact: true }).click();
    return page.evaluate('navigator.clipboard.readText()');
  };
  const curl = await take('curl');
  assert.match(execFileSync('sh', ['-c', curl], { encoding: 'utf8', env: { ...process.env, KEY: key }, stdio: ['ignore', 'pipe', 'ignore'] }), /"status": "acknowledged"/, 'the curl code runs');
  await page.waitForTimeout(2100);
  const script = (await take('JavaScript')).replace('"lotor-client"', JSON.stringify(new URL('../../clients/js/src/index.js', import.meta.url).href));
  writeFileSync(join(scratch, 'code.mjs'), `${script}\nconsole.log('done');\n`);
  assert.match(execFileSync('node', [join(scratch, 'code.mjs')], { encoding: 'utf8', env: { ...process.env, KEY: key } }), /done/, 'the JavaScript code runs');
  await page.waitForTimeout(2100);
  assert.match(await take('Python'), /client\.rank\("help-articles"\)/);
  await lookAt(page, 'code', folder);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  console.log('the code for curl and JavaScript runs');
}

async function changeArms(page) {
  await page.getByRole('button', { name: 'Pause Breathing' }).click();
  await page.getByRole('button', { name: 'Resume Breathing' }).click();
  await page.getByRole('button', { name: 'Pause Breathing' }).waitFor();
  await page.getByLabel('Add an arm').fill('Petting a cat');
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByRole('button', { name: 'Remove Petting a cat' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Remove Petting a cat' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove the arm' }).click();
  await page.getByText('✕ Removed').waitFor();
  assert.equal((await server.get('/v1/campaigns/help-articles')).arms.find((arm) => arm.id === 'petting-a-cat').removed, true);
}

// When there is no room for another arm, the console makes more room.
async function makeRoom(page) {
  await goTo(page, '#/campaign/a-list', 'A list');
  const { arms, max_arms: room } = await server.get('/v1/campaigns/a-list');
  for (let i = arms.length; i <= room; i += 1) {
    await page.getByLabel('Add an arm').fill(`Extra ${i}`);
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('button', { name: `Remove Extra ${i}` }).waitFor();
  }
  const later = await server.get('/v1/campaigns/a-list');
  assert.equal(later.arms.length, room + 1);
  assert.ok(later.max_arms > room, 'max_arms was raised');
}

async function manage(page) {
  await page.getByRole('button', { name: 'Edit title and labels' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('For the privacy statement').click();
  await dialog.getByText('Titles of arms').click();
  await lookAt(page, 'edit', folder);
  await dialog.getByLabel('Title', { exact: true }).fill('Help <b>articles</b>');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { level: 1, name: 'Help <b>articles</b>' }).waitFor();
  await page.getByRole('button', { name: 'Pause', exact: true }).click();
  await page.locator('.title-line').getByText('Paused').waitFor();
  await page.getByRole('button', { name: 'Resume', exact: true }).click();
  await page.locator('.title-line').getByText('Running').waitFor();
  await page.getByRole('button', { name: 'End…' }).click();
  await lookAt(page, 'confirm', folder);
  await dialog.getByRole('button', { name: 'End the campaign' }).click();
  await page.locator('.title-line').getByText('Ended').waitFor();
  await page.getByRole('button', { name: 'Archive…' }).click();
  await dialog.getByRole('button', { name: 'Archive', exact: true }).click();
  await page.locator('.title-line').getByText('Archived').waitFor();
  await page.getByRole('button', { name: 'Bring back' }).click();
  await page.locator('.title-line').getByText('Ended').waitFor();

  // Deleting needs the name.
  await goTo(page, '#/campaign/several', 'Several');
  await page.getByRole('button', { name: 'Delete…' }).click();
  assert.ok(await dialog.getByRole('button', { name: 'Delete for good' }).isDisabled());
  await lookAt(page, 'delete', folder);
  await dialog.getByRole('textbox').fill('several');
  await dialog.getByRole('button', { name: 'Delete for good' }).click();
  await page.getByRole('heading', { level: 1, name: 'Campaigns' }).waitFor();
  assert.equal((await server.get('/v1/campaigns/several')).deleted, true);
  console.log('paused, ended, archived, brought back and deleted');
}

async function findInList(page) {
  await goTo(page, '#/campaigns', 'Campaigns');
  const rows = page.locator('table.list tbody tr');
  await page.waitForFunction(() => document.querySelectorAll('.result .bone').length === 0, null, soon);
  assert.equal(await rows.count(), 4, 'without the deleted one');
  await lookAt(page, 'campaigns', folder);
  await tabThrough(page, 'campaigns');
  await page.getByLabel('Search').fill('time of');
  assert.deepEqual(await rows.locator('th a').allInnerTexts(), ['By time of day']);
  await page.getByLabel('Search').fill('');
  await page.getByLabel('State').selectOption('deleted');
  assert.deepEqual(await rows.locator('th a').allInnerTexts(), ['Several']);
  assert.match(await rows.locator('td[data-label=Epsilon]').innerText(), /^3\s+per user$/, 'of all rounds of a user');
  await page.getByLabel('State').selectOption('current');
  await page.getByLabel('Sort').selectOption('name');
  const names = await rows.locator('th a').allInnerTexts();
  assert.deepEqual(names, [...names].sort((a, b) => a.localeCompare(b)));
  await page.getByLabel('Started since').fill('2999-01-01');
  await page.getByText('Nothing matches').waitFor();

  // Weak is said to be weak.
  await server.post('/v1/campaigns', { name: 'huge', epsilon: 1e9, arms: ['a', 'b'] });
  await goTo(page, '#/budgets', 'Budgets');
  await goTo(page, '#/campaigns', 'Campaigns');
  assert.match(await rows.filter({ hasText: 'huge' }).locator('td[data-label=Epsilon]').innerText(), /^1,000,000,000\s[^]*Very weak privacy$/);
  await goTo(page, '#/campaign/huge', 'huge');
  await page.getByText('Warning: this campaign protects nobody in practice.').waitFor();
  assert.equal(await page.getByText('Protected: ').count(), 0);
  await goTo(page, '#/statement/huge', 'Privacy statement');
  await page.locator('.statement-headline.warning').waitFor();
  await server.remove('/v1/campaigns/huge');
}

// Being a visitor of the real campaign needs consent. Then feedback counts. The campaign waits long for feedback, so that the
// click is in time on a busy machine, too.
async function tryReal(page) {
  await server.post('/v1/campaigns', { name: 'patient', title: 'A patient list', feedback: 'clicks', slots: 2, arms: ['a', 'b', 'c'], epsilon: 1, wait_seconds: 3600 });
  await goTo(page, '#/campaign/patient', 'A patient list');
  const { decisions } = await server.get('/v1/campaigns/patient');
  const real = (checked) => page.getByRole('checkbox', { name: 'Use the real campaign', checked });
  await real(false).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  await real(false).waitFor(); // the page takes the tick away
  await real(false).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Use the real campaign' }).click();
  await page.getByRole('button', { name: 'Ask what to show' }).click();
  await page.getByText('Asked the real campaign.').waitFor();
  await page.getByRole('button', { name: /^Click / }).first().click();
  await page.getByText('Sent to the real campaign.').waitFor();
  assert.equal((await server.get('/v1/campaigns/patient')).decisions, decisions + 1);
  await server.remove('/v1/campaigns/patient');
}

// A key that is made here works, is shown once, and ends when it is revoked.
async function makeKey(page) {
  await goTo(page, '#/keys', 'Keys');
  await page.getByLabel('For', { exact: true }).selectOption('rank,reward');
  await page.getByLabel('Name', { exact: true }).fill('web-7');
  await page.getByLabel('Campaign', { exact: true }).selectOption('a-list');
  await page.getByRole('button', { name: 'Make the key' }).click();
  const dialog = page.getByRole('dialog');
  const made = (await dialog.locator('pre').innerText()).trim();
  assert.match(made, /^lotor_/);
  await lookAt(page, 'key', folder);
  await dialog.getByRole('button', { name: 'Done' }).click();
  const product = connect(url, made);
  assert.equal((await product.post('/v1/campaigns/a-list/rank')).arms.length, 3);
  await assert.rejects(product.get('/v1/campaigns'), { status: 403 });
  await lookAt(page, 'keys', folder);
  await page.getByRole('button', { name: 'Revoke web-7' }).click();
  await dialog.getByRole('button', { name: 'Revoke the key' }).click();
  await page.getByRole('button', { name: 'Revoke web-7' }).waitFor({ state: 'detached' });
  await assert.rejects(product.post('/v1/campaigns/a-list/rank'), { status: 401 });
  console.log('made a key, used it, revoked it');
}

async function budgetsAndAudit(page) {
  await goTo(page, '#/budgets', 'Budgets');
  await page.getByLabel('Name').fill('All members');
  await page.getByRole('button', { name: 'Create the budget' }).click();
  await page.getByRole('heading', { name: 'all-members' }).waitFor();
  await lookAt(page, 'budgets', folder);
  await goTo(page, '#/audit', 'Audit log');
  await page.getByLabel('Search').fill('deleted');
  await page.locator('table.audit').getByText('Deleted').first().waitFor();
  assert.deepEqual(await page.locator('table.audit th[scope=col]').allInnerTexts(), ['Time', 'Key', 'Change', 'Campaign', 'Details']);
  await page.getByText('Keys of the command lotor key are not listed.').waitFor();
  await lookAt(page, 'audit', folder);
}

async function play(page) {
  await goTo(page, '#/learn', 'How private learning works');
  await page.waitForFunction(() => document.querySelector('input[type=range]').max === '79', null, soon);
  const end = await page.locator('.arms').first().innerText();
  await page.getByRole('button', { name: 'Play' }).click();
  await page.waitForFunction((text) => document.querySelector('.arms').innerText !== text, end);
  await page.getByRole('button', { name: 'Pause' }).click();
  await lookAt(page, 'learn', folder);
}

// A reader sees everything and is offered no change. The server refuses what the page does not offer.
async function readOnly() {
  const { page, seen, close } = await openPage(browser, url, { size: PHONE, key: reader });
  await page.getByRole('button', { name: 'Menu' }).click();
  assert.deepEqual(await page.locator('nav a:visible').allInnerTexts(), ['Campaigns', 'Budgets', 'How it works']);
  await page.getByText('reviewer: read only').waitFor();
  assert.equal(await page.getByRole('link', { name: 'New campaign' }).count(), 0);
  await goTo(page, '#/campaign/a-list', 'A list');
  for (const words of [/^Pause/, /^Remove/, /^Delete/, /^End/, /^Edit/, /^Ask what/]) {
    assert.equal(await page.getByRole('button', { name: words }).count(), 0, `${words} is not for readers`);
  }
  await lookAt(page, 'reader', folder);
  await page.getByRole('link', { name: 'Privacy statement' }).first().click();
  await page.getByRole('heading', { level: 1, name: 'Privacy statement' }).waitFor();
  for (const hash of ['#/new', '#/keys', '#/audit']) {
    await page.evaluate((to) => { location.hash = to; }, hash);
    await page.getByText('This page needs a key with the role admin').waitFor();
    await page.evaluate(() => { location.hash = '#/campaigns'; });
    await page.getByRole('heading', { level: 1, name: 'Campaigns' }).waitFor();
  }
  const refused = connect(url, reader);
  for (const [path, body] of [['/v1/campaigns', { name: 'x', epsilon: 1, arms: ['a', 'b'] }], ['/v1/campaigns/a-list/pause', {}], ['/v1/campaigns/a-list/arms', { pause: ['breathing'] }], ['/v1/campaigns/a-list/rank', {}], ['/v1/budgets', { name: 'x', epsilon: 1 }]]) {
    await assert.rejects(refused.post(path, body), { status: 403 }, path);
  }
  await assert.rejects(refused.remove('/v1/campaigns/a-list'), { status: 403 });
  await assert.rejects(refused.get('/v1/audit'), { status: 403 });
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
  assert.equal(await page.evaluate('sessionStorage.length'), 0);
  assert.deepEqual([seen.errors, seen.others], [[], []]);
  await close();
  console.log('a reader sees, and is refused every change');
}

// The size of every file of the pages, gzipped.
async function weigh() {
  const paths = new Set(['/', '/device', '/app.css', '/mask.svg', '/client/lotor.wasm']);
  for (const path of paths) {
    const text = await (await fetch(new URL(path, url))).text();
    for (const [, from] of text.matchAll(/(?:from|import\()\s*["']\.\/([^"']+)["']/g)) {
      paths.add(new URL(from, new URL(path, url)).pathname);
    }
    for (const [, from] of text.matchAll(/src="([^"]+)"/g)) {
      if (/^\/[a-z_]+\.js$/.test(from)) paths.add(from);
    }
  }
  let sum = 0;
  for (const path of paths) {
    sum += gzipSync(Buffer.from(await (await fetch(new URL(path, url))).arrayBuffer())).length;
  }
  assert.ok(paths.size > 30 && sum < 200 * 1024, `${paths.size} files have ${sum} bytes`);
  console.log(`${paths.size} files, ${Math.round(sum / 1024)} KiB gzipped`);
}

try {
  const { page, seen, close } = await signIn();
  await createAll(page);
  await driveHeadline(page);
  await lookAtKinds(page);
  await printStatement(page);
  await copyCode(page);
  await changeArms(page);
  await manage(page);
  await findInList(page);
  await tryReal(page);
  await makeKey(page);
  await budgetsAndAudit(page);
  await play(page);
  await makeRoom(page);
  assert.deepEqual(seen.errors, [], 'the console of the browser');
  assert.deepEqual(seen.others, [], 'requests to other hosts');
  await close();
  await readOnly();
  await weigh();
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
