// The whole state of the page as the fragment of its address: `#/timeline?p=0,1&t=10-2500`. Never
// the token. What has its usual value is left out, so that links stay short.

export interface SliceId {
  p: number;
  lane: number;
  event: number;
}

export interface TimeMark {
  begin: number;
  end: number; // = begin for a moment.
  name: string;
}

export interface PageState {
  view: string;
  p: number; // The profile that views of one profile show.
  ranks: number[]; // Profiles of the timeline, one above the other; empty = p alone.
  step: number | null;
  t: [number, number] | null; // What the timeline shows, ns.
  range: [number, number] | null; // A selection of time,
  range_lanes: string[]; // and of lanes "p.lane"; empty = all.
  slice: SliceId | null;
  open: string[]; // Keys of groups that are not as they usually are: opened or closed.
  pinned: string[]; // Lanes and groups by key.
  hidden: string[];
  order: string[]; // Groups that were moved: "key>before".
  lanes: string; // Filter of lanes.
  offsets: Record<number, number>; // Profile -> ns.
  marks: TimeMark[];
  q: string; // Search on the timeline,
  how: string; // with c (case), w (word), r (regular expression).
  flows: string; // Kinds of flows that are always drawn.
  tab: string; // Part of a view.
  pick: string; // What is picked in a view: a kernel name, a module.
  sort: string; // "table:column" or "table:-column".
  find: string; // Filter of tables.
  group: string;
  other: number | null; // The profile compared with,
  other_step: number | null; // and its step.
  base_range: [number, number] | null; // Times that are compared, each of its profile.
  other_range: [number, number] | null;
  sql: string;
  unit: string;
  options: string; // Options of an analysis: "by=shape;top=5".
}

export function usual_state(): PageState {
  return {
    view: "overview",
    p: 0,
    ranks: [],
    step: null,
    t: null,
    range: null,
    range_lanes: [],
    slice: null,
    open: [],
    pinned: [],
    hidden: [],
    order: [],
    lanes: "",
    offsets: {},
    marks: [],
    q: "",
    how: "",
    flows: "",
    tab: "",
    pick: "",
    sort: "",
    find: "",
    group: "",
    other: null,
    other_step: null,
    base_range: null,
    other_range: null,
    sql: "",
    unit: "",
    options: "",
  };
}

interface Codec<T> {
  write(value: T): string; // "" = usual, left out.
  read(text: string): T | undefined; // undefined = not understood.
}

const kText: Codec<string> = { write: (value) => value, read: (text) => text };

const kWhole: Codec<number | null> = {
  write: (value) => (value === null ? "" : String(value)),
  read: (text) => (/^-?\d+$/.test(text) ? Number(text) : undefined),
};

const kProfile: Codec<number> = {
  write: (value) => (value === 0 ? "" : String(value)),
  read: (text) => (/^\d+$/.test(text) ? Number(text) : undefined),
};

const kSpan: Codec<[number, number] | null> = {
  write: (value) => (value ? `${trim(value[0])}~${trim(value[1])}` : ""),
  read(text) {
    const parts = text.split("~").map(Number);
    const [begin, end] = parts;
    if (begin === undefined || end === undefined || !(begin <= end)) return undefined;
    return [begin, end];
  },
};

// Separated by commas; commas and percent signs inside are escaped.
const kTexts: Codec<string[]> = {
  write: (values) => values.map((text) => text.replace(/[%,]/g, encodeURIComponent)).join(","),
  read: (text) => text.split(",").filter(Boolean).map(unescape_part),
};

const kWholes: Codec<number[]> = {
  write: (values) => values.join(","),
  read: (text) =>
    text
      .split(",")
      .filter((part) => /^\d+$/.test(part))
      .map(Number),
};

const kSliceId: Codec<SliceId | null> = {
  write: (value) => (value ? `${value.p}.${value.lane}.${value.event}` : ""),
  read(text) {
    const match = /^(\d+)\.(\d+)\.(\d+)$/.exec(text);
    return match
      ? { p: Number(match[1]), lane: Number(match[2]), event: Number(match[3]) }
      : undefined;
  },
};

