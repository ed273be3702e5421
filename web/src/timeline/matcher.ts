// What the server finds, for lighting up names that are already here.
export function matcher(text: string, how: string): (lower: string, name: string) => boolean {
  const pattern = how.includes("r") ? text : text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const bounded = how.includes("w") ? `(?<![\\w])(?:${pattern})(?![\\w])` : pattern;
  if (!how.includes("r") && !how.includes("w")) {
    if (how.includes("c")) return (_, name) => name.includes(text);
    const lower_text = text.toLowerCase();
    return (lower) => lower.includes(lower_text);
  }
  try {
    const expression = new RegExp(bounded, how.includes("c") ? "" : "i");
    return (_, name) => expression.test(name);
  } catch {
    return () => true;
  }
}
