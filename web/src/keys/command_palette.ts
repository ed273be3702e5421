// All commands, lanes and views by name.

import { h } from "../dom/element";
import type { Command } from "../views/context";
import { best_matches } from "./fuzzy";
import { key_text } from "./keymap";

const kMost = 60;

export function open_command_palette(commands: readonly Command[]): void {
  let shown: Command[] = [];
  let place = 0;
  const list = h("ul", { role: "listbox", id: "command-list", "aria-label": "Commands" });
  const field = h("input", {
    type: "text",
    placeholder: "Command, view or lane",
    role: "combobox",
    "aria-label": "Command, view or lane",
    "aria-expanded": "true",
    "aria-controls": "command-list",
    oninput: () => find(),
    onkeydown: (event) => on_key(event),
  });
  const dialog = h("dialog", { class: "command-palette", "aria-label": "Commands" }, field, list);

  const run = (command: Command | undefined) => {
    dialog.close();
    command?.run();
  };
  const choose = (to: number) => {
    place = (to + shown.length) % Math.max(shown.length, 1);
    [...list.children].forEach((item, i) =>
      item.setAttribute("aria-selected", String(i === place)),
    );
    list.children[place]?.scrollIntoView({ block: "nearest" });
    if (shown.length > 0) field.setAttribute("aria-activedescendant", `command-${place}`);
  };
  const find = () => {
    shown = best_matches(
      commands,
      (command) => `${command.title} ${command.group}`,
      field.value,
      kMost,
    );
    list.replaceChildren(
      ...shown.map((command, i) =>
        h(
          "li",
          { role: "option", id: `command-${i}`, onclick: () => run(command) },
          command.title,
          h("span", { class: "faint" }, command.group),
          command.keys && h("kbd", {}, key_text(command.keys)),
        ),
      ),
    );
    choose(0);
  };
  const on_key = (event: KeyboardEvent) => {
    if (event.key === "ArrowDown") choose(place + 1);
    else if (event.key === "ArrowUp") choose(place - 1);
    else if (event.key === "Enter") run(shown[place]);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  document.body.append(dialog);
  find();
  dialog.showModal();
  field.focus();
}
