// palette.mjs - makes the PNG files of Chromium smaller: 256 colours, which are enough for pages.

import { deflateSync, inflateSync } from 'node:zlib';

const crcs = Array.from({ length: 256 }, (none, n) => {
  let c = n;
  for (let k = 0; k < 8; k += 1) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
  return c >>> 0;
});
function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  let crc = 0xffffffff;
  for (const byte of body) crc = crcs[(crc ^ byte) & 255] ^ (crc >>> 8);
  const frame = Buffer.alloc(8 + body.length);
  frame.writeUInt32BE(data.length, 0);
  body.copy(frame, 4);
  frame.writeUInt32BE((crc ^ 0xffffffff) >>> 0, 4 + body.length);
  return frame;
}

// Pixels of a PNG with 8 bits for each channel, not interlaced, as [red, green, blue] in one number.
function pixelsOf(png) {
  const parts = [];
  let header;
  for (let at = 8; at < png.length;) {
    const length = png.readUInt32BE(at);
    const type = png.toString('latin1', at + 4, at + 8);
    const data = png.subarray(at + 8, at + 8 + length);
    if (type === 'IHDR') header = data;
    if (type === 'IDAT') parts.push(data);
    at += 12 + length;
  }
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const size = header[9] === 6 ? 4 : 3;
  const raw = inflateSync(Buffer.concat(parts));
  const line = width * size;
  const pixels = new Uint32Array(width * height);
  let above = new Uint8Array(line);
  for (let y = 0; y < height; y += 1) {
    const filter = raw[y * (line + 1)];
    const row = raw.subarray(y * (line + 1) + 1, (y + 1) * (line + 1));
    for (let x = 0; x < line; x += 1) {
      const [a, b, c] = [x >= size ? row[x - size] : 0, above[x], x >= size ? above[x - size] : 0];
      const [pa, pb, pc] = [Math.abs(b - c), Math.abs(a - c), Math.abs(a + b - 2 * c)];
      const paeth = pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
      row[x] += [0, a, b, (a + b) >> 1, paeth][filter];
    }
    above = row;
    for (let x = 0; x < width; x += 1) pixels[y * width + x] = (row[x * size] << 16) | (row[x * size + 1] << 8) | row[x * size + 2];
  }
  return { width, height, pixels };
}

// The most frequent colours; all others become the nearest of these.
export function shrink(png) {
  const { width, height, pixels } = pixelsOf(png);
  const counts = new Map();
  for (const pixel of pixels) counts.set(pixel, (counts.get(pixel) ?? 0) + 1);
  const parts = (pixel) => [pixel >> 16, (pixel >> 8) & 255, pixel & 255];
  const palette = [...counts].sort((a, b) => b[1] - a[1]).slice(0, 256).map(([pixel]) => parts(pixel));
  const place = new Map([...counts.keys()].map((pixel) => {
    const [r, g, b] = parts(pixel);
    let best = 0;
    let least = Infinity;
    palette.forEach(([pr, pg, pb], i) => {
      const far = (r - pr) ** 2 + (g - pg) ** 2 + (b - pb) ** 2;
      if (far < least) [best, least] = [i, far];
    });
    return [pixel, best];
  }));
  const raw = Buffer.alloc((width + 1) * height);
  pixels.forEach((pixel, i) => { raw[i + Math.floor(i / width) + 1] = place.get(pixel); });
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3, 0, 0, 0], 8);
  return Buffer.concat([png.subarray(0, 8), chunk('IHDR', header), chunk('PLTE', Buffer.from(palette.flat())), chunk('IDAT', deflateSync(raw, { level: 9 })), chunk('IEND', Buffer.alloc(0))]);
}
