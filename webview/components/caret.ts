/** Caret position and text insertion in an input that contains only text. Insertions can be undone. */

/** Number of characters before the caret; `undefined` if the caret is elsewhere or a range is selected. */
export function caretIn(input: HTMLElement): number | undefined {
  const selection = window.getSelection();
  if (!selection?.isCollapsed || !selection.focusNode || !input.contains(selection.focusNode)) return undefined;
  const before = document.createRange();
  before.selectNodeContents(input);
  before.setEnd(selection.focusNode, selection.focusOffset);
  return before.toString().length;
}

export function write(input: HTMLElement, from: number, to: number, text: string): void {
  const range = document.createRange();
  range.setStart(...positionOf(input, from));
  range.setEnd(...positionOf(input, to));
  input.focus();
  const selection = window.getSelection();
  selection?.removeAllRanges();
  selection?.addRange(range);
  // Deprecated, but no other method adds to the undo history.
  document.execCommand("insertText", false, text);
}

function positionOf(input: HTMLElement, offset: number): [node: Node, offset: number] {
  const walker = document.createTreeWalker(input, NodeFilter.SHOW_TEXT);
  let remaining = offset;
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const length = node.textContent?.length ?? 0;
    if (remaining <= length) return [node, remaining];
    remaining -= length;
  }
  return [input, input.childNodes.length];
}
