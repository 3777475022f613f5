// charts.js - Chart.js, in the page's own colours. Without it (it comes with the build) there are tables.

import { h } from './dom.js';

export const hasCharts = () => typeof globalThis.Chart === 'function';

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const still = () => matchMedia('(prefers-reduced-motion: reduce)').matches;

// Lines differ in colour, in dashes and in the shape of their points.
const light = ['#0b6e65', '#a13d00', '#3b4fc4', '#8a1f66', '#52680b', '#00658a', '#7a4b00', '#5c3d99'];
const dark = ['#5fd3c4', '#ffb27a', '#a9b5ff', '#f7a3d6', '#c6dd74', '#7fd0f5', '#e6c07b', '#cbb3ff'];
const dashes = [[], [7, 4], [2, 3], [9, 3, 2, 3]];
const points = ['circle', 'rect', 'triangle', 'rectRot', 'star', 'crossRot'];

export function look(place) {
  const palette = matchMedia('(prefers-color-scheme: dark)').matches ? dark : light;
  return { borderColor: palette[place % palette.length], backgroundColor: palette[place % palette.length],
    borderDash: dashes[Math.floor(place / 2) % dashes.length], pointStyle: points[place % points.length] };
}

export function ground() {
  return { ink: colour('--ink'), soft: colour('--soft'), line: colour('--line'), accent: colour('--accent'), tint: colour('--bar-soft') };
}

// A chart with a sentence that says what is seen in it; `redraw` gives its data anew.
export function lineChart(label, axes) {
  if (!hasCharts()) {
    return { element: h('p', { class: 'soft' }, 'Charts are missing: this build was made without Chart.js. The table has the same numbers.'), set() {}, end() {} };
  }
  globalThis.Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
  const canvas = h('canvas', { role: 'img', 'aria-label': label });
  const element = h('div', { class: 'chart' }, canvas);
  let chart = null;
  let latest = null;
  function draw() {
    const { ink, soft, line } = ground();
    const axis = (title, more) => ({ title: { display: true, text: title, color: soft }, ticks: { color: soft, maxTicksLimit: 8 }, grid: { color: line }, ...more });
    chart?.destroy();
    chart = new globalThis.Chart(canvas, {
      type: 'line',
      data: { datasets: latest.datasets },
      options: {
        animation: false, responsive: true, maintainAspectRatio: false, parsing: false, normalized: true,
        interaction: { mode: 'nearest', axis: 'x', intersect: false },
        scales: { x: axis(axes.x, { type: 'linear', min: axes.from, max: latest.until }), y: axis(axes.y, { suggestedMin: axes.low, suggestedMax: axes.high }) },
        plugins: {
          legend: { display: latest.legend !== false, labels: { color: ink, usePointStyle: true, boxWidth: 8, boxHeight: 8, padding: 14, filter: (item) => !item.text.startsWith('~') } },
          tooltip: { filter: (item) => !item.dataset.label.startsWith('~') },
        },
      },
    });
  }
  const scheme = matchMedia('(prefers-color-scheme: dark)');
  const again = () => { if (latest) { latest = latest.remake?.() ?? latest; draw(); } };
  scheme.addEventListener('change', again);
  return {
    element,
    set(data, text) {
      latest = data;
      if (text) {
        canvas.setAttribute('aria-label', text);
      }
      const names = (sets) => sets.map((set) => set.label + set.pointStyle).join();
      if (chart && names(data.datasets) === names(chart.data.datasets)) {
        chart.options.scales.x.max = data.until;
        chart.data.datasets.forEach((set, i) => Object.assign(set, data.datasets[i]));
        chart.update('none');
      } else {
        draw();
      }
    },
    end() {
      scheme.removeEventListener('change', again);
      chart?.destroy();
    },
  };
}

export { still };
