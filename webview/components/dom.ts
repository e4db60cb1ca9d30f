/** Creates elements. Text is set as text, never parsed as HTML. */
export interface ElementOptions {
  readonly className?: string;
  readonly text?: string;
  readonly attributes?: Readonly<Record<string, string>>;
}

export function create<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  { className, text, attributes = {} }: ElementOptions = {},
  ...children: readonly Node[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  if (className !== undefined) element.className = className;
  if (text !== undefined) element.textContent = text;
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** Writes only a changed text, because a repeated write causes a layout and a repeated announcement. */
export function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

let idCount = 0;
/** A unique id in this document, for labels and descriptions. */
export const freshId = (): string => `symposium-${++idCount}`;
