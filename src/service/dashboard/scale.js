// scale.js - the numbers and the range of an axis. Axes follow the data, so that rates of 1 to 4% are
// not a flat line at the bottom of 0 to 100%.

// Steps of 1, 2, 2.5 or 5 times a power of ten; about `wished` of them.
export function ticks(low, high, wished) {
  const raw = (high - low) / Math.max(1, wished);
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].map((part) => part * power).find((size) => size >= raw * 0.999);
  const first = Math.ceil(low / step - 1e-9);
  const found = [];
  for (let i = first; i * step <= high + step * 1e-9; i += 1) {
    found.push(i === 0 ? 0 : i * step);
  }
  return { step, values: found };
}

// As many digits as tell two neighbouring ticks apart.
export function digitsOf(step) {
  return Math.max(0, Math.min(6, Math.ceil(-Math.log10(step) - 1e-9) + (Number((step / 10 ** Math.floor(Math.log10(step))).toFixed(3)) === 2.5 ? 1 : 0)));
}

const MINUTE = 60;
const HOUR = 3600;
const DAY = 86400;
const STEPS = [1, 2, 5, 10, 15, 30, MINUTE, 2 * MINUTE, 5 * MINUTE, 10 * MINUTE, 15 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR,
  DAY, 2 * DAY, 7 * DAY, 14 * DAY, 28 * DAY, 91 * DAY, 182 * DAY, 364 * DAY];

// Ticks of a time axis in Unix seconds, at whole minutes, hours or days of the reader's own clock.
export function timeTicks(low, high, wished) {
  const step = STEPS.find((size) => (high - low) / size <= wished) ?? STEPS.at(-1) * Math.ceil((high - low) / STEPS.at(-1) / wished);
  const offset = -60 * new Date(1000 * low).getTimezoneOffset();
  const found = [];
  for (let at = Math.ceil((low + offset) / step) * step - offset; at <= high; at += step) {
    found.push(at);
  }
  const clock = step < MINUTE ? { hour: '2-digit', minute: '2-digit', second: '2-digit' } : { hour: '2-digit', minute: '2-digit' };
  const day = step >= 182 * DAY ? { month: 'short', year: 'numeric' } : { day: 'numeric', month: 'short' };
  const isMidnight = (at) => (at + offset) % DAY === 0;
  return { values: found, text: (at) => new Date(1000 * at).toLocaleString(undefined, step >= DAY || isMidnight(at) ? day : clock) };
}

const ROOM = 1.5; // for intervals, as a multiple of the room for estimates

// How far an axis goes for estimates: over those whose interval is not much wider than the narrowest one of their own
// line. The latest intervals get some room above and below, and those of `whole` lines fit completely. Other
// intervals are cut off: at rates of 1 to 4% they could make all lines look flat.
export function estimateDomain(lines, [least, most]) {
  let low = Infinity;
  let high = -Infinity;
  const ends = lines.map(({ points }) => points.at(-1));
  for (const { points } of lines) {
    const narrow = Math.min(...points.map((point) => point.high - point.low));
    for (const point of points) {
      if (point.high - point.low <= 2 * narrow || point === points.at(-1)) {
        low = Math.min(low, point.y);
        high = Math.max(high, point.y);
      }
    }
  }
  if (!Number.isFinite(low)) {
    [low, high] = [least, most];
  } else {
    const span = Math.max(high - low, 0.25 * Math.min(...ends.map((end) => end.high - end.low)), 1e-9 * (most - least));
    const chosen = lines.filter((line) => line.whole).map(({ points }) => points.at(-1));
    const below = Math.min(span, Math.max(0, low - Math.min(...ends.map((end) => end.low))));
    const above = Math.min(ROOM * span - below, Math.max(0, Math.max(...ends.map((end) => end.high)) - high));
    [low, high] = [Math.min(low - below, ...chosen.map((end) => end.low)), Math.max(high + above, ...chosen.map((end) => end.high))];
  }
  const room = 0.06 * (high - low || most - least);
  return [low >= least ? Math.max(least, low - room) : low - room, high <= most ? Math.min(most, high + room) : high + room];
}

// How far an axis goes for one interval of each arm. An arm of which little is known does not stretch the axis.
export function intervalDomain(estimates, range) {
  const known = estimates.filter((arm) => arm.mean !== null && arm.low !== null && arm.low !== undefined);
  if (known.length === 0) {
    return range;
  }
  const narrow = Math.min(...known.map((arm) => arm.high - arm.low));
  const clear = known.filter((arm) => arm.high - arm.low <= 6 * narrow);
  const low = Math.min(...clear.map((arm) => Math.min(arm.low, arm.mean)));
  const high = Math.max(...clear.map((arm) => Math.max(arm.high, arm.mean)));
  const room = 0.08 * (high - low || range[1] - range[0]);
  return [low >= range[0] ? Math.max(range[0], low - room) : low - room, high <= range[1] ? Math.min(range[1], high + room) : high + room];
}
