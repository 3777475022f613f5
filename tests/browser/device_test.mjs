// device_test.mjs URL ADMIN_KEY PAIR_KEY [FOLDER] - clicks on the device page in headless Chromium. Nothing that the
// page sends reveals more than a randomized report. PAIR_KEY may rank and reward, but not read estimates.
//
// The page's randomness is the system's, so the statistical tests have a rate of false alarms instead of a seed:
// each of them at most 1e-11, all of them together (fewer than 50) below 1e-9.

import assert from 'node:assert/strict';
import { openBrowser, patience } from './browser.mjs';
import { binomialTails, fit, laplaceCells, laplaceNear, lie, spaces } from './laws.mjs';
import { lookAt as look } from './look.mjs';

const ALARM = 1e-11;
const [, , url, key, pairKey, folder] = process.argv;
const browser = await openBrowser(process.env.LOTOR_CHROMIUM ?? 'chromium');
const { run, until, click, type } = browser;
const deadline = setTimeout(() => { console.error('the browser test took too long'); browser.kill(); process.exit(1); }, 240000 * patience);
const lookAt = (page) => look(browser, page, folder);

// Requests by the test, not by the page.
async function ask(method, path, body) {
  const reply = await fetch(new URL(path, url), { method, headers: { Authorization: `Bearer ${key}` }, body: body && JSON.stringify(body) });
  assert.ok(reply.ok, `${path}: ${reply.status}`);
  return reply.json();
}
// The arms when so many rounds are over.
// Until nearly all rounds are over: those that were drawn together with the open list end with it.
async function settled(name, rounds) {
  for (let i = 0; i < 200; i += 1) {
    const campaign = await ask('GET', `/v1/campaigns/${name}`);
    if (campaign.final > 0.9 * rounds) {
      return campaign;
    }
    await browser.wait(50);
  }
  throw new Error(`${rounds} rounds of ${name} are not over`);
}

const text = (selector) => run(`document.querySelector(${JSON.stringify(selector)})?.innerText ?? ''`);
const clicksSoFar = () => run('parseInt(document.querySelector("#count")?.innerText, 10) || 0');
const rewards = () => browser.seen.sent.filter((request) => request.url.endsWith('/reward'));
const eventOf = (request) => request.url.split('/').at(-2);

// The ranking that a reward belongs to, in the network log.
async function decisionOf(request) {
  for (let i = 0; i < 100; i += 1) {
    const found = browser.seen.replies.map(({ body }) => JSON.parse(body)).find(({ event }) => event === eventOf(request));
    if (found) {
      return found;
    }
    await browser.wait(20);
  }
  throw new Error('a reward without its ranking');
}

async function open(name) {
  await run(`location.hash = '#${name}'`);
  await until(`document.querySelector("h1")?.innerText === "${name}" && document.querySelector(".item")`, name);
}

// Clicks with the mouse: position 0 is "None of these".
async function clickPlace(place) {
  const before = await clicksSoFar();
  await click(place === 0 ? '#none' : `.items li:nth-child(${place}) button`);
  await until(`parseInt(document.querySelector("#count").innerText, 10) === ${before + 1} && document.querySelector(".item:not(:disabled)")`, 'the report was sent, and another list came');
  const request = rewards().at(-1);
  return { request, decision: await decisionOf(request), place };
}

// Clicks by script, as fast as the page allows; `choose` gets the list and returns a position. Returns all positions.
function clickMany(times, choose) {
  return run(`(async () => {
    const choose = ${choose};
    const places = [];
    for (let i = 0; i < ${times}; i += 1) {
      const buttons = [...document.querySelectorAll('.item')];
      const place = choose(buttons.map((button) => button.innerText), i);
      const before = document.querySelector('#count').innerText;
      places.push(place);
      (place === 0 ? document.querySelector('#none') : buttons[place - 1]).click();
      for (const end = Date.now() + 10000; document.querySelector('#count').innerText === before || document.querySelector('.item') === buttons[0];) {
        if (Date.now() > end) throw new Error('click ' + i + ' was not sent: ' + document.querySelector('#state').innerText);
        await new Promise((done) => setTimeout(done, 1));
      }
    }
    return places;
  })()`);
}

// --- sent requests ----------------------------------------------------------------------------------------

