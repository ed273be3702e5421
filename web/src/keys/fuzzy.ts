// How well a name fits what was typed: letters in order, better where words begin and where they
// follow one another. Pure.

export function fuzzy_score(text: string, typed: string): number | null {
  const wanted = typed.toLowerCase().replaceAll(" ", "");
  if (wanted === "") return 0;
  const lower = text.toLowerCase();
  let score = 0;
  let at = 0;
  let last = -2;
  for (const letter of wanted) {
    const found = lower.indexOf(letter, at);
    if (found < 0) return null;
    const begins_word = found === 0 || /[^a-z0-9]/.test(lower[found - 1]!);
    score += found === last + 1 ? 4 : begins_word ? 3 : 0;
    score -= Math.min(found - at, 10) * 0.1;
    last = found;
    at = found + 1;
  }
  if (lower.includes(typed.toLowerCase())) score += 10;
  return score - text.length * 0.01;
}

export function best_matches<T>(
  items: readonly T[],
  text_of: (item: T) => string,
  typed: string,
  most: number,
): T[] {
  const scored = items.flatMap((item) => {
    const score = fuzzy_score(text_of(item), typed);
    return score === null ? [] : [{ item, score }];
  });
  if (typed) scored.sort((a, b) => b.score - a.score);
  return scored.slice(0, most).map(({ item }) => item);
}
