// A short list of things to do, at an element.

import { h } from "./element";

export interface MenuEntry {
  title: string;
  run(): void;
  checked?: boolean;
}

export function open_menu(anchor: HTMLElement, entries: readonly MenuEntry[]): void {
  const close = () => {
    menu.remove();
    document.removeEventListener("pointerdown", outside, true);
  };
  const outside = (event: Event) => {
    if (!menu.contains(event.target as Node)) close();
  };
  const items = entries.map((entry) =>
    h(
      "button",
      {
        type: "button",
        role: entry.checked === undefined ? "menuitem" : "menuitemcheckbox",
        ...(entry.checked === undefined ? {} : { "aria-checked": String(entry.checked) }),
        tabindex: -1,
        onclick: () => {
          close();
          anchor.focus();
          entry.run();
        },
      },
      entry.checked === undefined
        ? entry.title
        : `${entry.checked ? "✓" : "\u2003"} ${entry.title}`,
    ),
  );
  const menu = h(
    "div",
    { class: "menu", role: "menu", onkeydown: (event) => on_key(event, items, close, anchor) },
    items,
  );
  document.body.append(menu);
  const box = anchor.getBoundingClientRect();
  menu.style.left = `${Math.max(4, Math.min(box.left, innerWidth - menu.offsetWidth - 8))}px`;
  menu.style.top = `${Math.min(box.bottom + 2, innerHeight - menu.offsetHeight - 8)}px`;
  items[0]?.focus();
  document.addEventListener("pointerdown", outside, true);
}

function on_key(
  event: KeyboardEvent,
  items: HTMLElement[],
  close: () => void,
  anchor: HTMLElement,
): void {
  const place = items.indexOf(document.activeElement as HTMLElement);
  const moves: Record<string, number> = {
    ArrowDown: place + 1,
    ArrowUp: place - 1,
    Home: 0,
    End: items.length - 1,
  };
  const to = moves[event.key];
  if (to !== undefined) items[(to + items.length) % items.length]?.focus();
  else if (event.key === "Escape" || event.key === "Tab") {
    close();
    anchor.focus();
  } else return;
  event.preventDefault();
  event.stopPropagation();
}
