// site_test.mjs SITE [FOLDER] - reads the site of the documents in headless Chromium, from file://, as a person does.
//
// Searches with the keyboard, follows a result, and looks at pages in three widths and both colour schemes. No page is
// wider than the screen, and no error is logged. Every request is for a file of the site. Pictures go to FOLDER.

import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { openBrowser, patience } from './browser.mjs';
import { contrast } from './look.mjs';

const [, , site, folder] = process.argv;
const base = pathToFileURL(resolve(site)).href;
const browser = await openBrowser(process.env.LOTOR_CHROMIUM ?? 'chromium');
const { run, until, type } = browser;
const deadline = setTimeout(() => { console.error('the browser test took too long'); browser.kill(); process.exit(1); }, 120000 * patience);

async function open(page) {
  await browser.send('Page.navigate', { url: `${base}/${page}` });
  await until(`document.readyState === 'complete' && location.href.endsWith(${JSON.stringify(page)})`, page);
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
  assert.match(await run('document.querySelector("#results a").innerText'), /Mathematics|mathematics/);
  if (folder) await browser.picture(`${folder}/site-search.png`, false);
  await browser.press('Enter', 13);
  await until("document.readyState === 'complete' && " + 'location.pathname.endsWith("/docs/mathematics.html") && location.hash !== ""', 'the first result');
  await until('document.querySelectorAll("math").length > 100', 'formulas'); // the page may still be loading
  await type('#search', 'zebracrossing');
  await until('document.querySelector("#results p")?.innerText.includes("zebracrossing")', 'a search without results');

  for (const page of ['index.html', 'docs/service.html', 'docs/mathematics.html', 'docs/papers.html', 'man/lotor-serve.1.html', 'src/privacy/release/tree.html']) {
    for (const [name, width, scheme] of [['light', 1400, 'light'], ['dark', 1400, 'dark'], ['tablet', 900, 'light'], ['phone', 390, 'light'], ['phone-dark', 390, 'dark']]) {
      await browser.view(width, scheme);
      await open(page);
      assert.ok(await run('document.documentElement.scrollWidth <= document.documentElement.clientWidth'), `${page} is wider than ${width} pixels`);
      if (page !== 'docs/papers.html') assert.deepEqual(await run(contrast), [], `${page} ${name}`);
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
