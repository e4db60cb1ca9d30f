/** Records, inside each frame, scripts, handlers and addresses that an agent's text could inject. */
import type { Page } from "playwright-core";

export interface PageGuard {
  /** Violations of the content security policy, and forbidden elements, including temporary ones. */
  found(): Promise<readonly string[]>;
}

/** Call it before the chat is opened. `policy`: whether the chat's page keeps its content security policy. */
export async function guardPage(page: Page, policy: "kept" | "removed"): Promise<PageGuard> {
  await page.addInitScript(record, policy);
  const foundIn = (): readonly string[] => {
    const found: unknown = Reflect.get(window, "guardFound"),
      hacked: unknown = Reflect.get(window, "hacked");
    return [
      ...(Array.isArray(found) ? found.map(String) : []),
      ...(hacked === undefined ? [] : [`ran ${String(hacked)}`]),
    ];
  };
  return {
    found: async () => (await Promise.all(page.frames().map(frame => frame.evaluate(foundIn).catch(() => [])))).flat(),
  };
}

/** Runs in each new document, before its own scripts. */
function record(policy: "kept" | "removed"): void {
  const found: string[] = [];
  Reflect.set(window, "guardFound", found);
  const receive = ({ violatedDirective, blockedURI, sample }: SecurityPolicyViolationEvent): void => {
    found.push(`${violatedDirective} ${blockedURI} ${sample}`);
  };
  if (window === window.top) return;

  const NEVER = "img[src^=http], iframe[srcdoc], object, embed, base, form[action], video, audio, [formaction]";
  const ADDRESSES = ["href", "src", "action", "formaction", "data", "srcdoc", "xlink:href"];
  const DANGEROUS = /^(?:javascript|vbscript|command|vscode|data:text)$/;
  /** The scheme of an address as a browser parses it. */
  const schemeOf = (address: string): string =>
    /^(?:data:text(?=\/)|[^/?#:]*(?=:))/i.exec(address.replaceAll(/[\0-\x20]/g, ""))?.[0].toLowerCase() ?? "";
  const look = (element: Element): void => {
    if (element.matches(NEVER)) found.push(element.outerHTML.slice(0, 200));
    for (const { name, value } of element.attributes) {
      if (/^on/i.test(name) || (ADDRESSES.includes(name) && DANGEROUS.test(schemeOf(value)))) {
        found.push(`${element.localName} ${name}="${value.slice(0, 200)}"`);
      }
    }
  };
  const lookBelow = (root: Element): void => {
    for (const element of [root, ...root.querySelectorAll("*")]) look(element);
  };

  // Elements outside the page also run handlers and load pictures. The content of a template does not.
  const html = Object.getOwnPropertyDescriptor(Element.prototype, "innerHTML");
  const setHtml = html?.set;
  if (html === undefined || setHtml === undefined) throw new Error("innerHTML cannot be recorded");
  Object.defineProperty(Element.prototype, "innerHTML", {
    ...html,
    set(this: Element, value: string) {
      setHtml.call(this, value);
      if (!(this instanceof HTMLTemplateElement)) lookBelow(this);
    },
  });
  const setAttribute = Reflect.get(Element.prototype, "setAttribute");
  Element.prototype.setAttribute = function (name, value) {
    setAttribute.call(this, name, value);
    look(this);
  };

  const observer = new MutationObserver(changes => {
    for (const { target, addedNodes } of changes) {
      if (target instanceof Element) look(target);
      for (const node of addedNodes) if (node instanceof Element) lookBelow(node);
    }
  });
  const listen = (): void => {
    document.addEventListener("securitypolicyviolation", receive);
    observer.observe(document, { childList: true, subtree: true, attributes: true });
  };
  listen();

  // VS Code reopens this document and writes the page into it, which removes listeners.
  const write = Reflect.get(Document.prototype, "write");
  Document.prototype.write = function (...texts: string[]) {
    listen();
    const policies = policy === "kept" ? /$^/ : /<meta http-equiv="Content-Security-Policy"[^>]*>/i;
    write.apply(
      this,
      texts.map(text => text.replace(policies, "")),
    );
  };
}
