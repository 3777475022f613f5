// dashboard_test.mjs URL KEY [FOLDER] - uses the dashboard in headless Chromium, as a person does.
//
// Signs in, makes a campaign, ranks and rewards by clicking, sees the estimates move, pauses an arm, adds one,
// plays the simulation, closes. Looks at every page in both widths and both schemes; pictures go to FOLDER.

import assert from 'node:assert/strict';
import { openBrowser, patience } from './browser.mjs';
import { lookAt as look } from './look.mjs';

const [, , url, key, folder] = process.argv;
const browser = await openBrowser(process.env.LOTOR_CHROMIUM ?? 'chromium');
const { run, until, click, type } = browser;
const deadline = setTimeout(() => { console.error('the browser test took too long'); browser.kill(); process.exit(1); }, 240000 * patience);

const text = (selector) => run(`document.querySelector(${JSON.stringify(selector)})?.innerText ?? ''`);
const button = (words) => run(`(() => { const e = [...document.querySelectorAll('button')].find((b) => b.innerText.trim().startsWith(${JSON.stringify(words)}) && b.checkVisibility()); if (e) { document.querySelector('[data-test]')?.removeAttribute('data-test'); e.setAttribute('data-test', ''); } return Boolean(e); })()`);
async function clickButton(words) {
  await until(`[...document.querySelectorAll('button')].some((b) => b.innerText.trim().startsWith(${JSON.stringify(words)}) && b.checkVisibility() && !b.disabled)`, `a button "${words}"`);
  assert.ok(await button(words));
  await click('[data-test]');
}

const lookAt = (page) => look(browser, page, folder);

