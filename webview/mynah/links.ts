/**
 * Links of agents open only through the host, which checks the address and asks the user. Neither mynah, nor VS Code's
 * handler on the document, nor the browser receives the click.
 */
export function openLinksOnlyThrough(root: HTMLElement, open: (href: string) => void): void {
  const clicked = (event: MouseEvent) => {
    const link = event.composedPath().find(node => node instanceof HTMLAnchorElement);
    if (!(link instanceof HTMLAnchorElement)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    const href = link.getAttribute("href");
    if (href !== null && href !== "" && event.button <= 1) open(href);
  };
  root.addEventListener("click", clicked, { capture: true });
  root.addEventListener("auxclick", clicked, { capture: true });
  root.addEventListener(
    "dragstart",
    event => {
      if (event.target instanceof HTMLAnchorElement) event.preventDefault();
    },
    { capture: true },
  );
}
