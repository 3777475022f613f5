// plot.js - a chart of lines over time or rounds, drawn as SVG. A line steps at every release, and marks below the axis show
// releases. The latest intervals are bars at the right edge, and a chosen line has a band. Colours come from app.css, so they
// follow the page's scheme.
//
// Lines differ in colour, in dashes and in the shape of their points.

import { h, svg, freshId } from './dom.js';
import { digitsOf, ticks, timeTicks } from './scale.js';
import { whole } from './format.js';

export const LINES = 8;
const GAP = 11; // pixels between two bars
const SHAPES = ['M-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0', 'M-3.5 -3.5h7v7h-7z', 'M0 -4.5L4.5 3.5H-4.5z', 'M0 -5L5 0L0 5L-5 0z',
  'M-4 -1.5h2.5v-2.5h3v2.5h2.5v3h-2.5v2.5h-3v-2.5h-2.5z', 'M0 4.5L4.5 -3.5H-4.5z', 'M-2.5 -4.5h5v9h-5z', 'M-4.5 -2.5h9v5h-9z'];
const DASHES = ['', '8 4', '2 3', '10 3 2 3'];

const dashOf = (place) => DASHES[Math.floor(place / 2) % DASHES.length] || null;

// A short piece of a line, for the legend.
export function swatch(place) {
  return svg('svg', { class: 'swatch', viewBox: '0 0 30 14', width: 30, height: 14, 'aria-hidden': 'true', focusable: 'false' },
    svg('line', { class: `line c${place}`, x1: 1, x2: 29, y1: 7, y2: 7, 'stroke-dasharray': dashOf(place) }),
    svg('path', { class: `dot c${place}`, d: SHAPES[place % SHAPES.length], transform: 'translate(15 7)' }));
}

const stepPath = (points, x, y, key, end) => points.map((point, i) => {
  const across = i === 0 ? `M${x(point.x)} ${y(point[key])}` : `H${x(point.x)}V${y(point[key])}`;
  return i === points.length - 1 ? `${across}H${x(Math.max(end, point.x))}` : across;
}).join('');
const straightPath = (points, x, y, key) => points.map((point, i) => `${i ? 'L' : 'M'}${x(point.x)} ${y(point[key])}`).join('');

// There and back again, as one area.
function bandPath(points, x, y, end) {
  const corners = (key) => points.flatMap((point, i) => {
    const until = i + 1 < points.length ? points[i + 1].x : Math.max(end, point.x);
    return [[x(point.x), y(point[key])], [x(until), y(point[key])]];
  });
  return `M${[...corners('high'), ...corners('low').reverse()].map((corner) => corner.join(' ')).join('L')}z`;
}

// An interval as a bar with its estimate, cut off at the ends of the frame, with an arrow there.
function bar(line, at, y, frame) {
  const { low, high, y: middle } = line.points.at(-1);
  const top = Math.max(y(high), frame.top);
  const foot = Math.min(y(low), frame.bottom);
  const arrow = (end, down) => svg('path', { class: `dot c${line.place}`, d: `M${at - 4} ${end + (down ? -6 : 6)}h8L${at} ${end + (down ? 1 : -1)}z` });
  const cap = (end) => svg('line', { class: `interval c${line.place}`, x1: at - 3.5, x2: at + 3.5, y1: end, y2: end });
  return svg('g', { class: line.strong ? 'strong' : null }, svg('line', { class: `interval c${line.place}`, x1: at, x2: at, y1: top, y2: foot }),
    y(high) < frame.top - 0.5 ? arrow(top, false) : cap(top), y(low) > frame.bottom + 0.5 ? arrow(foot, true) : cap(foot),
    y(middle) < frame.top - 1 || y(middle) > frame.bottom + 1 ? null : svg('path', { class: `dot c${line.place}`, d: SHAPES[line.place % SHAPES.length], transform: `translate(${at} ${y(middle)}) scale(.75)` }));
}

