// form_test.mjs URL KEY READER SCRATCH [FOLDER] - checks that the form for a new campaign agrees with the service.
// It compares the level of privacy in the form with that of created campaigns, and looks where errors are. It writes titles in
// several scripts, and uses the fields that few campaigns need.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { goTo, launch, lookAt, openPage, patience } from './pages.mjs';
import { connect, liker, coins, visit } from './people.mjs';

const [, , url, key, , scratch, folder] = process.argv;
const server = connect(url, key);
const browser = await launch();
const deadline = setTimeout(() => { console.error('the test of the form took too long'); process.exit(1); }, 300000 * patience);
const soon = { timeout: 30000 * patience };

const { page, seen, close } = await openPage(browser, url, { key });
const arms = page.getByLabel('Arms: what there is to show');
const id = page.getByLabel('Id', { exact: true });
const level = page.locator('p.level');
const create = () => page.getByRole('button', { name: 'Create the campaign' }).click();

async function emptyForm(title = null, lines = ['a', 'b']) {
  await goTo(page, '#/campaigns', 'Campaigns');
  await goTo(page, '#/new', 'New campaign');
  await page.getByText('More settings').click();
  if (title) {
    await page.getByLabel('Title', { exact: true }).fill(title);
    await arms.fill(lines.join('\n'));
  }
}
const settled = () => page.waitForFunction(() => !document.querySelector('p.level').innerText.startsWith('Checking') && document.querySelector('p.level').innerText !== '', null, soon);
// The labels of the fields that are said to be wrong, with what is wrong.
const wrongs = () => page.locator('.wrong:not(:empty)').evaluateAll((all) => all.map((e) => [document.getElementById(e.id.replace('-wrong', ''))?.labels?.[0]?.firstChild.textContent ?? 'the form', e.innerText]));
async function wrongAt(label, words) {
  await page.locator('.wrong:not(:empty)').first().waitFor(soon);
  const [[where, what], ...others] = await wrongs();
  assert.deepEqual([where, others], [label, []], what);
  assert.match(what, words);
}

// The form and the created campaign say the same.
async function levels() {
  const cases = [
    { epsilon: '1' }, { epsilon: '3' }, { epsilon: '7.5' }, { epsilon: '12' }, { epsilon: '1000000000' }, { epsilon: '0.001' }, { epsilon: '1', rounds: '1' }, { epsilon: '1', rounds: '9' }, { epsilon: '20', rounds: '1000' },
    { epsilon: '2', who: /^Nobody/ }, { epsilon: '1', kind: /^By context/ }, { epsilon: '1', kind: /^By context/, delta: '0.05' }, { epsilon: '1', kind: /^By context/, delta: '0.0000001' }, { epsilon: '1', kind: /^By context/, delta: '0.05', rounds: '30' },
    { epsilon: '1', kind: /^A ranked list/ },
  ];
  for (const [i, { epsilon, rounds = '', delta = '', kind = null, who = null }] of cases.entries()) {
    await emptyForm(`Level ${i}`, ['a', 'b', 'c', 'd']);
    if (kind) await page.getByRole('radio', { name: kind }).check();
    if (who) await page.getByRole('radio', { name: who }).check();
    await page.getByLabel('Epsilon', { exact: true }).fill(epsilon);
    await page.getByLabel('Rounds of one user that count').fill(rounds);
    await page.getByLabel(/^Delta/).fill(delta);
    await settled();
    const said = await level.innerText();
    const what = JSON.stringify({ epsilon, rounds, delta, kind: String(kind), who: String(who), said });
    await create();
    if (said.startsWith('✕ Not possible')) {
      await page.locator('.wrong:not(:empty)').first().waitFor(soon);
      await assert.rejects(server.get(`/v1/campaigns/level-${i}`), { status: 404 }, what);
      assert.ok(said.includes((await wrongs())[0][1]), what);
      continue;
    }
    await page.getByRole('heading', { level: 1, name: `Level ${i}` }).waitFor(soon);
    const { guarantee } = await server.get(`/v1/campaigns/level-${i}`);
    const upper = (text) => text.charAt(0).toUpperCase() + text.slice(1);
    assert.ok(said.includes(guarantee.level === 'none' ? 'No privacy' : `${upper(guarantee.level)} privacy`), `${what}: ${guarantee.level}`);
    assert.ok(guarantee.meaning === null || said.includes(upper(guarantee.meaning)), `${what}: ${guarantee.meaning}`);
    await page.locator('.headline').getByText(guarantee.level === 'none' ? 'No privacy' : `${upper(guarantee.level)} privacy`).waitFor();
  }
  for (const epsilon of ['0', '-1', '']) { // no level at all
    await emptyForm('Impossible');
    await page.getByLabel('Epsilon', { exact: true }).fill(epsilon);
    await level.getByText('Not possible').waitFor(soon);
    await create();
    await wrongAt('Epsilon', /./);
  }
  console.log('the level in the form is the level of the campaign');
}