const whole = (number) => Number.isSafeInteger(number);
const shapes = {
  bit: (report) => report === 0 || report === 1,
  'sum-bit': (report) => report === 0 || report === 1,
  'click-bit': (report) => report === 0 || report === 1,
  position: (report, { slots }) => whole(report) && report >= 1 && report <= slots + 1,
  laplace: (report, { slot, slots }) => Array.isArray(report) && report.length === (slot ? 1 : slots) && report.every(whole),
  cube: (report, { slots }) => Array.isArray(report) && report.length === slots && report.every((sign) => sign === 0 || sign === 1),
};
const HEADERS = ['accept', 'accept-encoding', 'accept-language', 'authorization', 'cache-control', 'connection', 'content-length', 'content-type', 'host', 'origin', 'pragma',
  'priority', 'sec-ch-ua', 'sec-ch-ua-mobile', 'sec-ch-ua-platform', 'sec-fetch-dest', 'sec-fetch-mode', 'sec-fetch-site', 'sec-fetch-user', 'upgrade-insecure-requests', 'user-agent'];

// Every request of the page goes to this server. Its body is an empty object, a report and nothing else, or empty.
async function checkNetwork() {
  const pages = browser.seen.sent.filter((request) => !request.url.startsWith('data:') && request.url !== 'about:blank');
  const lengths = new Map();
  for (const request of pages) {
    const { pathname, search, origin } = new URL(request.url);
    assert.equal(`${origin}/`, url, 'requests go to this server alone');
    assert.equal(search, '');
    for (const [name, value] of Object.entries(request.headers)) {
      assert.ok(HEADERS.includes(name.toLowerCase()) || value === '', `an unusual header: ${name} ${value}`); // Chromium logs an empty Referer
    }
    if (request.method === 'GET') {
      assert.equal(request.body, undefined);
    } else if (/^\/v1\/campaigns\/[^/]+\/rank$/.test(pathname)) {
      assert.equal(request.body, '{}');
    } else {
      assert.equal(request.method, 'POST');
      assert.match(pathname, /^\/v1\/events\/[A-Za-z0-9_-]{64}\/reward$/);
      const body = JSON.parse(request.body);
      const { randomizer } = await decisionOf(request);
      assert.deepEqual(Object.keys(body), ['report']);
      assert.ok(shapes[randomizer.mechanism](body.report, randomizer), request.body);
      assert.equal(request.body, JSON.stringify({ report: body.report }));
      assert.ok(!lengths.has(pathname), 'one report for each ranking');
      lengths.set(pathname, request.body);
    }
  }
  return { all: pages.length, reports: lengths.size };
}

// --- each mechanism ---------------------------------------------------------------------------------------

const ARMS = ['sleep', 'headache', 'nutrition', 'stress', 'exercise'];
const campaigns = [
  { name: 'one', algorithm: 'rr-klucb', arms: ARMS.slice(0, 3), epsilon: 3, wait_seconds: 600, early_release: true },
  { name: 'estimates', algorithm: 'rr-klucb', arms: ARMS.slice(0, 3), epsilon: 5, wait_seconds: 600, early_release: true },
  { name: 'library', algorithm: 'rr-klucb', arms: ARMS, slots: 3, feedback: 'clicks', epsilon: 0.5, wait_seconds: 600, early_release: true },
  { name: 'places', algorithm: 'cascade-ldp-rr', arms: ARMS, slots: 3, epsilon: 1, wait_seconds: 600, early_release: true },
  { name: 'noise', algorithm: 'cucb-ldp2', arms: ARMS, slots: 2, horizon: 10000, epsilon: 1, wait_seconds: 600, early_release: true },
  { name: 'noises', algorithm: 'cucb-ldp1', arms: ARMS, slots: 2, horizon: 10000, epsilon: 1, reward_range: [-1, 3], wait_seconds: 600, early_release: true },
  { name: 'signs', algorithm: 'cucb-ldp-box', arms: ARMS, slots: 3, epsilon: 1, wait_seconds: 600, early_release: true },
  { name: 'sums', algorithm: 'rr-imed', arms: ARMS, slots: 2, epsilon: 1, wait_seconds: 600, early_release: true, evaluation: { share: 0.5 } },
  { name: 'anything', algorithm: 'rr-imed', arms: ARMS, slots: 3, feedback: 'clicks', epsilon: 1, wait_seconds: 600, early_release: true, evaluation: { share: 0.5 } },
  { name: 'quick', algorithm: 'rr-klucb', arms: ARMS, epsilon: 1, wait_seconds: 0.2 },
  { name: 'central', algorithm: 'batch-klucb', arms: ARMS, epsilon: 1 },
];

