// Elements from values. Text only ever becomes text nodes and attributes, never markup: whatever a
// kernel, a path or a source line contains, it is shown and not interpreted.

export type Child = Node | string | number | null | undefined | false | Child[];
type Attributes = Record<string, unknown>;

function append(parent: Element, child: Child): void {
  if (child === null || child === undefined || child === false) return;
  if (Array.isArray(child)) {
    for (const each of child) append(parent, each);
  } else {
    parent.append(child instanceof Node ? child : String(child));
  }
}

function fill<E extends Element>(element: E, attributes: Attributes, children: Child[]): E {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined) continue;
    if (name.startsWith("aria-")) {
      element.setAttribute(name, String(value)); // where "false" says something
      continue;
    }
    if (value === false) continue;
    if (name.startsWith("on") && typeof value === "function") {
      element.addEventListener(name.slice(2), value as EventListener);
    } else if (name === "style" && typeof value === "object") {
      for (const [key, part] of Object.entries(value as Record<string, string>)) {
        (element as unknown as HTMLElement).style.setProperty(key, part);
      }
    } else {
      element.setAttribute(name, value === true ? "" : String(value));
    }
  }
  append(element, children);
  return element;
}

// h("td", { class: "number" }, "72.0 %")
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  return fill(document.createElement(tag), attributes, children);
}

export function svg(tag: string, attributes: Attributes = {}, ...children: Child[]): SVGElement {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children) as SVGElement;
}

export function clear(element: Element, ...children: Child[]): void {
  element.replaceChildren();
  append(element, children);
}

// A card of the overview: a heading, a sentence that says what is shown, and the content.
export function card(title: string, about: Child, attributes: Attributes, ...content: Child[]): HTMLElement {
  return h(
    "section",
    { ...attributes, class: `card ${attributes.class ?? ""}` },
    h("header", {}, h("h2", {}, title), about ? h("p", { class: "about" }, about) : null),
    ...content,
  );
}