async function errors() {
  // an arm of the control that does not exist
  await emptyForm('Control');
  await page.getByLabel('Control', { exact: true }).selectOption('list');
  await page.getByLabel('Arms of the control').fill('zzz\nb');
  await create();
  await wrongAt('Arms of the control', /“zzz” is not one of the arms above/);
  await page.getByLabel('Arms of the control').fill('b\nb'); // the server finds this one
  await create();
  await wrongAt('Arms of the control', /./);
  // a taken id
  await server.post('/v1/campaigns', { name: 'taken', epsilon: 1, arms: ['a', 'b'] });
  await server.post('/v1/campaigns', { name: 'ended', epsilon: 1, arms: ['a', 'b'] });
  await server.remove('/v1/campaigns/ended');
  await emptyForm('Taken');
  await page.getByLabel('Epsilon', { exact: true }).fill('2');
  await create();
  await wrongAt('Id', /Another campaign has this id, and its .* differs/);
  await emptyForm('Ended');
  await create();
  await wrongAt('Id', /A campaign with this id was deleted/);
  // the same request again creates nothing, and says so
  for (const words of ['Same thing is created.', 'nothing was created']) {
    await emptyForm('Same thing');
    await create();
    await page.locator('#said').getByText(words).waitFor(soon);
    await page.getByRole('heading', { level: 1, name: 'Same thing' }).waitFor();
  }
  assert.equal(await page.getByText('/v1/').count(), 0, 'no path of the API');
  console.log('each error is next to its field');
}

async function scripts() {
  await emptyForm('心の支え', ['心の支え', 'Ça va ?', 'Сон 1', 'Straße', 'Łódź']);
  assert.equal(await id.inputValue(), 'campaign-1');
  await page.getByLabel('Control', { exact: true }).selectOption('list');
  await page.getByLabel('Arms of the control').fill('Сон 1\n心の支え');
  await create();
  await page.getByRole('heading', { level: 1, name: '心の支え' }).waitFor(soon);
  const one = await server.get('/v1/campaigns/campaign-1');
  assert.equal(one.title, '心の支え');
  assert.deepEqual(one.arms.map(({ id: name, title }) => [name, title]), [['arm-1', '心の支え'], ['ca-va', 'Ça va ?'], ['arm-3', 'Сон 1'], ['strasse', 'Straße'], ['lodz', 'Łódź']]);
  assert.deepEqual(one.evaluation.control, ['arm-3', 'arm-1']);
  await page.locator('.settings').getByText('control: Сон 1, 心の支え').waitFor();
  await page.getByLabel('Add an arm').fill('よく眠る');
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByRole('button', { name: 'Pause よく眠る' }).waitFor();
  assert.equal((await server.get('/v1/campaigns/campaign-1')).arms[5].id, 'arm-6');
  await emptyForm('もう一つ');
  assert.equal(await id.inputValue(), 'campaign-2', 'one that is free');
  console.log('titles in any script');
}

