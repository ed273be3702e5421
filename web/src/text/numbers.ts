// Numbers for people: one unit per column or axis, tabular, with the precision the data has.

export interface Unit {
  name: string;
  size: number; // In base units: ns, bytes.
  decimals: number;
}

const kTimeUnits: readonly Unit[] = [
  { name: "ns", size: 1, decimals: 0 },
  { name: "µs", size: 1e3, decimals: 3 },
  { name: "ms", size: 1e6, decimals: 3 },
  { name: "s", size: 1e9, decimals: 3 },
];

const kByteUnits: readonly Unit[] = [
  { name: "B", size: 1, decimals: 0 },
  { name: "KB", size: 1024, decimals: 2 },
  { name: "MB", size: 1024 ** 2, decimals: 3 },
  { name: "GB", size: 1024 ** 3, decimals: 3 },
];

// What the user chose in place of the fitting unit: "us", "ms", "ns" or nothing.
export type UnitChoice = "" | "ns" | "us" | "ms" | "s";

let unit_choice: UnitChoice = "";

export function choose_time_unit(choice: UnitChoice): void {
  unit_choice = choice;
}

function unit_for(units: readonly Unit[], largest: number, room: number): Unit {
  let chosen = units[0]!;
  for (const unit of units) {
    if (largest >= unit.size * room) chosen = unit;
  }
  return chosen;
}

// The unit in which all values up to `largest` ns are short.
export function time_unit(largest: number): Unit {
  const chosen = kTimeUnits.find((unit) => unit.name.replace("µ", "u") === unit_choice);
  if (chosen) return chosen;
  if (Math.abs(largest) >= 1e10) return kTimeUnits[3]!;
  if (Math.abs(largest) >= 1e7) return kTimeUnits[2]!;
  return Math.abs(largest) >= 1e4 ? kTimeUnits[1]! : kTimeUnits[0]!;
}

export function byte_unit(largest: number): Unit {
  return unit_for(kByteUnits, Math.abs(largest), 1);
}

const kFormats = new Map<number, Intl.NumberFormat>();

// Thousands are set apart by thin spaces, in the way of ISO 80000: no comma that could be a point.
export function fixed(value: number, decimals: number): string {
  let format = kFormats.get(decimals);
  if (!format) {
    format = new Intl.NumberFormat("en-US", {
      minimumFractionDigits: decimals,
      maximumFractionDigits: decimals,
    });
    kFormats.set(decimals, format);
  }
  return format.format(value).replaceAll(",", "\u202f");
}

export function in_unit(value: number, unit: Unit): string {
  return fixed(value / unit.size, unit.decimals);
}

export function duration(ns: number): string {
  const unit = kTimeUnits.filter((each) => Math.abs(ns) >= each.size).pop() ?? kTimeUnits[0]!;
  return `${in_unit(ns, unit)} ${unit.name}`;
}

// Short, for labels in little room: three digits.
export function short_duration(ns: number): string {
  const unit = kTimeUnits.filter((each) => Math.abs(ns) >= each.size).pop() ?? kTimeUnits[0]!;
  const value = ns / unit.size;
  const decimals = unit.size === 1 ? 0 : Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return `${value.toFixed(decimals)} ${unit.name}`;
}

// To the nanosecond, for hints over rounded numbers.
export function exact_duration(ns: number): string {
  return `${fixed(ns / 1e3, 3)} µs`;
}

export function bytes(count: number): string {
  const unit = byte_unit(count);
  return `${in_unit(count, unit)} ${unit.name}`;
}

export function short_bytes(count: number): string {
  const unit = byte_unit(count);
  return `${Number((count / unit.size).toPrecision(4))} ${unit.name}`;
}

export function share(value: number): string {
  return `${(value * 100).toFixed(Math.abs(value) < 0.0995 ? 2 : 1)} %`;
}

export function integer(value: number): string {
  return fixed(value, 0);
}

// As many digits as a measured value has use for.
export function real(value: number): string {
  const size = Math.abs(value);
  if (value === 0) return "0";
  if (Number.isInteger(value) && size < 1e6) return fixed(value, 0);
  return fixed(value, size >= 1000 ? 1 : size >= 1 ? 3 : 4);
}

export function count_of(count: number, one: string, many = `${one}s`): string {
  return `${integer(count)} ${count === 1 ? one : many}`;
}

// Steps of an axis: 1, 2 or 5 times a power of ten, at least `least` apart.
export function nice_step(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  for (const factor of [1, 2, 5, 10]) {
    if (power * factor >= least * 0.999999) return power * factor;
  }
  return power * 10;
}
