// history.js - what a campaign released so far, by arm. Where the server keeps no history (local and linear
// campaigns), it collects what this page has seen since it was opened.

import { api } from './api.js';

export function openHistory(name) {
  const lines = new Map(); // from an arm's id to its estimates
  const shares = []; // [{x, time, of: Map}]: how often each arm was shown, until then
  const marks = []; // {x, time} of every release
  let after = 0;

  function put(arm, x, time) {
    const line = lines.get(arm.id) ?? lines.set(arm.id, []).get(arm.id);
    const last = line.at(-1);
    if (arm.mean !== null && arm.interval && (!last || last.count !== arm.count || last.y !== arm.mean)) {
      line.push({ x, time, y: arm.mean, count: arm.count, low: arm.interval.low, high: arm.interval.high });
    }
  }

  function putShares(counts, x, time) {
    const total = [...counts.values()].reduce((sum, shown) => sum + shown, 0);
    if (total > 0 && shares.at(-1)?.x !== x) {
      shares.push({ x, time, of: new Map([...counts].map(([id, shown]) => [id, shown / total])) });
    }
  }

  return {
    lines,
    shares,
    marks,
    note: null,
    get hasTime() {
      return marks.length > 0 && marks.every((mark) => mark.time !== null);
    },
    async read(campaign) {
      for (let more = true; more;) {
        const page = await api.releases(name, after);
        this.note = page.note;
        for (const release of page.releases) {
          const time = release.time ?? null;
          release.arms.forEach((arm) => put(arm, release.round, time));
          marks.push({ x: release.round, time });
          if (release.shown) {
            putShares(new Map(Object.entries(release.shown)), release.round, time);
          }
          after = release.number;
        }
        if (page.note && campaign.dimension === null && page.releases.length === 0) {
          const now = Date.now() / 1000;
          const before = [...lines.values()].reduce((sum, line) => sum + line.length, 0);
          page.current.forEach((arm) => put(arm, campaign.final, now));
          if ([...lines.values()].reduce((sum, line) => sum + line.length, 0) > before) {
            marks.push({ x: campaign.final, time: now });
          }
          putShares(new Map(page.current.map((arm) => [arm.id, arm.shown])), campaign.final, now);
        }
        more = page.next !== null;
      }
    },
  };
}
