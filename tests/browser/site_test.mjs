// site_test.mjs SITE [FOLDER] - reads the site of the documents in headless Chromium, from file://, as a person does.
// tests/browser/run builds the SITE, with a report on the papers, and installs axe-core.
//
// Searches with the keyboard, follows a result, and looks at pages in four widths and both colour schemes. axe-core finds
// no violation, no page is wider than the screen, and no error is logged. Every request is for a file of the site.
// Pictures go to FOLDER.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { openBrowser, patience } from './browser.mjs';
import { contrast } from './look.mjs';

const [, , site, folder] = process.argv;
const require = createRequire(join(process.env.LOTOR_NODE_MODULES, 'package.json'));
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const base = pathToFileURL(resolve(site)).href;
const browser = await openBrowser(process.env.LOTOR_CHROMIUM ?? 'chromium');
const { run, until, type } = browser;
const deadline = setTimeout(() => { console.error('the browser test took too long'); browser.kill(); process.exit(1); }, 400000 * patience);

async function open(page) {
  await browser.send('Page.navigate', { url: `${base}/${page}` });
  await until(`document.readyState === 'complete' && location.href.endsWith(${JSON.stringify(page)})`, page);
}

// The list of results for a query, with the text that a person reads.
async function search(query) {
  await run('document.getElementById("results").replaceChildren()');
  await type('#search', query);
  await until('document.querySelectorAll("#results a, #results p").length > 0', `results for ${query}`);
  return run('[...document.querySelectorAll("#results a")].map((e) => ({ url: e.href, text: e.innerText }))');
}

async function violations() {
  await run(axe);
  const found = await run('axe.run(document, { resultTypes: ["violations"], preload: false })');
  return found.violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html.slice(0, 120)}`));
}

try {
  await browser.view(1400, 'light');
  await open('index.html');
  for (const kind of ['Tutorials', 'How-to guides', 'Reference', 'Explanation']) {
    assert.ok(await run(`[...document.querySelectorAll('.cards h2')].some((e) => e.innerText === ${JSON.stringify(kind)})`), kind);
  }

  // Search with the keyboard only: "/", words, Enter.
  await browser.press('/', 191);
  await until('document.activeElement.id === "search"', 'the search field has the focus');
  await type('#search', 'discrete laplace of scale');
  await until('document.querySelectorAll("#results a").length > 0', 'results');
  assert.match(await run('document.querySelector("#results a").innerText'), /Mathematics/);
  if (folder) await browser.picture(`${folder}/site-search.png`, false);
  await browser.press('Enter', 13);
  await until("document.readyState === 'complete' && " + 'location.pathname.endsWith("/docs/mathematics.html") && location.hash !== ""', 'the first result');
  await until('document.querySelectorAll("math").length > 100', 'formulas'); // the page may still be loading
  await type('#search', 'zebracrossing');
  await until('document.querySelector("#results p")?.innerText.includes("zebracrossing")', 'a search without results');

  // One of the first three results fits: titles and headings come first; "backups" finds "Backup"; a typo finds the word that was meant.
  for (const [query, fits, words] of [
    ['install', /docs\/install\.html/],
    ['backups', /docs\/operations\.html#backup-and-restore/],
    ['429', /docs\/http\.html#(errors|retries)/],
    ['kubernetes', /docs\/operations\.html#containers-and-kubernetes/],
    ['lotor serve', /man\/lotor-serve\.1\.html|docs\/(operations|service)\.html/],
    ['too_many_open', /docs\/(http|service)\.html/],
    ['gurantee', /guarantee/, 'No page has “gurantee”. These have “guarantee”.'],
  ]) {
    const found = await search(query);
    assert.ok(found.slice(0, 3).some(({ url }) => fits.test(url)), `${query}: ${found.slice(0, 3).map(({ url }) => url)}`);
    assert.equal(await run('document.querySelector("#results p")?.innerText ?? ""'), words ?? '', query);
    for (const { text } of found) assert.doesNotMatch(text, /\*\*|\]\(|`/, `${query}: marks of Markdown`);
  }
  assert.match((await search('install'))[0].url, /docs\/install\.html(#install-lotor)?$/);
  assert.ok((await search('json')).length > 5);
  await search('zebracrossing');
  assert.equal(await run('document.querySelector("#results p").innerText'), 'No page has “zebracrossing”.');

  // The report on the papers has the site's bar: its search, and the way back.
  await open('report/index.html');
  assert.match((await search('kubernetes'))[0].url, /docs\/operations\.html/);
  await browser.click('.top .home');
  await until("document.readyState === 'complete' && " + 'document.querySelectorAll(".cards h2").length === 4', 'the start page');

  // What scrolls can be reached with the Tab key; nothing else has a stop.
  await browser.view(360, 'light');
  await open('docs/mathematics.html');
  assert.ok(await run('[...document.querySelectorAll(".formula")].some((e) => e.tabIndex === 0)'), 'a formula that scrolls');
  assert.deepEqual(await run(`[...document.querySelectorAll('main [tabindex="0"]')].filter((e) => e.scrollWidth <= e.clientWidth).map((e) => e.outerHTML.slice(0, 80))`), []);

  for (const page of ['index.html', 'docs/service.html', 'docs/mathematics.html', 'docs/papers.html', 'man/lotor-serve.1.html', 'src/privacy/release/tree.html', 'docs/errata.html', 'README.html', 'report/index.html']) {
    for (const [name, width, scheme] of [['light', 1400, 'light'], ['dark', 1400, 'dark'], ['tablet', 900, 'light'], ['phone', 390, 'light'], ['phone-dark', 390, 'dark'], ['small', 360, 'light']]) {
      await browser.view(width, scheme);
      await open(page);
      assert.ok(await run('document.documentElement.scrollWidth <= document.documentElement.clientWidth'), `${page} is wider than ${width} pixels`);
      if (page !== 'docs/papers.html') assert.deepEqual(await run(contrast), [], `${page} ${name}`);
      if (['light', 'dark', 'small'].includes(name) && page !== 'docs/papers.html') assert.deepEqual(await violations(), [], `${page} ${name}: axe-core`);
      if (folder) await browser.picture(`${folder}/site-${page.replaceAll('/', '-').replace('.html', '')}-${name}.png`, false);
    }
  }
  for (const url of browser.seen.requests) {
    assert.ok(url.startsWith(`${base}/`), `a page asked for ${url}`);
  }
  assert.deepEqual(browser.seen.errors, []);
  console.log('the site: fine');
} finally {
  clearTimeout(deadline);
  await browser.close();
}
