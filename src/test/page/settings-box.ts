/** The settings page of a window, as a view or as an editor: finds its frame, and provides a local registry. */
import assert from "node:assert/strict";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import type { FrameLocator, Locator } from "playwright-core";
import { violations } from "./axe";
import { CODEX_PACKAGE } from "./fake-npm-machine";
import { ROOT, until, type Box, type ChatBox } from "./harness";
import { seen } from "./scripted";

const AGENT = path.join(ROOT, "out/programs/scripted-agent.program.mjs");

/**
 * Asserts that axe finds no violations. Paints the background of the surrounding workbench, which is not visible inside
 * the frame.
 */
export async function isFine(
  frame: FrameLocator,
  background: "sideBar-background" | "editor-background",
): Promise<void> {
  await frame.locator("body").evaluate((body, background) => {
    body.style.background = `var(--vscode-${background})`;
  }, background);
  assert.equal((await violations(frame)).join("\n"), "");
  await frame.locator("body").evaluate(body => {
    body.style.background = "";
  });
}

/** Shows the page, enlarges the view, and waits until the page shows rows. VS Code recreates a hidden page. */
export async function openSettings(box: Box, where: "view" | "page"): Promise<FrameLocator> {
  await box.command(where === "view" ? "Symposium Sessions: Focus on Settings View" : "Symposium: Open Settings");
  const frame = await settingsFrame(box, where),
    chat = box.page.locator('.pane-header[aria-label^="Chat"][aria-expanded="true"]');
  if (where === "view" && (await chat.count()) > 0) await chat.click();
  return frame;
}

export async function settingsFrame(box: Box, where: "view" | "page"): Promise<FrameLocator> {
  let found: string | undefined;
  await until(
    [box.page.locator(":root")],
    async () => (found = await frameName(box, where)) !== undefined,
    60_000,
    `no settings ${where} was shown`,
  );
  return box.page.frameLocator(`iframe.webview[name="${found}"]`).frameLocator("#active-frame");
}

async function frameName({ page }: Box, where: "view" | "page"): Promise<string | undefined> {
  for (const frame of page.frames()) {
    const outer = frame.parentFrame();
    if (!outer || outer === page.mainFrame()) continue;
    const isPage = await frame
      .evaluate(() =>
        document.querySelector(".row") ? document.querySelector(".page")?.hasAttribute("data-page") : undefined,
      )
      .catch(() => undefined);
    if (isPage === (where === "page")) return (await (await outer.frameElement()).getAttribute("name")) ?? undefined;
  }
  return undefined;
}

/** Closes all editors, and waits until the chat is the only page again. */
export async function closeEditors(box: Box): Promise<void> {
  await box.command("View: Close All Editors");
  await seen(async () => (await box.page.locator("iframe.webview.ready").count()) === 1, "the chat alone");
}

/** Waits until `condition` holds for the content of a settings page, or for the files that it writes. */
export function shows(
  frame: FrameLocator,
  condition: () => Promise<boolean> | boolean,
  what: string,
  timeout = 60_000,
): Promise<void> {
  // VS Code empties a file before it writes it.
  return until(
    [frame.locator(":root")],
    async () => {
      try {
        return await condition();
      } catch (error) {
        if (error instanceof SyntaxError) return false;
        throw error;
      }
    },
    timeout,
    `this was not seen: ${what}`,
  );
}

export const rowOf = (frame: FrameLocator, name: string): Locator =>
  frame.locator(".row", { has: frame.locator(`.name >> text="${name}"`) });
export const press = (frame: FrameLocator, name: string | RegExp): Promise<void> =>
  frame.getByRole("button", { name, exact: typeof name === "string" }).click();
export const names = (frame: FrameLocator, of: "agent" | "extension"): Promise<readonly string[]> =>
  frame.locator(`.row[data-of=${of}] .name`).allInnerTexts();

/** The value of a setting in the user's current files; `undefined` if unset. */
export function setting(box: ChatBox, name: string): unknown {
  const [user = {}, machine = {}] = box.readSettings() as readonly Readonly<Record<string, unknown>>[];
  return machine[name] ?? user[name];
}

/** A registry with one agent, Ada, whose archive is sent in two halves, the second after `letThrough`. */
export class LocalRegistry implements AsyncDisposable {
  version = "1.0.0";
  readonly #server: Server;
  readonly #held: (() => void)[] = [];
  #isOpen = false;

  private constructor() {
    this.#server = createServer(({ url = "" }, response) => this.#answer(url, response));
  }

  static async start(): Promise<LocalRegistry> {
    const registry = new LocalRegistry();
    await new Promise<void>(resolve => {
      registry.#server.listen(0, "127.0.0.1", resolve);
    });
    return registry;
  }

  get #origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }
  get url(): string {
    return `${this.#origin}/registry.json`;
  }
  /** Number of archives in transit. */
  get held(): number {
    return this.#held.length;
  }

  /** Releases waiting archives and all later ones. */
  letThrough(): void {
    this.#isOpen = true;
    for (const go of this.#held.splice(0)) go();
  }

  #answer(url: string, response: ServerResponse): void {
    if (url === "/registry.json")
      return void response.setHeader("content-type", "application/json").end(JSON.stringify(this.#document()));
    if (url === "/ada.svg")
      return void response
        .setHeader("content-type", "image/svg+xml")
        .end(
          '<svg xmlns="http://www.w3.org/2000/svg" width="16" height="16" viewBox="0 0 16 16"><path fill="currentColor" d="M8 1l7 14H1z"/></svg>',
        );
    if (!url.startsWith("/ada-")) return void response.writeHead(404).end();
    const program = `#!/bin/sh\nexec '${process.execPath}' '${AGENT}' "$@"\n${"#".repeat(100_000)}\n`;
    response.setHeader("content-length", program.length).write(program.slice(0, program.length / 2));
    const go = () => void response.end(program.slice(program.length / 2));
    if (this.#isOpen) return go();
    this.#held.push(go);
    response.on("close", () => {
      const at = this.#held.indexOf(go);
      if (at !== -1) this.#held.splice(at, 1);
    });
  }

  #document(): object {
    const binary = { archive: `${this.#origin}/ada-${this.version}`, cmd: "ada" };
    const platforms = ["darwin-aarch64", "darwin-x86_64", "linux-aarch64", "linux-x86_64"];
    return {
      version: "1.0.0",
      agents: [
        {
          id: "ada",
          name: "Ada",
          version: this.version,
          description: "Counts what can be counted",
          icon: `${this.#origin}/ada.svg`,
          distribution: { binary: Object.fromEntries(platforms.map(platform => [platform, binary])) },
        },
        {
          id: "codex",
          name: "Codex",
          version: "1.3.0",
          description: "Has the id of a built-in agent",
          distribution: { npx: { package: `${CODEX_PACKAGE}@1.3.0` } },
        },
      ],
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.letThrough();
    this.#server.closeAllConnections();
    await new Promise<void>(resolve => {
      this.#server.close(() => resolve());
    });
  }
}
