// look.mjs - checks every page for people with a keyboard, a screen reader, or a small screen. Each function
// returns a list of problems, and runs inside the page.

import assert from 'node:assert/strict';

export const labels = `(() => {
  const wrong = [];
  const named = (e) => (e.getAttribute('aria-label') ?? '').trim() || e.labels?.[0]?.innerText.trim() || e.innerText?.trim() || e.querySelector?.('img[alt]')?.alt;
  for (const e of document.querySelectorAll('input, select, textarea, button, a[href], canvas[role=img]')) if (!named(e)) wrong.push('no name: ' + e.outerHTML.slice(0, 90));
  for (const e of document.querySelectorAll('img')) if (!e.hasAttribute('alt')) wrong.push('no alt: ' + e.outerHTML.slice(0, 90));
  for (const e of document.querySelectorAll('[aria-labelledby], [aria-describedby]'))
    for (const id of ((e.getAttribute('aria-labelledby') ?? '') + ' ' + (e.getAttribute('aria-describedby') ?? '')).trim().split(/\\s+/)) if (!document.getElementById(id)) wrong.push('points nowhere: ' + id);
  const ids = [...document.querySelectorAll('[id]')].map((e) => e.id);
  for (const id of new Set(ids)) if (ids.filter((other) => other === id).length > 1) wrong.push('twice: #' + id);
  if (document.querySelectorAll('h1').length !== 1) wrong.push('not one h1');
  if (document.querySelectorAll('main').length !== 1) wrong.push('not one main');
  for (const e of document.querySelectorAll('table')) { if (!e.caption) wrong.push('a table without caption'); if ([...e.querySelectorAll('th')].some((th) => !th.scope)) wrong.push('th without scope'); }
  for (const e of document.querySelectorAll('[tabindex]')) if (e.tabIndex > 0) wrong.push('tabindex above 0');
  if (!document.documentElement.lang) wrong.push('no lang');
  if (document.title.trim() === '') wrong.push('no title');
  return wrong;
})()`;

// The contrast of text: at least 4.5 to 1, or 3 to 1 for large text (WCAG AA).
export const contrast = `(() => {
  const wrong = [];
  const parts = (c) => c.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => { const f = (v) => { v /= 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; }; return 0.2126 * f(r) + 0.7152 * f(g) + 0.0722 * f(b); };
  const ground = (e) => { for (; e; e = e.parentElement) { const c = parts(getComputedStyle(e).backgroundColor); if (c.length < 4 || c[3] > 0.99) return c; } return [255, 255, 255]; };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const e = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || !e.checkVisibility() || e.closest('.hidden, .skip, :disabled, noscript, option')) continue;
    const style = getComputedStyle(e), a = light(parts(e instanceof SVGElement ? style.fill : style.color)), b = light(ground(e));
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    const size = parseFloat(style.fontSize), large = size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
    if (ratio < (large ? 3 : 4.5)) wrong.push(ratio.toFixed(2) + ': ' + walker.currentNode.data.trim().slice(0, 40));
  }
  return wrong;
})()`;

// Nothing is wider than the screen, and buttons are large enough.
export const fits = `(() => {
  const wrong = [];
  const width = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth > width) wrong.push('scrolls sideways: ' + document.documentElement.scrollWidth + ' in ' + width);
  for (const e of document.querySelectorAll('main *, header *')) { const r = e.getBoundingClientRect(); if (e.checkVisibility() && r.width > 0 && r.right > width + 1 && !e.closest('.scrolls, .hidden, .skip')) wrong.push('sticks out: ' + e.tagName + ' ' + e.className); }
  for (const e of document.querySelectorAll('th[scope=row]')) if (e.checkVisibility() && e.getBoundingClientRect().width < 60) wrong.push('squeezed: ' + e.innerText);
  for (const e of document.querySelectorAll('button, select, input')) { const r = e.getBoundingClientRect(); if (e.checkVisibility() && r.height < 18) wrong.push('small: ' + e.outerHTML.slice(0, 60)); }
  return wrong;
})()`;

// The elements that the Tab key should reach.
export const reachable = `[...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex="0"]')].filter((e) => !e.disabled && e.checkVisibility()).length`;

// Tab through the page from its top: how many different elements were reached, in the order of the page.
export async function tabThrough(browser) {
  await browser.run('document.activeElement.blur(), getSelection().removeAllRanges(), scrollTo(0, 0), window.reached = [], document.body.setAttribute("tabindex", "-1"), document.body.focus()');
  const count = await browser.run(reachable);
  for (let i = 0; i < count + 2; i += 1) {
    await browser.press('Tab', 9);
    await browser.run('(() => { const e = document.activeElement; if (e !== document.body && !reached.includes(e)) reached.push(e); })()');
  }
  await browser.run('document.body.removeAttribute("tabindex")');
  return browser.run(`(() => {
    const wrong = [];
    const all = [...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex="0"]')].filter((e) => !e.disabled && e.checkVisibility());
    for (const e of all) if (!reached.includes(e)) wrong.push('Tab does not reach ' + e.outerHTML.slice(0, 80));
    for (let i = 1; i < reached.length; i += 1) if (!(reached[i - 1].compareDocumentPosition(reached[i]) & Node.DOCUMENT_POSITION_FOLLOWING)) wrong.push('out of order: ' + reached[i].outerHTML.slice(0, 80));
    return wrong;
  })()`);
}

// Runs all checks, in both widths and both colour schemes; pictures go to `folder`.
export async function lookAt(browser, page, folder) {
  for (const [width, scheme] of [[1200, 'light'], [1200, 'dark'], [400, 'light'], [400, 'dark']]) {
    await browser.view(width, scheme);
    await browser.wait(250);
    if (folder) {
      await browser.picture(`${folder}/${page}-${width}-${scheme}.png`);
    }
    assert.deepEqual(await browser.run(contrast), [], `${page}: contrast, ${width} ${scheme}`);
    assert.deepEqual(await browser.run(fits), [], `${page}: fits, ${width} ${scheme}`);
  }
  assert.deepEqual(await browser.run(labels), [], `${page}: names`);
  assert.deepEqual(await tabThrough(browser), [], `${page}: keyboard`);
  await browser.view(1200, 'light');
  console.log(`looked at ${page}`);
}
