// pictures.mjs URL KEY FOLDER - makes the pictures of docs/dashboard.md and docs/device.md: campaigns that simulated
// people have used, in the console of a running server.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { goTo, launch, openPage } from './pages.mjs';
import { clicker, coins, connect, liker, visit } from './people.mjs';
import { shrink } from './palette.mjs';

const [, , url, key, folder] = process.argv;
const server = connect(url, key);
const coin = coins(21);
const wait = (milliseconds) => new Promise((done) => { setTimeout(done, milliseconds); });

const TITLES = ['Coping with grief', 'Sleeping better', 'A walk outside', 'Asking a doctor', 'Talking to a friend', 'Less screen time', 'Breathing exercises', 'Music that helps', 'Writing a diary', 'Cooking for two', 'Meeting others', 'Going back to work'];
const idOf = (title) => title.toLowerCase().replaceAll(' ', '-');
const arms = (titles) => titles.map((title) => ({ id: idOf(title), title }));
const rates = Object.fromEntries(TITLES.map((title, i) => [idOf(title), i === 0 ? 0.042 : 0.03 - 0.0018 * i]));

async function grief() {
  await server.post('/v1/campaigns', { name: 'grief-articles', title: 'Which article helps people in grief?', description: 'Start page of the help centre, one article per visit.', epsilon: 1, arms: arms(TITLES), wait_seconds: 0.5,
    evaluation: { share: 0.3, control: 'uniform' }, purpose: 'To show articles that help.', controller: 'Help centre, Main Street 1', contact: 'privacy@help.example', metadata: { team: 'help centre' } });
  await visit(server, 'grief-articles', 60000, liker(rates, coin), { pause: 150 });
}
async function others() {
  await server.post('/v1/campaigns', { name: 'search-results', title: 'The order of search results', feedback: 'clicks', slots: 3, epsilon: 2, arms: arms(TITLES.slice(0, 6)), wait_seconds: 0.5, evaluation: { share: 0.2, control: 'uniform' } });
  await visit(server, 'search-results', 6000, clicker(Object.fromEntries(Object.entries(rates).map(([id, rate]) => [id, 4 * rate])), coin));
  await server.post('/v1/campaigns', { name: 'newsletter', title: 'Newsletter', slots: 2, epsilon: 0.5, rounds_per_user: 4, arms: arms(TITLES.slice(2, 8)), wait_seconds: 3600 });
  await server.post('/v1/campaigns/newsletter/pause');
  await server.post('/v1/campaigns', { name: 'old-banner', title: 'Last year’s banner', epsilon: 12, arms: ['blue', 'green'], wait_seconds: 0.2 });
  await visit(server, 'old-banner', 2000, liker({ blue: 0.3, green: 0.1 }, coin));
  await server.post('/v1/campaigns/old-banner/close');
}
async function daytime() {
  await server.post('/v1/campaigns', { name: 'daytime', title: 'Article by time of day', epsilon: 1, dimension: 6, horizon: 100000, wait_seconds: 0.3, arms: [{ id: 'sleep', title: 'Sleep' }, { id: 'focus', title: 'Focus' }, { id: 'food', title: 'Food' }] });
  const evenings = [];
  const request = () => {
    const evening = coin() < 0.5 ? 1 : 0;
    evenings.push(evening);
    return { context: Object.fromEntries(['sleep', 'focus', 'food'].map((id, arm) => [id, Array.from({ length: 6 }, (none, i) => (i === 2 * arm + evening ? 1 : 0))])) };
  };
  await visit(server, 'daytime', 12000, ({ arms: [arm] }) => ({ rewards: [coin() < (arm === ['focus', 'sleep'][evenings.shift()] ? 0.8 : 0.2) ? 1 : -1] }), { request });
}
// Devices that send one bit, which is wrong with probability 1 / (1 + e^epsilon).
const reporter = (means, epsilon) => ({ arms: shown, randomizer }) => {
  const place = shown.findIndex((id) => coin() < means[id]) + 1; // 0: no click
  const bit = Number(place === randomizer.slot);
  return { report: coin() < 1 / (1 + Math.exp(epsilon)) ? 1 - bit : bit };
};
async function local() {
  await server.post('/v1/campaigns', { name: 'diary', title: 'Prompts in a diary app', algorithm: 'rr-imed', epsilon: 2, arms: [{ id: 'gratitude', title: 'Gratitude' }, { id: 'plans', title: 'Plans' }, { id: 'memories', title: 'Memories' }], wait_seconds: 0.3 });
  await server.post('/v1/campaigns', { name: 'library', algorithm: 'rr-klucb', arms: ['sleep', 'headache', 'nutrition', 'stress', 'exercise'], slots: 3, feedback: 'clicks', epsilon: 1, wait_seconds: 600, early_release: true });
  await visit(server, 'library', 1500, reporter({ sleep: 0.3, headache: 0.1, nutrition: 0.5, stress: 0.25, exercise: 0.15 }, 1));
}