// Compares what the page says about a report with the law.
async function checkWords({ request, decision, place }) {
  const { randomizer, arms } = decision;
  const named = place === 0 ? 'none of these' : arms[place - 1];
  assert.equal(await text('#clicked'), named);
  assert.equal(await text('#sent'), request.body, 'what is shown as sent is what was sent');
  const rows = await run('[...document.querySelectorAll("#chances tbody tr")].map((row) => [row.querySelector("th").innerText, parseFloat(row.querySelector("td.number").innerText) / 100])');
  assert.equal(rows.length, arms.length + 1);
  assert.deepEqual(rows.map(([name]) => name), [...arms, 'none of these'].map((name) => (name === named ? `${name} ● you` : name)));
  const { report } = JSON.parse(request.body);
  const answers = [...arms.map((id, i) => i + 1), 0];
  const { mechanism, slot, low, high } = randomizer;
  answers.forEach((answer, i) => {
    const values = arms.map((id, at) => (answer === at + 1 ? high : low)).filter((value, at) => slot === 0 || slot === at + 1);
    const chance = mechanism === 'laplace' ? laplaceNear(randomizer, values, report)
      : spaces[mechanism](randomizer, answer).find(([one]) => JSON.stringify(one) === JSON.stringify(report))[1];
    assert.ok(Math.abs(rows[i][1] - chance) < 0.006 * chance, `${rows[i]}: ${chance}`);
  });
  const [least, most] = [Math.min(...rows.map(([, chance]) => chance)), Math.max(...rows.map(([, chance]) => chance))];
  assert.ok(most <= least * Math.exp(randomizer.epsilon) * 1.011, 'another click changes no probability by more than e^epsilon');
  const plain = { bit: () => Number(place === randomizer.slot), position: () => place || randomizer.slots + 1, cube: () => Array.from({ length: randomizer.slots }, (none, i) => Number(place === i + 1)) }[randomizer.mechanism]?.();
  if (plain !== undefined) {
    assert.equal(/would be the same/.test(await text('#match')), JSON.stringify(plain) === JSON.stringify(report));
  }
  const words = await text('#law');
  assert.match(words, new RegExp(`at most ${Number(Math.exp(randomizer.epsilon).toPrecision(3))}\\.`));
  return words;
}

async function visit(name, mechanism, sentence) {
  await open(name);
  for (const place of [1, 0, 2]) {
    const shown = await run('document.querySelectorAll(".item").length');
    const sent = await clickPlace(Math.min(place, shown));
    assert.equal(sent.decision.randomizer.mechanism, mechanism);
    assert.match(await checkWords(sent), sentence);
  }
  const past = await run('[...document.querySelectorAll("[aria-labelledby=history-title] tbody tr")].map((row) => row.lastChild.innerText)');
  assert.deepEqual(past, rewards().slice(-3).reverse().map(({ body }) => body), 'the history');
  console.log(`${name}: ${mechanism}, clicked and seen`);
}

// The same in a campaign that measures value: half of its rounds send a bit of the value. All of 40 learn once in 10^12.
async function visitValues(name, mechanism, sentence) {
  await open(name);
  let seen = 0;
  for (let i = 0; i < 40 && seen < 3; i += 1) {
    const sent = await clickPlace(i % 3);
    const words = await checkWords(sent);
    const measures = sent.decision.role !== 'learn';
    assert.equal(sent.decision.randomizer.mechanism, measures ? mechanism : 'bit');
    if (measures) {
      assert.match(words, sentence);
      seen += 1;
    }
  }
  assert.equal(seen, 3);
  console.log(`${name}: ${mechanism}, clicked and seen`);
}

