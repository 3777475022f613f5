// forest.js - an arm's estimate as a point on its interval, drawn as SVG. The caller also shows the numbers as text.

import { svg } from './dom.js';

// `range`: [low, high] of the drawing. `truth` (simulations) is a diamond. An interval is cut off at the
// ends of `domain`, with an arrow there.
export function forest(range) {
  const bar = svg('rect', { class: 'f-bar', y: 9, height: 8, rx: 4 });
  const dot = svg('circle', { class: 'f-dot', cy: 13, r: 5 });
  const left = svg('path', { class: 'f-dot', d: 'M-4 13l8 -6v12z' });
  const right = svg('svg', { x: '100%', overflow: 'visible' }, svg('path', { class: 'f-dot', d: 'M4 13l-8 -6v12z' }));
  const zero = svg('line', { class: 'f-zero', y1: 2, y2: 24 });
  const diamond = svg('svg', { overflow: 'visible' }, svg('path', { class: 'f-truth', d: 'M0 3l5 10l-5 10l-5 -10z' }));
  const drawing = svg('svg', { class: 'forest', 'aria-hidden': 'true', focusable: 'false' },
    svg('line', { class: 'f-axis', x1: 0, x2: '100%', y1: 13, y2: 13 }), zero, bar, left, right, dot, diamond);
  return {
    element: drawing,
    set(estimate, truth, domain = range) {
      const x = (value) => 100 * Math.min(1, Math.max(0, (value - domain[0]) / (domain[1] - domain[0] || 1)));
      const known = estimate.mean !== null && estimate.low !== undefined && estimate.low !== null;
      const inSight = estimate.mean !== null && estimate.mean >= domain[0] && estimate.mean <= domain[1];
      bar.toggleAttribute('hidden', !known);
      dot.toggleAttribute('hidden', !inSight);
      left.toggleAttribute('hidden', !known || estimate.low >= domain[0] - 1e-12);
      right.toggleAttribute('hidden', !known || estimate.high <= domain[1] + 1e-12);
      if (known) {
        bar.setAttribute('x', `${x(estimate.low)}%`);
        bar.setAttribute('width', `${Math.max(1, x(estimate.high) - x(estimate.low))}%`);
      }
      dot.setAttribute('cx', `${x(estimate.mean ?? 0)}%`);
      const crosses = domain[0] < 0 && domain[1] > 0;
      zero.toggleAttribute('hidden', !crosses);
      zero.setAttribute('x1', `${x(0)}%`);
      zero.setAttribute('x2', `${x(0)}%`);
      diamond.toggleAttribute('hidden', truth === undefined);
      diamond.setAttribute('x', `${x(truth ?? 0)}%`);
    },
  };
}