const browser = await launch();
async function shoot(page, name, height) {
  await page.mouse.move(0, 0);
  await wait(700);
  const { width } = page.viewportSize();
  writeFileSync(join(folder, `${name}.png`), shrink(await page.screenshot({ fullPage: true, clip: { x: 0, y: 0, width, height } })));
  console.log(`${name}.png`);
}
const open = (size, scheme) => openPage(browser, url, { key, size, scheme });
const results = (page) => page.waitForFunction(() => document.querySelectorAll('.result .bone').length === 0, null, { timeout: 60000 });
const DESKTOP = { width: 1280, height: 900 };
const PHONE = { width: 360, height: 740 };

try {
  await local();
  await grief();
  await others();
  await daytime();
  await wait(2000);
  const { page } = await open(DESKTOP, 'light');
  await results(page);
  await shoot(page, 'console-campaigns', 760);
  await goTo(page, '#/campaign/grief-articles', 'Which article helps people in grief?');
  await page.locator('.plot').waitFor();
  await shoot(page, 'dashboard', 1180);
  await goTo(page, '#/statement/grief-articles', 'Privacy statement');
  await shoot(page, 'console-statement', 1000);
  await goTo(page, '#/new', 'New campaign');
  await page.getByLabel('Title', { exact: true }).fill('Which article helps people in grief?');
  await page.getByLabel('Arms: what there is to show').fill(TITLES.slice(0, 5).join('\n'));
  await page.locator('.advice strong').first().waitFor({ timeout: 60000 });
  await page.locator('p.level .badge').waitFor();
  await page.evaluate(() => document.activeElement.blur());
  await shoot(page, 'console-new', 1000);
  await page.close();

  const dark = await open(DESKTOP, 'dark');
  await goTo(dark.page, '#/campaign/daytime', 'Article by time of day');
  await dark.page.getByText('Feature weights').waitFor();
  await shoot(dark.page, 'console-linear-dark', 1000);
  const phone = await open(PHONE, 'light');
  await goTo(phone.page, '#/campaign/grief-articles', 'Which article helps people in grief?');
  await shoot(phone.page, 'console-phone', 1400);

  const night = await open(PHONE, 'dark');
  await goTo(night.page, '#/campaign/diary', 'Prompts in a diary app');
  for (let i = 0; i < 6; i += 1) { // the server keeps no history: people come while the page is open
    await visit(server, 'diary', 600, reporter({ gratitude: 0.5, plans: 0.3, memories: 0.4 }, 2));
    await wait(2300);
  }
  await night.page.locator('.plot').waitFor();
  await shoot(night.page, 'console-local-phone-dark', 1400);

  const { page: device } = await openPage(browser, `${url}device#library`, { size: { width: 1200, height: 900 } });
  await device.getByLabel('Key').fill(key);
  await device.getByRole('button', { name: 'Sign in' }).click();
  const sent = device.locator('#count');
  for (let i = 1; i <= 12; i += 1) {
    const wished = device.getByRole('button', { name: 'nutrition', exact: true });
    await device.locator('.item').first().waitFor();
    await (await wished.count() ? wished : device.getByRole('button', { name: 'None of these' })).click();
    await device.waitForFunction((count) => parseInt(document.querySelector('#count').innerText, 10) === count, i);
  }
  await sent.waitFor();
  await device.evaluate(() => document.activeElement.blur());
  await shoot(device, 'device', await device.evaluate(() => document.documentElement.scrollHeight));
} finally {
  await browser.close();
}