try {
  await browser.view(1200, 'light');
  await browser.send('Page.navigate', { url });
  await until('document.querySelector("h1")?.innerText === "Sign in"');
  await lookAt('sign-in');

  // First a wrong key; then the right key, with the keyboard only.
  await type('input[type=password]', 'lotor_nonsense');
  await browser.press('Enter', 13);
  await until('document.querySelector(".wrong").innerText.includes("does not know")');
  browser.seen.errors = browser.seen.errors.filter((error) => !error.includes('401')); // Chromium logs every refusal
  await type('input[type=password]', key);
  await browser.press('Enter', 13);
  await until('document.querySelector("h1")?.innerText === "Campaigns"');
  assert.equal(await run('localStorage.length + document.cookie.length'), 0, 'the key is in sessionStorage alone');
  assert.equal(await run('sessionStorage.length'), 1);

  // Make a campaign, with advice.
  await click('a[href="#/new"]');
  await until('document.querySelector("h1")?.innerText === "New campaign"');
  const inputs = await run('[...document.querySelectorAll("form input, form textarea")].map((e) => [e.labels[0].innerText, e.id])');
  const id = (label) => `#${inputs.find(([name]) => name === label)[1]}`;
  await type(id('Name'), 'browser');
  await type(id('Arms'), 'tea\ncoffee\nwater');
  await type(id('Epsilon'), '5');
  await type(id('Seconds to wait for an answer'), '0.3');
  await clickButton('Ask for advice');
  await until('document.querySelector(".advice strong")', 'advice', 30);
  assert.match(await text('.advice strong'), /^(lik|rr)-imed$/);
  assert.equal(await run('[...document.querySelectorAll("select")].at(-1).value'), 'lik-imed', 'what needs nothing on devices');
  await lookAt('new');
  await clickButton('Make the campaign');
  await until('document.querySelector("h1")?.innerText === "browser"');

  // Be a visitor, by clicking: coffee is liked.
  const numbers = () => run('Object.fromEntries([...document.querySelectorAll(".facts div")].map((d) => [d.querySelector("dt").innerText, d.querySelector("dd").innerText]))');
  assert.equal((await numbers()).Decisions, '0');
  assert.equal(await text('.arms tbody td'), 'none yet');
  for (let i = 0; i < 24; i += 1) {
    await clickButton('Ask what to show');
    await until('document.querySelector(".like")', 'what is shown');
    if ((await text('.like')).includes('coffee')) {
      await click('.like');
      await until('document.querySelector(".like").getAttribute("aria-pressed") === "true"');
    }
    await click('.send');
    await until('!document.querySelector(".send")', 'the answer was taken');
  }
  await until('[...document.querySelectorAll(".facts div")].some((d) => d.innerText.startsWith("Over") && d.querySelector("dd").innerText === "24")', 'all rounds are over');
  const estimates = await until('(() => { const e = [...document.querySelectorAll(".arms tbody tr")].map((r) => [r.querySelector("th").innerText, r.querySelector("td").innerText]); return e.every(([, m]) => m !== "none yet") && e; })()', 'estimates moved');
  const first = Object.fromEntries(estimates);
  assert.ok(Number(first.coffee) !== Number(first.water), 'the estimates differ');
  assert.equal((await numbers()).Decisions, '24');
  // At this epsilon a first batch has 1 round, and no batch is larger than all earlier ones of its arm together. So n
  // rounds of an arm give at least 1 + floor(log2 n) releases: 7 in all at worst (1, 1 and 22 rounds).
  assert.ok(Number((await numbers()).Releases) >= 7, 'releases');
  const shown = await run('[...document.querySelectorAll(".arms tbody tr")].map((r) => parseInt(r.querySelector("[data-label=Shown]").innerText, 10)).reduce((a, b) => a + b)');
  assert.equal(shown, 24);
  const intervals = await run('[...document.querySelectorAll("[data-label=\\"95% interval\\"]")].map((e) => e.innerText.split(" to ").map(Number))');
  assert.ok(intervals.every(([low, high]) => low < high && low >= 0 && high <= 1), JSON.stringify(intervals));
  // The page chooses the arm that was shown most: at least 8 times, so that it has at least 4 releases.
  await until('document.querySelectorAll("details tbody tr").length >= 4', 'the history as a table');
  if (await run('typeof Chart === "function"')) {
    assert.ok(await run('Chart.getChart(document.querySelector("canvas")).data.datasets.filter((d) => d.data.length > 1).length >= 3'), 'lines in the chart');
  }
  console.log(`made a campaign, 24 visits by clicking; estimates ${JSON.stringify(first)}`);

  // More visits change the estimates. They come through the API, and the page shows them without a reload.
  const before = await text('.arms');
  await run(`(async () => { const ask = (path, body) => fetch(path, { method: 'POST', headers: { Authorization: 'Bearer ' + sessionStorage.getItem('lotor-key') }, body: JSON.stringify(body) }).then((r) => r.json());
    const means = { tea: 0.5, coffee: 0.9, water: 0.2 };
    for (let i = 0; i < 500; i += 1) { const d = await ask('/v1/campaigns/browser/rank', {}); await ask('/v1/events/' + d.event + '/reward', { rewards: [Math.random() < means[d.arms[0]] ? 1 : 0] }); } })()`);
  await until(`document.querySelector('.arms').innerText !== ${JSON.stringify(before)}`, 'estimates move on');
  await until('[...document.querySelectorAll(".facts div")].some((d) => d.innerText.startsWith("Waiting") && d.querySelector("dd").innerText === "0")', 'all over');
  await lookAt('campaign');

  // Pause, add, resume.
  await click('button[aria-label="Pause water"]');
  await until('document.querySelector("button[aria-label=\\"Resume water\\"]")');
  await type('form.inline input', 'juice');
  await clickButton('Add');
  await until('[...document.querySelectorAll(".arms tbody th")].some((e) => e.innerText === "juice")');
  await click('button[aria-label="Resume water"]');
  await until('document.querySelector("button[aria-label=\\"Pause water\\"]")');

  // Other kinds of campaigns: reports from devices, lists with a click, contexts.
  const post = (path, body) => send('POST', path, body);
  const send = (method, path, body) => run(`fetch(${JSON.stringify(path)}, { method: '${method}', headers: { Authorization: 'Bearer ' + sessionStorage.getItem('lotor-key') }, body: ${JSON.stringify(JSON.stringify(body))} }).then((r) => r.status)`);
  assert.equal(await post('/v1/campaigns', { name: 'devices', algorithm: 'rr-klucb', arms: ['a', 'b'], epsilon: 1, wait_seconds: 0.2 }), 201);
  assert.equal(await post('/v1/campaigns', { name: 'lists', algorithm: 'batch-klucb', arms: ['a', 'b', 'c'], slots: 2, epsilon: 1, feedback: 'clicks', wait_seconds: 0.2 }), 201);
  assert.equal(await post('/v1/campaigns', { name: 'contexts', algorithm: 'jdp-batch', arms: ['a', 'b'], epsilon: 1, dimension: 2, horizon: 1000, wait_seconds: 0.2 }), 201);
  assert.equal(await post('/v1/campaigns', { name: 'measured', arms: ['a', 'b'], epsilon: 5, wait_seconds: 0.2, evaluation: { share: 0.5, control: ['b'] } }), 201);
  const visit = async (name) => {
    await run(`location.hash = '#/campaign/${name}'`);
    await until(`document.querySelector("h1")?.innerText === "${name}"`);
  };
  await visit('devices');
  assert.equal(await run('document.querySelector("a[href^=\\"/device\\"]").getAttribute("href")'), '/device#devices');
  for (const words of ['Click ', 'No click']) { // the page shows exactly the body that it sends
    await clickButton('Ask what to show');
    await until('document.querySelector(".shown")?.innerText.includes("own device")');
    await clickButton(words);
    const said = await until('document.querySelector("main").innerText.match(/Sent (\\{.*\\}): randomized/)?.[1]', 'what was sent');
    const { body, url: path } = browser.seen.sent.findLast((request) => request.method === 'POST');
    assert.match(path, /\/reward$/);
    assert.equal(body, said);
    assert.match(body, /^\{"report":[01]\}$/);
    await until('document.querySelector(".shown").innerText === ""');
  }
  // Another campaign of the same name since the page was loaded, or a server that wants the raw click: nothing is sent.
  await browser.put('/v1/campaigns/devices/rank', { status: 200, type: 'application/json', body: JSON.stringify({ event: 'e'.repeat(64), arms: ['a'], expires: 1, propensity: null }) });
  await clickButton('Ask what to show');
  await until('document.querySelector(".shown").innerText.includes("without a randomizer")', 'nothing is asked');
  assert.equal(await run('document.querySelectorAll(".shown button").length'), 0);
  await browser.put('/v1/campaigns/devices/rank', null);
  await clickButton('Ask what to show'); // and no feedback is sent
  await lookAt('local');
  assert.match(await text('main'), /private before they arrive/);
  await until('[...document.querySelectorAll(".arms tbody td")].some((e) => /^-?[0-9]/.test(e.innerText) && e.dataset.label === "Estimate")', 'a default report counts');
  await visit('lists');
  for (const words of ['Click ', 'No click']) {
    await clickButton('Ask what to show');
    await clickButton(words);
    await until('document.querySelector("main").innerText.includes("Taken.")');
  }
  assert.equal(await run('document.querySelector("#lift-title").checkVisibility()'), false, 'it measures nothing');
  await visit('measured');
  await until('document.querySelector("main").innerText.includes("Nothing is known yet")');
  await post('/v1/campaigns/measured/rank-batch', { count: 200 });
  await until('/95% interval -?[0-9.]+ to -?[0-9.]+: (not )?decided/.test(document.querySelector("main").innerText)', 'the lift', 30);
  assert.match(await text('main'), /half show the control: the first of b/);
  await lookAt('lift');
  await visit('contexts');
  assert.match(await text('main'), /no estimate by arm/);
  assert.ok(!(await button('Ask what to show')));
  console.log('visited a local, a list, a linear and a measuring campaign');

  // The list.
  await click('a[href="#/campaigns"]');
  await until('document.querySelector("tbody a")?.innerText === "browser"');
  assert.equal(await run('document.querySelectorAll("tbody tr").length'), 5);
  await lookAt('campaigns');

  // The simulation plays.
  await click('a[href="#/learn"]');
  await until('document.querySelector("input[type=range]")?.max === "79"');
  const end = await text('.arms');
  await clickButton('▶ Play');
  await until(`document.querySelector('.arms').innerText !== ${JSON.stringify(end)}`, 'the play moves');
  await clickButton('❚❚ Pause');
  await run('(() => { const e = document.querySelector("input[type=range]"); e.value = 79; e.dispatchEvent(new Event("input")); })()');
  assert.equal(await text('.arms'), end);
  await lookAt('learn');

  // Labels, pause and resume.
  await visit('browser');
  const firstArm = await run('document.querySelector(".arms tbody th").firstChild.textContent');
  assert.equal(await send('PATCH', '/v1/campaigns/browser', { title: 'A <b>title</b>', arms: [{ id: firstArm, title: 'First' }] }), 200);
  await until('document.querySelector("main")?.innerText.includes("A <b>title</b>")', 'the title, as text');
  await until('document.querySelector(".arms th .soft")?.innerText.includes("First")', 'the title of an arm');
  await clickButton('Pause the campaign');
  await until('document.querySelector(".heading .badge")?.innerText.includes("paused")');
  await clickButton('Resume the campaign');
  await until('document.querySelector(".heading .badge")?.innerText.includes("open")');

  // Close.
  await until('document.querySelector("input[type=checkbox]")');
  await click('input[type=checkbox]');
  await clickButton('Close the campaign');
  await until('document.querySelector(".heading .badge")?.innerText.includes("closed")');
  await clickButton('Sign out');
  await until('document.querySelector("h1")?.innerText === "Sign in"');
  assert.equal(await run('sessionStorage.length'), 0);

  assert.deepEqual(browser.seen.errors, [], 'the console');
  const others = browser.seen.requests.filter((request) => !request.startsWith(url) && !request.startsWith('data:') && request !== 'about:blank');
  assert.deepEqual(others, [], 'requests to other hosts');
  console.log(`${browser.seen.requests.length} requests, all to this server; no error in the console`);
} catch (error) {
  console.error(error);
  console.error('console:', browser.seen.errors);
  process.exitCode = 1;
  if (folder) {
    await browser.picture(`${folder}/failed.png`).catch(() => {});
  }
} finally {
  clearTimeout(deadline);
  await browser.close();
}
