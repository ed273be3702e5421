// What differences a heat map shows. Pure.

// What is usual, and how far from it a value may be without telling anything.
export interface HeatScale {
  low: number;
  high: number;
  usual: number;
  noise: number;
}

const kUnimportantShare = 0.05;

export function scale_of(cells: readonly (number | null)[]): HeatScale {
  const values = cells.filter((value) => value !== null).sort((a, b) => a - b);
  const usual = values[values.length >> 1] ?? 0;
  return {
    low: values[0] ?? 0,
    high: values[values.length - 1] ?? 0,
    usual,
    noise: Math.abs(usual) * kUnimportantShare,
  };
}

const kUsualShare = 0.25;

// How full the colour of a value is: all that is as usual has one colour, and only what is further
// from it than noise gets another.
export function heat_share(value: number, { low, high, usual, noise }: HeatScale): number {
  const beyond = Math.abs(value - usual) - noise;
  if (!(beyond > 0)) return kUsualShare;
  if (value > usual)
    return kUsualShare + (1 - kUsualShare) * Math.min(1, beyond / Math.max(high - usual - noise, noise));
  return kUsualShare * (1 - Math.min(1, beyond / Math.max(usual - low - noise, noise)));
}
