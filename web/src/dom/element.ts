// Elements without markup: what comes from a profile becomes text nodes, never HTML.

export type Child = Node | string | number | null | undefined | false;
export type Children = Child | readonly Children[];

type Handlers = {
  [Name in keyof HTMLElementEventMap as `on${Name}`]?: (event: HTMLElementEventMap[Name]) => void;
};

export type Properties = Handlers & {
  class?: string;
  // Set through the object model, which the content security policy allows.
  style?: Partial<Record<string, string>>;
  [attribute: string]: unknown;
};

function set_property(element: HTMLElement | SVGElement, name: string, value: unknown): void {
  if (value === undefined || value === null || value === false) return;
  if (name.startsWith("on") && typeof value === "function") {
    element.addEventListener(name.slice(2), value as EventListener);
  } else if (name === "style") {
    for (const [key, text] of Object.entries(value as Record<string, string>)) {
      element.style.setProperty(key, text);
    }
  } else if (name === "value" && "value" in element) {
    (element as HTMLInputElement).value = String(value);
  } else {
    element.setAttribute(name, value === true ? "" : String(value));
  }
}

function is_list(children: Children): children is readonly Children[] {
  return Array.isArray(children);
}

export function append(parent: Element, children: Children): void {
  if (is_list(children)) {
    for (const child of children) append(parent, child);
  } else if (children !== null && children !== undefined && children !== false) {
    parent.append(children instanceof Node ? children : document.createTextNode(String(children)));
  }
}

export function h<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  properties: Properties = {},
  ...children: Children[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) set_property(element, name, value);
  append(element, children);
  return element;
}

const kSvg = "http://www.w3.org/2000/svg";

export function svg<Tag extends keyof SVGElementTagNameMap>(
  tag: Tag,
  properties: Record<string, unknown> = {},
  ...children: Children[]
): SVGElementTagNameMap[Tag] {
  const element = document.createElementNS(kSvg, tag);
  for (const [name, value] of Object.entries(properties)) set_property(element, name, value);
  append(element, children);
  return element;
}

export function replace_children(parent: Element, ...children: Children[]): void {
  parent.replaceChildren();
  append(parent, children);
}

export function button(
  label: string,
  action: (event: MouseEvent) => void,
  properties: Properties = {},
): HTMLButtonElement {
  return h("button", { type: "button", class: "button", onclick: action, ...properties }, label);
}
