/** Makes the button a disclosure of the content, which is collapsed initially. */
export function fold(button: HTMLButtonElement, content: HTMLElement): void {
  const set = (open: boolean): void => {
    button.setAttribute("aria-expanded", String(open));
    content.hidden = !open;
  };
  button.setAttribute("aria-controls", content.id);
  set(false);
  button.addEventListener("click", () => set(button.getAttribute("aria-expanded") === "false"));
}
