// The keys of the page: one list, from which handlers, help and the palette of commands are made.

export interface KeyBinding {
  action: string;
  keys: readonly string[]; // "ctrl+k", "shift+l", "KeyW" by place on the keyboard, "?" by sign.
  help: string;
  group: string;
  repeats?: boolean; // Held down it goes on.
}

// `Key...` are places on the keyboard (event.code), so that wasd stays a block on any layout.
export const kTimelineKeys: readonly KeyBinding[] = [
  { action: "zoom_in", keys: ["KeyW"], help: "Zoom in", group: "Move", repeats: true },
  { action: "zoom_out", keys: ["KeyS"], help: "Zoom out", group: "Move", repeats: true },
  {
    action: "zoom_in_fast",
    keys: ["shift+KeyW"],
    help: "Zoom in, fast",
    group: "Move",
    repeats: true,
  },
  {
    action: "zoom_out_fast",
    keys: ["shift+KeyS"],
    help: "Zoom out, fast",
    group: "Move",
    repeats: true,
  },
  { action: "pan_left", keys: ["KeyA"], help: "Earlier", group: "Move", repeats: true },
  { action: "pan_right", keys: ["KeyD"], help: "Later", group: "Move", repeats: true },
  {
    action: "pan_left_fast",
    keys: ["shift+KeyA"],
    help: "Earlier, fast",
    group: "Move",
    repeats: true,
  },
  {
    action: "pan_right_fast",
    keys: ["shift+KeyD"],
    help: "Later, fast",
    group: "Move",
    repeats: true,
  },
  { action: "page_up", keys: ["PageUp"], help: "Lanes above", group: "Move", repeats: true },
  { action: "page_down", keys: ["PageDown"], help: "Lanes below", group: "Move", repeats: true },
  { action: "fit", keys: ["f", "shift+z"], help: "Fit the selection into the view", group: "Move" },
  { action: "reset", keys: ["0"], help: "Show everything", group: "Move" },
  { action: "back", keys: ["backspace"], help: "Back to the view before", group: "Move" },
  {
    action: "next",
    keys: [".", "arrowright"],
    help: "Next slice of the lane",
    group: "Select",
    repeats: true,
  },
  {
    action: "previous",
    keys: [",", "arrowleft"],
    help: "Previous slice of the lane",
    group: "Select",
    repeats: true,
  },
  {
    action: "lane_up",
    keys: ["arrowup"],
    help: "Slice in the lane above",
    group: "Select",
    repeats: true,
  },
  {
    action: "lane_down",
    keys: ["arrowdown"],
    help: "Slice in the lane below",
    group: "Select",
    repeats: true,
  },
  { action: "flow_next", keys: ["]"], help: "Along the flow, forward", group: "Select" },
  { action: "flow_previous", keys: ["["], help: "Along the flow, back", group: "Select" },
  { action: "slice_range", keys: ["r"], help: "Select the time of the slice", group: "Select" },
  { action: "clear", keys: ["escape"], help: "Select nothing", group: "Select" },
  { action: "mark_range", keys: ["m"], help: "Mark the selected time", group: "Mark" },
  { action: "mark_moment", keys: ["k"], help: "Mark the moment under the pointer", group: "Mark" },
  {
    action: "align_starts",
    keys: ["l"],
    help: "Align ranks: their slice of this name starts with the selected one",
    group: "Ranks",
  },
  { action: "align_ends", keys: ["shift+l"], help: "Align ranks by the ends", group: "Ranks" },
  { action: "panel", keys: ["q"], help: "Open or close the panel below", group: "Page" },
];

export const kPageKeys: readonly KeyBinding[] = [
  { action: "search", keys: ["/", "ctrl+f"], help: "Search slices by name", group: "Find" },
  { action: "commands", keys: ["ctrl+k"], help: "Commands and lanes", group: "Find" },
  { action: "help", keys: ["?"], help: "This list", group: "Page" },
];

// What the mouse does on the timeline, and keys in tables, as help tells it.
export const kMouseGestures: readonly (readonly [string, string])[] = [
  ["ctrl + wheel, pinch", "Zoom under the pointer"],
  ["shift + wheel", "Pan"],
  ["wheel", "Lanes up and down"],
  ["drag", "Select a range: statistics below"],
  ["alt + drag", "Zoom to what is drawn"],
  ["shift + drag, middle drag", "Pan"],
  ["click", "Select a slice"],
  ["double click", "Select its time; on a gap: go to its cause"],
  ["click on the ruler", "Mark a moment"],
];

export const kTableKeys: readonly (readonly [string, string])[] = [
  ["arrows, home, end", "Move between cells"],
  ["page up, page down", "A screen of rows"],
  ["enter, double click", "Go to the place of the row"],
  ["enter on a header", "Sort"],
];

// Keys that stay the browser's, whatever a binding says.
const kNever = new Set([
  "ctrl+r",
  "ctrl+w",
  "ctrl+t",
  "ctrl+n",
  "f5",
  "ctrl+l",
  "ctrl+c",
  "ctrl+v",
]);

export interface KeyLike {
  key: string;
  code: string;
  ctrlKey: boolean;
  metaKey: boolean;
  shiftKey: boolean;
  altKey: boolean;
}

// The names under which a key press may be bound.
export function key_names(event: KeyLike): string[] {
  if (event.altKey) return [];
  const control = event.ctrlKey || event.metaKey ? "ctrl+" : "";
  const shift = event.shiftKey ? "shift+" : "";
  const key = event.key.toLowerCase();
  const letter = /^[a-z]$/.test(key) || key.length > 1;
  // A sign such as ? needs shift on some keyboards and not on others: shift is no part of it.
  return [control + shift + event.code, control + (letter ? shift : "") + key];
}

export function find_binding(
  event: KeyLike,
  bindings: readonly KeyBinding[],
): KeyBinding | undefined {
  const names = key_names(event);
  if (names.some((name) => kNever.has(name))) return undefined;
  return bindings.find((binding) => binding.keys.some((key) => names.includes(key)));
}

// As a person would write it: KeyW -> w, arrowright -> →.
export function key_text(key: string): string {
  const kSigns: Record<string, string> = {
    arrowright: "→",
    arrowleft: "←",
    arrowup: "↑",
    arrowdown: "↓",
    escape: "esc",
    PageUp: "page up",
    PageDown: "page down",
  };
  return key
    .split("+")
    .map(
      (part) =>
        kSigns[part] ?? part.replace(/^Key([A-Z])$/, (_, letter: string) => letter.toLowerCase()),
    )
    .join(" + ");
}

// Typing into a field is not a command.
export function is_typing(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target instanceof HTMLTextAreaElement) return true;
  if (target instanceof HTMLSelectElement) return true;
  return (
    target instanceof HTMLInputElement &&
    !["checkbox", "radio", "button", "range"].includes(target.type)
  );
}
