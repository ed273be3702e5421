// A few lines beside the pointer.

import { h, replace_children } from "./element";

export class Hint {
  private readonly element = h("div", { class: "hint", "aria-hidden": "true" });

  show(lines: readonly string[], x: number, y: number): void {
    replace_children(
      this.element,
      lines.map((line) => h("div", {}, line)),
    );
    if (!this.element.isConnected) document.body.append(this.element);
    const { offsetWidth, offsetHeight } = this.element;
    this.element.style.left = `${Math.max(4, Math.min(x + 14, innerWidth - offsetWidth - 8))}px`;
    const below = y + 18;
    this.element.style.top = `${below + offsetHeight > innerHeight ? y - offsetHeight - 10 : below}px`;
  }

  hide(): void {
    this.element.remove();
  }
}
