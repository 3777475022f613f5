// forest.js - an arm's estimate as a point on its interval, drawn as SVG. The numbers stand beside it as text.

import { svg } from './dom.js';

const WIDTH = 240;
const HEIGHT = 26;

// `range` is [low, high] of a reward. `truth` (simulations) is a diamond.
export function forest(range) {
  const x = (value) => 6 + (WIDTH - 12) * Math.min(1, Math.max(0, (value - range[0]) / (range[1] - range[0])));
  const bar = svg('rect', { class: 'f-bar', y: 9, height: 8, rx: 4 });
  const dot = svg('circle', { class: 'f-dot', cy: 13, r: 5 });
  const diamond = svg('path', { class: 'f-truth' });
  const drawing = svg('svg', { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: 'forest', 'aria-hidden': 'true', focusable: 'false' },
    svg('line', { class: 'f-axis', x1: 6, x2: WIDTH - 6, y1: 13, y2: 13 }), bar, dot, diamond);
  return {
    element: drawing,
    set(estimate, truth) {
      const known = estimate.mean !== null;
      bar.toggleAttribute('hidden', !known);
      dot.toggleAttribute('hidden', !known);
      if (known) {
        bar.setAttribute('x', x(estimate.low));
        bar.setAttribute('width', Math.max(2, x(estimate.high) - x(estimate.low)));
        dot.setAttribute('cx', x(estimate.mean));
      }
      diamond.setAttribute('d', truth === undefined ? '' : `M${x(truth)} 3 l5 10 l-5 10 l-5 -10 z`);
    },
  };
}
