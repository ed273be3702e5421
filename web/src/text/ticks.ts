// Texts of an axis of time.

export function tick_text(time: number, step: number): string {
  const units: [number, string][] = [
    [1e9, "s"],
    [1e6, "ms"],
    [1e3, "µs"],
    [1, "ns"],
  ];
  const [size, name] =
    units.find(([each]) => step >= each || (Math.abs(time) >= each && step >= each / 1000)) ??
    units[3]!;
  const decimals = Math.max(0, Math.round(Math.log10(size) - Math.floor(Math.log10(step))));
  const value = time / size;
  const signs = value.toFixed(Math.min(decimals, 6));
  return `${signs.replace(/\B(?=(\d{3})+(?!\d)(?<!\.\d*))/g, "\u202f")} ${name}`;
}
