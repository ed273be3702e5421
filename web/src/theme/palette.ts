// Colours of categories, light and dark: each is told from every other with any kind of colour
// vision, and has a text colour with enough contrast.

export interface Paint {
  fill: string;
  text: string;
}

interface Entry {
  light: Paint;
  dark: Paint;
  label: string;
}

const kBlack = "#000000";
const kWhite = "#FFFFFF";

function entry(
  label: string,
  light: string,
  on_light: string,
  dark: string,
  on_dark: string,
): Entry {
  return { label, light: { fill: light, text: on_light }, dark: { fill: dark, text: on_dark } };
}

const kEntries = {
  cube: entry("Cube, matmul", "#194CA9", kWhite, "#6891FB", kBlack),
  attention: entry("Attention", "#CD64ED", kBlack, "#914AC7", kWhite),
  convolution: entry("Convolution, mix", "#067C7F", kWhite, "#9AE8DC", kBlack),
  vector: entry("Vector", "#4B9DB0", kBlack, "#6BC4F5", kBlack),
  aicpu: entry("AI CPU", "#CC2C4E", kWhite, "#D43956", kWhite),
  communication: entry("Communication", "#E3671B", kBlack, "#FE9E27", kBlack),
  wait: entry("Wait, notify", "#636215", kWhite, "#FDF086", kBlack),
  memcpy: entry("Memory copy", "#839973", kBlack, "#1E7519", kWhite),
  framework: entry("Framework operator", "#24333B", kWhite, "#8887A1", kBlack),
  cann: entry("CANN", "#474524", kWhite, "#C1D18F", kBlack),
  python: entry("Python", "#412200", kWhite, "#B69772", kBlack),
  mark: entry("Marks, steps", "#840475", kWhite, "#A63A83", kWhite),
  free: entry("Free", "#DDE2E6", kBlack, "#2B323A", kWhite),
  other: entry("Other", "#A9B2BA", kBlack, "#5A6570", kWhite),
} as const;

export type CategoryKey = keyof typeof kEntries;

export const kCategories = Object.keys(kEntries) as CategoryKey[];

// Parts of a step and causes of idle time borrow the colour of what they are about.
const kAliases: Record<string, CategoryKey> = {
  matmul: "cube",
  mix: "convolution",
  ai_cpu: "aicpu",
  copy: "memcpy",
  memory: "memcpy",
  operator: "framework",
  marks: "mark",
  step: "mark",
  computing: "cube",
  overlapped: "communication",
  uncovered: "communication",
  preparing: "framework",
};

export function category_key(name: string): CategoryKey {
  if (name in kEntries) return name as CategoryKey;
  return kAliases[name] ?? "other";
}

// What categories are called where the device is no NPU.
const kGpuLabels: Partial<Record<CategoryKey, string>> = {
  cube: "Matrix product",
  convolution: "Convolution",
  vector: "Other kernel",
  cann: "CUDA",
};

export function category_label(name: string, device_kind: string = "NPU"): string {
  const key = category_key(name);
  return (device_kind === "GPU" ? kGpuLabels[key] : undefined) ?? kEntries[key].label;
}

// Depends on the order of the characters (FNV-1a), so that anagrams differ.
export function name_hash(name: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < name.length; i++) {
    hash ^= name.charCodeAt(i);
    hash = Math.imul(hash, 0x01000193);
  }
  return hash >>> 0;
}

type Rgb = readonly [number, number, number];

export function parse_colour(text: string): Rgb {
  const value = parseInt(text.slice(1), 16);
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
}

function to_text(colour: Rgb): string {
  return `rgb(${colour.map((part) => Math.round(part)).join(",")})`;
}

export function blend(under: Rgb, over: Rgb, share: number): Rgb {
  return [0, 1, 2].map((i) => under[i]! + (over[i]! - under[i]!) * share) as unknown as Rgb;
}

export function luminance([r, g, b]: Rgb): number {
  const linear = (part: number) =>
    part <= 10 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4;
  return 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
}

export function contrast(a: Rgb, b: Rgb): number {
  const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x) as [number, number];
  return (high + 0.05) / (low + 0.05);
}

// Within a category names vary in lightness, as far as their text stays readable: towards it
// where there is room, else a little away from it.
const kLightnessSteps = 6;
const kReadable = 4.8;
const kMostShare = 0.4;
const kAwayShare = 0.24;

function lightness_range(paint: Paint): { to: Rgb; share: number } {
  // Nothing is one colour.
  if (paint === kEntries.free.light || paint === kEntries.free.dark)
    return { to: [0, 0, 0], share: 0 };
  const fill = parse_colour(paint.fill);
  const text = parse_colour(paint.text);
  const away: Rgb = paint.text === kWhite ? [0, 0, 0] : [255, 255, 255];
  let share = 0;
  while (share < kMostShare && contrast(blend(fill, text, share + 0.02), text) >= kReadable)
    share += 0.02;
  return share >= kAwayShare ? { to: text, share } : { to: away, share: kAwayShare };
}

const kRanges = new Map<Paint, { to: Rgb; share: number }>();

export function slice_paint(category: string, name: string, dark: boolean): Paint {
  const paint = kEntries[category_key(category)][dark ? "dark" : "light"];
  let range = kRanges.get(paint);
  if (!range) kRanges.set(paint, (range = lightness_range(paint)));
  const share = ((name_hash(name) % kLightnessSteps) / (kLightnessSteps - 1)) * range.share;
  return { fill: to_text(blend(parse_colour(paint.fill), range.to, share)), text: paint.text };
}

export function category_paint(category: string, dark: boolean): Paint {
  return kEntries[category_key(category)][dark ? "dark" : "light"];
}

// One hue, from the background to full: heat maps, with the number in the cell.
export function heat_paint(share: number, dark: boolean): Paint {
  const low: Rgb = dark ? [26, 33, 41] : [240, 245, 250];
  const high: Rgb = dark ? [104, 145, 251] : [25, 76, 169];
  const fill = blend(low, high, Math.max(0, Math.min(1, share)));
  const text = contrast(fill, [0, 0, 0]) >= contrast(fill, [255, 255, 255]) ? kBlack : kWhite;
  return { fill: to_text(fill), text };
}
