// Pieces that views are put together from.

import { ApiError, is_abort } from "../api/client";
import { h, replace_children, type Child, type Children } from "../dom/element";

export function card(
  title: string,
  columns: number,
  body: Children,
  extra: { note?: string; actions?: Child[]; flush?: boolean } = {},
): HTMLElement {
  return h(
    "section",
    { class: "card", style: { "grid-column": `span ${columns}` }, "aria-label": title },
    h(
      "header",
      {},
      h("h2", {}, title),
      extra.note && h("span", { class: "soft" }, extra.note),
      h("span", { class: "spring" }),
      extra.actions ?? [],
    ),
    h("div", { class: extra.flush ? "body flush" : "body" }, body),
  );
}

export function sentences(texts: readonly string[]): HTMLElement {
  return h(
    "div",
    { class: "sentences" },
    texts.map((text) => h("p", {}, text)),
  );
}

// Messages of the program go on after its name; here they stand alone.
export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

// What is missing, what it would take, and how to collect it.
export function failure(error: unknown, inside = false): HTMLElement {
  const message = error instanceof Error ? error.message : String(error);
  const api = error instanceof ApiError ? error : null;
  const title = api?.code === "no_data" ? "This profile does not tell" : "This cannot be shown";
  return h(
    "div",
    { class: inside ? "message inside" : "message", role: "status" },
    h("h2", {}, title),
    h("p", {}, api?.code === "no_data" ? capital(message) : message),
    api?.needs && h("p", { class: "soft" }, `Needs: ${api.needs}`),
    api?.collect && h("p", { class: "soft" }, `How to collect it: ${api.collect}`),
  );
}

export function busy(text = "Reading …"): HTMLElement {
  return h("div", { class: "busy", role: "status" }, text);
}

// Fills `element` with what `work` makes; an overtaken answer is dropped.
export class Slot {
  private generation = 0;
  private controller: AbortController | null = null;

  constructor(readonly element: HTMLElement) {}

  fill(work: (signal: AbortSignal) => Promise<Children>, waiting = true): Promise<void> {
    const generation = ++this.generation;
    this.controller?.abort();
    this.controller = new AbortController();
    if (waiting) replace_children(this.element, busy());
    return work(this.controller.signal)
      .then((child) => {
        if (generation === this.generation) replace_children(this.element, child);
      })
      .catch((error: unknown) => {
        if (generation === this.generation && !is_abort(error))
          replace_children(this.element, failure(error, true));
      });
  }

  stop(): void {
    this.generation++;
    this.controller?.abort();
  }
}

export interface Tab {
  name: string;
  title: string;
}

export function tab_buttons(
  label: string,
  tabs: readonly Tab[],
  now: string,
  choose: (name: string) => void,
): HTMLElement {
  const group = h("div", { class: "tab-buttons", role: "group", "aria-label": label });
  for (const tab of tabs) {
    group.append(
      h(
        "button",
        {
          type: "button",
          "aria-pressed": String(tab.name === now),
          onclick: () => {
            for (const each of group.children)
              each.setAttribute("aria-pressed", String(each.textContent === tab.title));
            choose(tab.name);
          },
        },
        tab.title,
      ),
    );
  }
  return group;
}

export function choice(
  label: string,
  entries: readonly { value: string; title: string }[],
  now: string,
  choose: (value: string) => void,
): HTMLSelectElement {
  const select = h(
    "select",
    { class: "choice", "aria-label": label, onchange: () => choose(select.value) },
    entries.map((entry) =>
      h(
        "option",
        { value: entry.value, ...(entry.value === now ? { selected: true } : {}) },
        entry.title,
      ),
    ),
  );
  return select;
}

export function swatch(colour: string): HTMLElement {
  return h("span", { class: "swatch", "aria-hidden": "true", style: { "--swatch": colour } });
}