// With an epsilon of 60 reports are the truth, but once in 10^12: so what is randomized is what was clicked.
async function checkTruth(campaign) {
  const name = `clear-${campaign.name}`;
  await ask('POST', '/v1/campaigns', { ...campaign, name, epsilon: 60 });
  await open(name);
  const shown = await run('document.querySelectorAll(".item").length');
  for (const place of [1, 2, 0].filter((one) => one <= shown)) {
    const { request, decision: { arms, randomizer } } = await clickPlace(place);
    const { mechanism, slot, slots, low, high, unit } = randomizer;
    const numbers = [JSON.parse(request.body).report].flat();
    const plain = {
      bit: [Number(place === slot)],
      position: [place || slots + 1],
      cube: Array.from({ length: slots }, (none, i) => Number(place === i + 1)),
      laplace: arms.map((id, i) => (place === i + 1 ? high : low)).filter((value, i) => slot === 0 || slot === i + 1),
    }[mechanism];
    const rounded = mechanism === 'laplace' ? numbers.map((number) => (number * unit < (low + high) / 2 ? low : high)) : numbers;
    assert.deepEqual(rounded, plain, `${name}, place ${place}: ${request.body}`);
  }
}

// The reports' law in this browser, from the module as it is served. An epsilon that is 10% off would be noticed: the
// noncentrality is then 250 at least, so the chi-square exceeds what the alarm asks for by 8 standard deviations.
async function checkLaw(name, randomizer, times) {
  const { mechanism, slots, low, high } = randomizer;
  const place = Math.max(randomizer.slot, 1);
  const answer = { laplace: { rewards: [high] }, cube: { rewards: Array.from({ length: slots }, (none, i) => (place === i + 1 ? high : low)) } }[mechanism] ?? place;
  const counted = await run(`(async () => {
    const { Randomizer } = await import('/client/index.js');
    const randomizer = new Randomizer(${JSON.stringify(randomizer)});
    const counts = {};
    const edges = ${JSON.stringify(mechanism === 'laplace' ? laplaceCells(randomizer, high).edges : null)};
    for (let i = 0; i < ${times}; i += 1) {
      const { report } = await randomizer.report(${JSON.stringify(answer)});
      const value = edges ? report[0] * ${randomizer.unit} : 0;
      const cell = edges ? edges.filter((edge) => edge <= value).length : JSON.stringify(report);
      counts[cell] = (counts[cell] ?? 0) + 1;
    }
    return counts;
  })()`);
  const law = (epsilon) => (mechanism === 'laplace'
    ? laplaceCells({ ...randomizer, scale: randomizer.scale * randomizer.epsilon / epsilon }, high).chances.map((chance, i) => [i, chance])
    : spaces[mechanism]({ ...randomizer, epsilon }, place));
  const cells = law(randomizer.epsilon);
  const counts = cells.map(([report]) => counted[JSON.stringify(report)] ?? 0);
  assert.equal(counts.reduce((sum, count) => sum + count, 0), times, 'every report is one of the law’s');
  const likely = fit(counts, cells.map(([, chance]) => chance));
  assert.ok(likely > ALARM, `${name}: the reports' law, ${likely}`);
  for (const factor of [0.9, 1.1]) {
    const wrong = fit(counts, law(factor * randomizer.epsilon).map(([, chance]) => chance));
    assert.ok(wrong < ALARM, `${name}: epsilon off by 10% would not be noticed, ${wrong}`);
  }
  console.log(`${name}: ${times} reports follow the law (chi-square, p = ${likely.toFixed(3)}), and no law of another epsilon`);
}

