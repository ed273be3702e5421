// Light or dark: as the system says, unless the user chose.

export type ThemeChoice = "system" | "light" | "dark";

const kKey = "npuprof-theme";
const system_dark = matchMedia("(prefers-color-scheme: dark)");
const still = matchMedia("(prefers-reduced-motion: reduce)");
const listeners = new Set<() => void>();

let choice = ((): ThemeChoice => {
  try {
    const kept = localStorage.getItem(kKey);
    return kept === "light" || kept === "dark" ? kept : "system";
  } catch {
    return "system"; // A page opened from disk may have no storage.
  }
})();

export function theme_choice(): ThemeChoice {
  return choice;
}

export function is_dark(): boolean {
  return choice === "dark" || (choice === "system" && system_dark.matches);
}

export function reduced_motion(): boolean {
  return still.matches;
}

const colours = new Map<string, string>();

function apply(): void {
  colours.clear();
  document.documentElement.dataset.theme = is_dark() ? "dark" : "light";
  for (const listener of listeners) listener();
}

export function choose_theme(wanted: ThemeChoice): void {
  choice = wanted;
  try {
    if (wanted === "system") localStorage.removeItem(kKey);
    else localStorage.setItem(kKey, wanted);
  } catch {
    // Then it holds for this page alone.
  }
  apply();
}

// Called whenever colours change; returns what ends that.
export function on_theme_change(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function start_theme(): void {
  system_dark.addEventListener("change", apply);
  apply();
}

// A colour of tokens.css, for canvases; asking the style each time would cost more than drawing.
export function css_colour(name: string): string {
  let colour = colours.get(name);
  if (colour === undefined) {
    colour = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
    colours.set(name, colour);
  }
  return colour;
}