// The settings that few campaigns need.
async function rareSettings() {
  const coin = coins(5);
  await server.post('/v1/campaigns', { name: 'old', title: 'The old one', epsilon: 1, arms: ['a', 'b', 'x'], wait_seconds: 0.2 });
  await visit(server, 'old', 3000, liker({ a: 0.5, b: 0.3, x: 0.1 }, coin));
  for (const end = Date.now() + soon.timeout; (await server.get('/v1/campaigns/old')).releases === 0;) {
    assert.ok(Date.now() < end, 'the old campaign releases something');
  }
  await emptyForm('Warm', ['a', 'b', 'new']);
  await page.getByLabel(/^Learn also from/).selectOption('old');
  await page.getByText(/The old one has [0-9,]+ releases? so far, and 2 arms with an id that is also here/).waitFor();
  await page.getByText('It also learns from old.').waitFor();
  await page.getByLabel(/^Rounds at most/).last().fill('5000');
  await lookAt(page, 'new-warm', folder);
  await create();
  await page.getByRole('heading', { level: 1, name: 'Warm' }).waitFor(soon);
  const warm = await server.get('/v1/campaigns/warm');
  assert.equal(warm.prior, 'old');
  assert.equal(warm.horizon, 5000);
  assert.ok(warm.prior_releases > 0);
  await page.getByText('Learns also from').waitFor();
  await emptyForm('Too warm');
  await page.getByLabel(/^Learn also from/).selectOption('old');
  await page.getByLabel('Highest reward').fill('5');
  await create();
  await wrongAt('Lowest reward', /The campaign old, whose releases are the prior/);

  await emptyForm('Groups', ['Tea', 'Coffee', 'Cocoa']);
  assert.equal(await page.getByLabel('Which arms may be shown together').isVisible(), false, 'not for one item');
  await page.getByRole('radio', { name: /^Several items/ }).check();
  await page.getByLabel('How many at once').fill('2');
  await page.getByLabel('Which arms may be shown together').selectOption('partition');
  await page.getByLabel('Features of the arms').fill('1\n1\n2');
  await page.getByLabel('Most of each group').fill('1: 1\n2: 1');
  await page.getByText('Group 1: Tea, Coffee; at most 1 at once. Group 2: Cocoa; at most 1 at once.').waitFor();
  await lookAt(page, 'new-groups', folder);
  await create();
  await page.getByRole('heading', { level: 1, name: 'Groups' }).waitFor(soon);
  const groups = await server.get('/v1/campaigns/groups');
  assert.deepEqual(groups.oracle, { kind: 'partition', feature: 0, capacities: { 1: 1, 2: 1 } });
  assert.deepEqual(groups.arms.map((arm) => arm.features ?? null), groups.arms.map(() => null)); // replies leave them out
  await page.locator('.settings').getByText('at most 1 of group 1, 1 of group 2').waitFor();

  await emptyForm('Groups again', ['Tea', 'Coffee', 'Cocoa']);
  await page.getByRole('radio', { name: /^Several items/ }).check();
  await page.getByLabel('How many at once').fill('2');
  await page.getByLabel('Which arms may be shown together').selectOption('partition');
  await page.getByLabel('Features of the arms').fill('1\n1\n2');
  await page.getByLabel('Most of each group').fill('1: 1');
  await create();
  await wrongAt('Most of each group', /./);
  await page.getByLabel('Most of each group').fill('1: 1\n2: 1');
  await page.getByLabel('Features of the arms').fill('1\n1\nx');
  await create();
  await wrongAt('Features of the arms', /./);

  await emptyForm('Independent', ['Tea', 'Coffee', 'Cocoa']);
  await page.getByRole('radio', { name: /^Several items/ }).check();
  await page.getByLabel('How many at once').fill('2');
  await page.getByLabel('Which arms may be shown together').selectOption('linear');
  await page.getByLabel('Features of the arms').fill('1 0\n0 1\n1 1');
  await create();
  await page.getByRole('heading', { level: 1, name: 'Independent' }).waitFor(soon);
  assert.deepEqual((await server.get('/v1/campaigns/independent')).oracle, { kind: 'linear' });
  console.log('a warm start, groups and independent arms');
}

try {
  await levels();
  await errors();
  await scripts();
  await rareSettings();
  assert.deepEqual(seen.errors, [], 'the console of the browser');
  await close();
  console.log('done');
} catch (error) {
  console.error(error, await wrongs().catch(() => null));
  process.exitCode = 1;
  await page.screenshot({ path: join(folder || scratch, 'failed.png'), fullPage: true }).catch(() => {});
} finally {
  clearTimeout(deadline);
  await browser.close();
}
