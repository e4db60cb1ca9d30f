/** A streamed answer has the same final elements as an answer that arrives at once. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import type { Browser, Page } from "playwright-core";
import { launchBrowser } from "../../../scripts/vscode-box/index.mjs";
import { parts } from "../page/chat-parts";
import { ROOT } from "../page/harness";

const DOCUMENTS: Readonly<Record<string, string>> = {
  "an underlined heading after a paragraph": "Title\n===\n\ntext\n---\n\nend",
  "code with its language": 'Look:\n\n```json\n{ "a": 1 }\n```\n\nend',
  "a diff between tildes": "~~~diff\n+ a\n- b\n~~~\n\nend",
  "indented code": "text\n\n    let a;\n    let b;\n\nend",
  "nested and loose lists": "- a\n- b\n  1. c\n  2. d\n\n- e\n\n10. x\n11. y",
  "code in a list": "1. do\n   ```ts\n   const a = 1;\n   ```\n2. end",
  "a table": "| a | b |\n|:--|--:|\n| 1 | `2` |\n\nend",
  "late marks": "a **bold *both* b** `code` ~~gone~~ _end_",
  "a link with a late address": "see [this][that] and [that]\n\nmore\n\n[that]: https://example.org/x",
  formulas: "so $x_1$, \\(y\\) and\n\n$$\nz\n$$\n\n- costs $5 and $10\n\nend",
  "a quotation": "> a\n> b\n>\n> > c\n\nend\n\n***\n\nend",
};

/** Without the class that depends on when a block is measured. */
const unmeasured = (html: string): string => html.replaceAll(" max-height-exceed", "");

suite("growing answer", () => {
  let browser: Browser;
  suiteSetup(async () => {
    browser = await launchBrowser();
  });
  suiteTeardown(() => browser.close());

  for (const [what, text] of Object.entries(DOCUMENTS))
    test(`has the same elements letter by letter as at once: ${what}`, async () => {
      const page = await openView(browser);
      await page.evaluate(pieces => growth.send("grown", pieces), [...text]);
      await page.evaluate(piece => growth.send("whole", [piece]), text);
      const [grown, whole] = [
        await page.evaluate(() => growth.shown("grown")),
        await page.evaluate(() => growth.shown("whole")),
      ];
      assert.ok(whole.length > 20);
      assert.equal(unmeasured(grown), unmeasured(whole));
      await page.context().close();
    });
});

suite("answer with tildes", () => {
  test("strikes through text between double tildes only", async () => {
    const browser = await launchBrowser();
    try {
      const page = await openView(browser),
        shown = async (id: string, text: string): Promise<string> => {
          await page.evaluate(([answerId, piece]) => growth.send(answerId, [piece]), [id, text] as const);
          return page.evaluate(answerId => growth.shown(answerId), id);
        };
      const paths = await shown("paths", "~/a, see (~/b)");
      assert.match(paths, /~\/a, see \(~\/b\)/);
      assert.doesNotMatch(paths, /<(del|s|strike)\b/i);
      assert.match(await shown("struck", "~/a, ~~gone~~"), /~\/a, <del\b[^>]*>gone<\/del>/);
    } finally {
      await browser.close();
    }
  });
});

suite("accessibility: names of answer cards", () => {
  test("is set without a later drawing", async () => {
    const browser = await launchBrowser();
    try {
      const page = await openView(browser);
      await page.evaluate(() => growth.sendAtOnce("whole", "All of it."));
      const cards = page.locator("[data-kind=answer]");
      await cards.getByText("All of it.").waitFor();
      assert.deepEqual(await cards.evaluateAll(all => all.map(card => card.getAttribute("aria-label"))), ["Answer"]);
    } finally {
      await browser.close();
    }
  });
});

interface Growth {
  /** Sends an answer in these pieces, each drawn before the next, and the end of its turn. */
  send(id: string, pieces: readonly string[]): Promise<void>;
  /** Sends an answer and the end of its turn, drawn together. */
  sendAtOnce(id: string, text: string): Promise<void>;
  /** The answer's elements. */
  shown(id: string): string;
}
declare global {
  var growth: Growth;
}

/** The page with a host that the test controls. Time runs fifty times as fast. */
async function openView(browser: Browser): Promise<Page> {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.route("http://symposium.test/**", route =>
    route.fulfill({
      contentType: "text/html",
      body: '<!DOCTYPE html><html><body><div id="symposium"></div></body></html>',
    }),
  );
  await page.goto("http://symposium.test/");
  await page.evaluate(cardBody => {
    const FAST = 50,
      setTimer = window.setTimeout.bind(window),
      now = performance.now.bind(performance);
    let handled = 0,
      sent = 0,
      seq = 0;
    const notify = (data: object): void => {
      window.dispatchEvent(new MessageEvent("message", { data }));
    };
    const event = async (...events: readonly object[]): Promise<void> => {
      sent += events.length;
      for (const event of events) notify({ type: "event", tabId: "t", bootId: "b", seq: ++seq, event });
      while (handled < sent) await new Promise(resolve => requestAnimationFrame(resolve));
    };
    Object.assign(window, { setTimeout: (work: () => void, ms = 0) => setTimer(work, ms / FAST) });
    performance.now = () => now() * FAST;
    Object.assign(globalThis, {
      acquireVsCodeApi: () => ({
        getState: () => undefined,
        setState: () => undefined,
        postMessage: (message: {
          readonly type: string;
          readonly handled?: number;
          readonly tabs?: readonly { readonly tabId: string; readonly requestNumber: number }[];
        }) => {
          if (message.type === "ack") handled = message.handled ?? 0;
          if (message.type !== "webviewReady") return;
          setTimer(() => {
            if (message.tabs?.length === 0)
              return notify({
                type: "state",
                agents: [{ id: "a", name: "A" }],
                currentAgentId: "a",
                tabs: ["t"],
                selected: "t",
                sidecar: { state: "running" },
              });
            for (const { requestNumber } of message.tabs ?? []) {
              sent++;
              notify({
                type: "snapshot",
                tabId: "t",
                bootId: "b",
                seq,
                requestNumber,
                conversation: {
                  agent: { id: "a", name: "A" },
                  cwd: "/w",
                  entries: [],
                  turn: { state: "idle" },
                  commands: [],
                  controls: [],
                },
              });
            }
          });
        },
      }),
      growth: {
        async send(id: string, pieces: readonly string[]) {
          await event({ type: "turn", turn: { state: "running", messageId: "m" } });
          await event({ type: "upsert", entry: { kind: "agent", id, text: "" } });
          let offset = 0;
          for (const text of pieces) {
            await event({ type: "append", id, offset, text });
            offset += text.length;
          }
          await event({ type: "turn", turn: { state: "idle" } });
        },
        sendAtOnce: (id: string, text: string) =>
          event({ type: "upsert", entry: { kind: "agent", id, text } }, { type: "turn", turn: { state: "idle" } }),
        shown: (id: string) => {
          const body = document.querySelector(`[data-kind][messageid="${id}"] ${cardBody}`)?.cloneNode(true);
          if (!(body instanceof Element)) return "";
          for (const element of body.querySelectorAll("*")) element.removeAttribute("render-index");
          return body.innerHTML;
        },
      } satisfies Growth,
    });
  }, parts.cardBody);
  await page.addScriptTag({ content: readFileSync(path.join(ROOT, "dist/webview.js"), "utf8") });
  await page.locator("body[data-ready=true]").waitFor();
  return page;
}
