// A picture as a PNG of at most 256 colours: less than half as large, and the page has few colours.

import type { Page } from "@playwright/test";
import { deflateSync } from "node:zlib";

interface Indexed {
  width: number;
  height: number;
  colours: number[]; // Red, green, blue, red, ...
  pixels: string; // A byte each, as base64.
}

// Runs in the browser, which can read any picture. The colours that most pixels have are kept, the
// others become the nearest of those.
async function to_indexed(source: string): Promise<Indexed> {
  const blob = await (await fetch(`data:image/png;base64,${source}`)).blob();
  const picture = await createImageBitmap(blob);
  const { width, height } = picture;
  const pen = new OffscreenCanvas(width, height).getContext("2d")!;
  pen.drawImage(picture, 0, 0);
  const { data } = pen.getImageData(0, 0, width, height);
  const key = (i: number) => (data[i]! << 16) | (data[i + 1]! << 8) | data[i + 2]!;
  const counts = new Map<number, number>();
  for (let i = 0; i < data.length; i += 4) counts.set(key(i), (counts.get(key(i)) ?? 0) + 1);
  const kept = [...counts.entries()]
    .sort((a, b) => b[1] - a[1])
    .slice(0, 256)
    .map(([colour]) => colour);
  const parts = (colour: number) => [colour >> 16, (colour >> 8) & 255, colour & 255];
  const distance = (a: number, b: number) => {
    const [x, y] = [parts(a), parts(b)];
    return x.reduce((sum, part, i) => sum + (part - y[i]!) ** 2, 0);
  };
  const places = new Map(kept.map((colour, place) => [colour, place]));
  for (const colour of counts.keys()) {
    if (places.has(colour)) continue;
    let best = 0;
    kept.forEach((each, place) => {
      if (distance(each, colour) < distance(kept[best]!, colour)) best = place;
    });
    places.set(colour, best);
  }
  let pixels = "";
  for (let i = 0; i < data.length; i += 4) pixels += String.fromCharCode(places.get(key(i))!);
  return { width, height, colours: kept.flatMap(parts), pixels: btoa(pixels) };
}

function crc32(bytes: Buffer): number {
  let crc = ~0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, check]);
}

export async function small_png(page: Page, png: Buffer): Promise<Buffer> {
  const helper = await page.context().newPage();
  const indexed = await helper.evaluate(to_indexed, png.toString("base64"));
  await helper.close();
  const { width, height } = indexed;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3], 8); // Bits of a pixel, and that they are places of a palette.
  const pixels = Buffer.from(indexed.pixels, "base64");
  const lines = Buffer.alloc((width + 1) * height); // Each begins with a zero: no filter.
  for (let y = 0; y < height; y++)
    pixels.copy(lines, y * (width + 1) + 1, y * width, (y + 1) * width);
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    chunk("IHDR", header),
    chunk("PLTE", Buffer.from(indexed.colours)),
    chunk("IDAT", deflateSync(lines, { level: 9 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}
