// Profiles count from zeros of their own. The page counts from the zero of the first one shown;
// offsets are what the user, or aligning, adds. Pure.

export class Clock {
  private readonly shifts = new Map<number, number>();

  set(profiles: readonly { p: number; zero_ns: string }[], offsets: Record<number, number>): void {
    this.shifts.clear();
    const first = profiles[0];
    if (!first) return;
    const base = BigInt(first.zero_ns);
    for (const { p, zero_ns } of profiles) {
      // Exact before it becomes a double: absolute times are beyond 2^53 ns.
      this.shifts.set(p, Number(BigInt(zero_ns) - base) + (offsets[p] ?? 0));
    }
  }

  shift(p: number): number {
    return this.shifts.get(p) ?? 0;
  }

  to_page(p: number, time: number): number {
    return time + this.shift(p);
  }

  to_profile(p: number, time: number): number {
    return time - this.shift(p);
  }
}