try {
  for (const campaign of campaigns) {
    await ask('POST', '/v1/campaigns', campaign);
  }
  browser.keepReplies((address) => address.endsWith('/rank'));
  await browser.send('Page.addScriptToEvaluateOnNewDocument', { source: `(() => { const real = crypto.getRandomValues.bind(crypto); window.randomBytes = 0; window.noRandomness = false;
    crypto.getRandomValues = (bytes) => { if (window.noRandomness) throw new Error('none'); window.randomBytes += bytes.length; return real(bytes); }; })()` });
  await browser.view(1200, 'light');
  await browser.send('Page.navigate', { url: `${url}device` });

  // Sign in by keyboard, with a wrong key first; then the page asks for the campaign.
  await until('document.querySelector("h1")?.innerText === "Sign in"');
  await lookAt('device-sign-in');
  await type('input[type=password]', 'lotor_nonsense');
  await browser.press('Enter', 13);
  await until('document.querySelector(".wrong").innerText.includes("does not know")');
  await type('input[type=password]', key);
  await browser.press('Enter', 13);
  await until('document.querySelector("h1")?.innerText === "Be somebody’s device"');
  await lookAt('device-choose');
  await type('input', 'nothing');
  await browser.press('Enter', 13);
  await until('document.querySelector("h1")?.innerText === "That did not work"');
  await run('location.hash = "#central"');
  await until('document.querySelector("main").innerText.includes("not a local campaign")');
  browser.seen.errors = browser.seen.errors.filter((error) => !/40[14]/.test(error)); // Chromium logs every refusal

  // Every mechanism for which a click is feedback.
  await visit('one', 'bit', /about \S+ alone\. Somebody who clicks it sends 1 with probability 95\.3%/);
  await visit('places', 'position', /with probability 47\.5%, each of the 3 others with 17\.5%/);
  await visit('noise', 'laplace', /about \S+ alone: 1 for a click, 0 for none, plus noise of scale 1,.* true side of 0\.5 with probability 69\.7%/);
  await visit('noises', 'laplace', /about every item shown: 3 for a click, -1 for none, plus noise of scale 8,.* true side of 1 with probability 61\.1%/);
  await visit('signs', 'cube', /one of 8 lists of 3 bits.* at least 2 of 3 places .* probability 18\.3%, each other one with 6\.72%/);

  await visitValues('sums', 'sum-bit', /the value of the whole list\. Somebody who clicks an item sends 1 with probability 50\.0%; .* none sends 1 with 26\.9%/);
  await visitValues('anything', 'click-bit', /whether anything is clicked\. .* sends 1 with probability 73\.1% and 0 with 26\.9%/);

  for (const name of ['one', 'library', 'places', 'noise', 'noises', 'signs']) {
    await checkTruth(campaigns.find((campaign) => campaign.name === name));
  }
  console.log('with next to no noise, reports are what was clicked');

  // The law of their reports, here in the browser.
  for (const [name, epsilon, times] of [['quick', 2, 70000], ['places', 2, 40000], ['noise', 1, 30000], ['signs', 2, 40000]]) {
    const { randomizer } = await ask('POST', `/v1/campaigns/${name}/rank`, {});
    await checkLaw(name, { ...randomizer, epsilon }, times);
  }

  // Many clicks: the report differs from the click as often as the law says.
  await visit('library', 'bit', /about \S+ alone\. .* with probability 62\.2% and 0 with 37\.8%/);
  const first = rewards().length;
  const places = await clickMany(300, '(arms, i) => (i % 4 ? arms.indexOf("nutrition") + 1 : (i / 4) % (arms.length + 1))');
  assert.equal(rewards().length, first + 300);
  let lies = 0;
  for (const [i, request] of rewards().slice(first).entries()) {
    const { randomizer } = await decisionOf(request);
    lies += JSON.parse(request.body).report !== Number(places[i] === randomizer.slot);
  }
  const likely = binomialTails(lies, 300, lie(0.5));
  assert.ok(likely > ALARM, `${lies} lies in 300 clicks`);
  assert.match(await text('#count'), /^303 clicks\. Reports that the randomization changed: [0-9]+\.$/);
  console.log(`300 clicks at epsilon 0.5: ${lies} reports differ from the click (${(300 * lie(0.5)).toFixed(1)} expected, p = ${likely.toFixed(3)})`);
  await until('document.querySelector("#over").innerText.match(/^From reports alone: (29|30)[0-9] of 304 /) !== null', 'the rounds count');
  await lookAt('device');

  // The server's estimates move towards what is clicked, and are made of the reports in the network log alone.
  await open('estimates');
  assert.match(await text('#estimates'), /headache\s+none yet/);
  await clickMany(300, '(arms) => arms.indexOf("headache") + 1');
  const { final, arms: after } = await settled('estimates', 300);
  const sums = {};
  let over = 0;
  for (const request of rewards()) {
    const { arms, randomizer } = await decisionOf(request);
    if (randomizer.epsilon === 5 && over++ < final) {
      const sum = sums[arms[0]] ?? (sums[arms[0]] = { ones: 0, count: 0 });
      sum.ones += JSON.parse(request.body).report;
      sum.count += 1;
    }
  }
  for (const arm of after) {
    const { ones, count } = sums[arm.id];
    assert.equal(arm.count, count);
    const unbiased = (ones / count - lie(5)) / (1 - 2 * lie(5)); // an estimate is cut to the range of rewards
    assert.ok(Math.abs(arm.mean - Math.min(1, Math.max(0, unbiased))) < 1e-9, `${arm.id}: ${arm.mean}, ${ones} of ${count}`);
    // Each report is false with probability 0.0067: half of 12 or more are false once in 10^10.
    assert.ok(count < 12 || (arm.id === 'headache') === (arm.mean > 0.5), `${arm.id}: ${arm.mean}`);
  }
  const liked = after.find((arm) => arm.id === 'headache');
  assert.ok(liked.count > 100, 'what is clicked is shown more');
  await until(`[...document.querySelectorAll("#estimates tbody tr")].find((row) => row.innerText.startsWith("headache")).innerText.includes("${(100 * liked.mean).toFixed(Math.abs(100 * liked.mean) < 10 ? 2 : 1)}%")`, 'the page shows the estimates');
  console.log(`300 clicks on headache: its estimate is ${liked.mean.toFixed(3)} after ${liked.count} reports, the others ${after.filter((arm) => arm !== liked).map((arm) => arm.mean.toFixed(3))}`);

  // By keyboard: Enter on an item sends, and the next list has the focus.
  const pressed = await clicksSoFar();
  await run('document.querySelector(".item").focus()');
  await browser.press('Enter', 13);
  await until(`parseInt(document.querySelector("#count").innerText, 10) === ${pressed + 1} && document.activeElement === document.querySelector(".item")`, 'Enter clicks');

  // For a list that has expired, no feedback is sent.
  await open('quick');
  await browser.wait(400);
  const sent = rewards().length;
  await click('.item');
  await until('document.querySelector("#state").innerText.includes("too long")');
  assert.equal(rewards().length, sent);

  // Without random bytes, nothing is sent.
  assert.ok(await run('randomBytes') > 350000, 'the randomness is the browser’s');
  await open('places');
  await run('noRandomness = true');
  await click('.item');
  await until('document.querySelector("#state").innerText.includes("Reload the page")');
  assert.equal(rewards().length, sent);
  await run('noRandomness = false');
  await click('.item');
  await browser.wait(300);
  assert.equal(rewards().length, sent, 'a list gets one report');

  // With a key that may only rank and reward, the page shows no estimates. The page stores only the key.
  await click('#leave');
  await until('document.querySelector("h1")?.innerText === "Sign in"');
  assert.equal(await run('sessionStorage.length + localStorage.length + document.cookie.length'), 0);
  await type('input[type=password]', pairKey);
  await browser.press('Enter', 13);
  await until('document.querySelector("h1")?.innerText === "places" && document.querySelector(".item")');
  await checkWords(await clickPlace(1));
  assert.match(await text('[aria-labelledby=estimates-title]'), /may rank and send feedback/);
  assert.equal(await run('sessionStorage.length'), 1);
  browser.seen.errors = browser.seen.errors.filter((error) => !/403/.test(error));

  // In a build without emscripten, the page says so, and what to do.
  await browser.put('/client/lotor.wasm', { status: 404, type: 'application/json', body: JSON.stringify({ error: { code: 'no_such_path', field: null, message: 'build it with `make wasm && make`' } }) });
  await browser.send('Page.reload');
  await until('document.querySelector("h1")?.innerText === "The randomizer is missing"');
  assert.match(await text('main'), /make wasm/);
  assert.equal(await run('document.querySelectorAll("main button").length'), 0, 'nothing to click');
  await browser.put('/client/lotor.wasm', null);
  browser.seen.errors = browser.seen.errors.filter((error) => !/40[34]/.test(error));

  assert.deepEqual(browser.seen.errors, [], 'the console');
  const { all, reports } = await checkNetwork();
  assert.equal(reports, rewards().length);
  console.log(`${all} requests, all to this server: ${reports} reports, and no other body but {}; no error in the console`);
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