// `set` draws: {series: [{name, place, points: [{x, y, low, high}], band, strong}], x: {time, low, high}, y: {low,
// high, rate}, marks, steps, bars}. `onhover` gets the x under the pointer, or null.
export function plot(label, axes, onhover = null) {
  const clip = freshId('clip');
  const drawing = svg('svg', { class: 'plot', role: 'img', 'aria-label': label });
  const element = h('div', { class: 'chart' }, drawing);
  let latest = null;
  let place = null; // the inner frame and its scales

  function draw() {
    const width = Math.round(element.clientWidth);
    if (!latest || width < 80) {
      return;
    }
    const height = width < 480 ? 240 : 300;
    const { x: over, y: up } = latest;
    const yTicks = ticks(up.low, up.high, height / 55);
    const digits = digitsOf(up.rate ? yTicks.step * 100 : yTicks.step);
    const yText = (number) => (up.rate ? `${(100 * number).toFixed(digits)}%` : number.toFixed(digits));
    const left = 14 + 7 * Math.max(...yTicks.values.map((number) => yText(number).length), 3);
    const barred = latest.bars ? latest.series.filter((line) => line.points.length) : [];
    const gap = Math.min(GAP, 0.16 * width / LINES);
    const frame = { left, right: width - 12 - (barred.length ? gap * barred.length + 12 : 0), top: 12, bottom: height - 44 };
    const x = (at) => Math.round(10 * (frame.left + (frame.right - frame.left) * (at - over.low) / (over.high - over.low || 1))) / 10;
    const y = (at) => Math.round(10 * (frame.bottom - (frame.bottom - frame.top) * (at - up.low) / (up.high - up.low || 1))) / 10;
    const wished = Math.max(2, (frame.right - frame.left) / 95);
    const whenTicks = over.time ? timeTicks(over.low, over.high, wished) : { values: ticks(over.low, over.high, wished).values, text: whole };
    place = { frame, over };
    drawing.setAttribute('viewBox', `0 0 ${width} ${height}`);
    drawing.setAttribute('height', height);
    const path = latest.steps === false ? straightPath : stepPath;
    drawing.replaceChildren(
      svg('clipPath', { id: clip }, svg('rect', { x: frame.left, y: frame.top - 6, width: frame.right - frame.left + 6, height: frame.bottom - frame.top + 12 })),
      ...yTicks.values.flatMap((at) => [svg('line', { class: 'grid', x1: frame.left, x2: frame.right, y1: y(at), y2: y(at) }),
        svg('text', { class: 'axis-text', x: frame.left - 8, y: y(at) + 4, 'text-anchor': 'end' }, yText(at))]),
      ...whenTicks.values.map((at) => svg('text', { class: 'axis-text', x: Math.min(x(at), frame.right - 14), y: frame.bottom + 24, 'text-anchor': 'middle' }, whenTicks.text(at))),
      svg('line', { class: 'axis', x1: frame.left, x2: frame.right, y1: frame.bottom, y2: frame.bottom }),
      svg('text', { class: 'axis-text', x: frame.right, y: height - 4, 'text-anchor': 'end' }, over.time ? axes.time ?? 'time' : axes.x ?? 'round'),
      ...(latest.marks ?? []).map((at) => svg('line', { class: 'mark', x1: x(at), x2: x(at), y1: frame.bottom + 1, y2: frame.bottom + 9 })),
      svg('g', { 'clip-path': `url(#${clip})` },
        latest.series.filter((line) => line.band && line.points.length).map((line) => svg('path', { class: `band c${line.place}`, d: bandPath(line.points, x, y, over.high) })),
        latest.series.filter((line) => line.points.length).map((line) => svg('path', { class: `line c${line.place}${line.strong ? ' strong' : ''}`, d: path(line.points, x, y, 'y', over.high), 'stroke-dasharray': dashOf(line.place) })),
        latest.series.filter((line) => line.dots !== false).map((line) => line.points.slice(-40).map((point) => svg('path', { class: `dot c${line.place}`, d: SHAPES[line.place % SHAPES.length], transform: `translate(${x(point.x)} ${y(point.y)})${line.strong ? '' : ' scale(.75)'}` })))),
      ...barred.map((line, i) => bar(line, frame.right + 14 + gap * i, y, frame)),
      svg('line', { class: 'cross', y1: frame.top, y2: frame.bottom, visibility: 'hidden' }));
  }

  function move(event) {
    const cross = drawing.querySelector('.cross');
    if (!place || !cross || !onhover) {
      return;
    }
    const at = event.clientX - drawing.getBoundingClientRect().left;
    const { frame, over } = place;
    const inside = event.type !== 'pointerleave' && at >= frame.left && at <= frame.right;
    cross.setAttribute('visibility', inside ? 'visible' : 'hidden');
    cross.setAttribute('x1', at);
    cross.setAttribute('x2', at);
    onhover(inside ? over.low + (over.high - over.low) * (at - frame.left) / (frame.right - frame.left) : null);
  }
  drawing.addEventListener('pointermove', move);
  drawing.addEventListener('pointerleave', move);
  const observer = new ResizeObserver(() => requestAnimationFrame(draw));
  observer.observe(element);
  return {
    element,
    set(data, text) {
      latest = data;
      drawing.setAttribute('aria-label', text ?? label);
      draw();
    },
    end: () => observer.disconnect(),
  };
}