const kOffsets: Codec<Record<number, number>> = {
  write: (value) =>
    Object.entries(value)
      .filter(([, ns]) => ns !== 0)
      .map(([p, ns]) => `${p}:${ns}`)
      .join(","),
  read(text) {
    const offsets: Record<number, number> = {};
    for (const part of text.split(",")) {
      const match = /^(\d+):(-?\d+(?:\.\d+)?)$/.exec(part);
      if (match) offsets[Number(match[1])] = Number(match[2]);
    }
    return offsets;
  },
};

const kMarks: Codec<TimeMark[]> = {
  write: (marks) =>
    kTexts.write(marks.map((mark) => `${trim(mark.begin)}~${trim(mark.end)}~${mark.name}`)),
  read(text) {
    return kTexts.read(text)!.flatMap((part) => {
      const match = /^(-?[\d.]+)~(-?[\d.]+)~([^]*)$/.exec(part);
      return match ? [{ begin: Number(match[1]), end: Number(match[2]), name: match[3]! }] : [];
    });
  },
};

// Times of a view to a thousandth of a ns: enough for any screen, short in an address.
function trim(time: number): string {
  return String(Math.round(time * 1000) / 1000);
}

function unescape_part(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

type Codecs = { [Key in Exclude<keyof PageState, "view">]: Codec<PageState[Key]> };

const kCodecs: Codecs = {
  p: kProfile,
  ranks: kWholes,
  step: kWhole,
  t: kSpan,
  range: kSpan,
  range_lanes: kTexts,
  slice: kSliceId,
  open: kTexts,
  pinned: kTexts,
  hidden: kTexts,
  order: kTexts,
  lanes: kText,
  offsets: kOffsets,
  marks: kMarks,
  q: kText,
  how: kText,
  flows: kText,
  tab: kText,
  pick: kText,
  sort: kText,
  find: kText,
  group: kText,
  other: kWhole,
  other_step: kWhole,
  base_range: kSpan,
  other_range: kSpan,
  sql: kText,
  unit: kText,
  options: kText,
};

export function state_to_fragment(state: PageState): string {
  const parameters: string[] = [];
  for (const [key, codec] of Object.entries(kCodecs) as [keyof Codecs, Codec<unknown>][]) {
    const text = codec.write(state[key]);
    if (text !== "")
      parameters.push(
        `${key}=${encodeURIComponent(text).replaceAll("%2C", ",").replaceAll("%3A", ":").replaceAll("%3E", ">")}`,
      );
  }
  return `#/${state.view}${parameters.length > 0 ? `?${parameters.join("&")}` : ""}`;
}

// What is not understood has its usual value: an old or cut link still opens.
export function fragment_to_state(fragment: string): PageState {
  const state = usual_state();
  const match = /^#?\/?([\w-]*)(?:\?(.*))?$/s.exec(fragment);
  if (!match) return state;
  if (match[1]) state.view = match[1];
  for (const part of (match[2] ?? "").split("&")) {
    const equals = part.indexOf("=");
    if (equals < 0) continue;
    const key = part.slice(0, equals);
    if (!Object.hasOwn(kCodecs, key)) continue;
    const codec = kCodecs[key as keyof Codecs] as Codec<unknown>;
    const value = codec.read(unescape_part(part.slice(equals + 1)));
    if (value !== undefined) (state as unknown as Record<string, unknown>)[key] = value;
  }
  return state;
}

// `#t=TOKEN`, alone or before a state: `#t=TOKEN&/timeline?...`.
export function split_token(fragment: string): { token: string; rest: string } {
  const match = /^#?t=([^&]*)&?(.*)$/s.exec(fragment);
  return match
    ? { token: unescape_part(match[1]!), rest: match[2]! }
    : { token: "", rest: fragment };
}
