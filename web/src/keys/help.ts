// The list of keys, made from the bindings themselves.

import { h } from "../dom/element";
import {
  key_text,
  kMouseGestures,
  kPageKeys,
  kTableKeys,
  kTimelineKeys,
  type KeyBinding,
} from "./keymap";

function bindings(list: readonly KeyBinding[], group: string): HTMLElement[] {
  return list
    .filter((binding) => binding.group === group)
    .flatMap((binding) => [
      h(
        "dt",
        {},
        binding.keys.map((key, i) => [i > 0 && " ", h("kbd", {}, key_text(key))]),
      ),
      h("dd", {}, binding.help),
    ]);
}

function section(title: string, rows: Node[]): HTMLElement {
  return h("section", {}, h("h3", {}, title), h("dl", {}, rows));
}

function plain(rows: readonly (readonly [string, string])[]): Node[] {
  return rows.flatMap(([keys, help]) => [h("dt", {}, keys), h("dd", {}, help)]);
}

export function open_help(): void {
  const all = [...kPageKeys, ...kTimelineKeys];
  const groups = [...new Set(all.map((binding) => binding.group))];
  const dialog = h(
    "dialog",
    { class: "help", "aria-label": "Keys and mouse" },
    h(
      "header",
      {},
      h("h2", {}, "Keys and mouse"),
      h(
        "button",
        { type: "button", class: "button quiet", onclick: () => dialog.close() },
        "Close",
      ),
    ),
    h(
      "div",
      { class: "columns", tabindex: 0, role: "region", "aria-label": "All keys" },
      groups.map((group) => section(group, bindings(all, group))),
      section("Mouse on the timeline", plain(kMouseGestures)),
      section("Tables", plain(kTableKeys)),
    ),
  );
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  document.body.append(dialog);
  dialog.showModal();
}
