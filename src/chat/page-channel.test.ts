import { deepEqual, equal, match, notEqual, ok } from "node:assert/strict";
import { deferred, type Deferred } from "../deferred";
import { Log } from "../log";
import type { ChatEvent } from "../protocol/chat";
import type { HostToPage, PageToHost } from "../protocol/webview";
import { settled } from "../testing/settled";
import { LIMIT } from "./page-flow-control";
import { freshNonce, pageHtml, workspaceKey } from "./page-html";
import { PageChannel } from "./page-channel";
import { ResponseCapture } from "./response-capture";

const event = (seq: number): HostToPage => ({
  type: "event",
  tabId: "t",
  bootId: "b",
  seq,
  event: { type: "title", title: "x" },
});
const READY: PageToHost = { type: "webview-ready", tabs: [], losses: 0 };

function fixture() {
  const sent: HostToPage[] = [];
  const heard: PageToHost[] = [];
  const log = new Log();
  const warned: string[] = [];
  log.onLog(({ message, data }) => warned.push(`${message}: ${String(data?.["why"])}`));
  const next: { delivery: Deferred<boolean> | undefined } = { delivery: undefined };
  const page = new PageChannel({
    log,
    heard: message => heard.push(message),
    send: message => {
      sent.push(message);
      return next.delivery?.promise ?? Promise.resolve(true);
    },
  });
  return { sent, heard, warned, page, next };
}

suite("page wire", () => {
  test("nothing is posted until the page is ready, and nothing after the view is hidden", () => {
    const { page, sent } = fixture();
    page.post(event(1));
    page.receive(READY);
    page.post(event(2));
    page.hidden();
    page.post(event(3));
    deepEqual([sent, page.isLive], [[event(2)], false]);
  });

  test("what VS Code does not deliver makes the page absent, but not the page that has come since", async () => {
    const { page, sent, next } = fixture();
    page.receive(READY);
    const first = (next.delivery = deferred<boolean>());
    page.post(event(1));
    page.receive(READY);
    first.resolve(false);
    await settled();
    equal(page.isLive, true);
    const second = (next.delivery = deferred<boolean>());
    page.post(event(2));
    second.reject(new Error("disposed"));
    await settled();
    page.post(event(3));
    deepEqual([page.isLive, sent.length], [false, 2]);
  });

  test("what is delivered has got there or not, and who delivers is told", async () => {
    const { page, sent, next } = fixture();
    equal(await page.deliver({ type: "openTab" }), false);
    page.receive(READY);
    equal(await page.deliver({ type: "openTab" }), true);
    next.delivery = deferred<boolean>();
    const delivering = page.deliver({ type: "openTab" });
    next.delivery.reject(new Error("disposed"));
    deepEqual([await delivering, page.isLive, sent.length], [false, false, 2]);
  });

  test("a page that falls behind is told to ask again when it has caught up", () => {
    const { page, sent } = fixture();
    page.receive(READY);
    for (let seq = 1; seq <= LIMIT + 10; seq++) page.post(event(seq));
    equal(sent.length, LIMIT);
    page.receive({ type: "ack", handled: LIMIT });
    deepEqual(sent.at(-1), { type: "askAgain" });
  });

  test("what is no message is logged and goes no further", () => {
    const { page, heard, warned } = fixture();
    page.receive({ type: "quit" });
    page.receive({ type: "cancel", tabId: 7 });
    page.receive({ type: "cancel", tabId: "t" });
    deepEqual(heard, [{ type: "cancel", tabId: "t" }]);
    equal(warned.length, 2);
    match(warned[1]!, /ignored: message\.tabId/);
  });
});

suite("page document", () => {
  const html = pageHtml({
    cspSource: "https://csp",
    nonce: "N",
    title: "Symposium",
    root: "symposium",
    script: "https://csp/dist/webview.js",
  });

  test("scripts run by nonce only, and nothing is loaded that is not named", () => {
    const policy = /content="([^"]+)"/.exec(html)?.[1] ?? "";
    ok(policy.startsWith("default-src 'none'; script-src 'nonce-N'; "));
    for (const none of ["connect-src", "frame-src", "object-src", "base-uri", "form-action"])
      ok(policy.includes(`${none} 'none'`));
    ok(!/unsafe-eval|script-src[^;]*unsafe|https?:(?!\/\/csp)|\*/.test(policy));
    equal(html.match(/<script/g)?.length, 1);
    ok(html.includes('<script nonce="N" src="https://csp/dist/webview.js">'));
  });

  test("names the workspace by a key that is the same each time and tells no path; without a workspace by none", () => {
    const parts = {
      cspSource: "https://csp",
      nonce: "N",
      title: "Symposium",
      root: "symposium",
      script: "https://csp/dist/webview.js",
    };
    const rootOf = (storage: string | undefined): string =>
      /<div id="symposium"([^>]*)>/.exec(pageHtml({ ...parts, ...workspaceKey(storage) }))?.[1] ?? "none";
    match(rootOf("file:///home/ada/storage/1"), /^ data-workspace="[0-9a-f]{32}"$/);
    equal(rootOf("file:///home/ada/storage/1"), rootOf("file:///home/ada/storage/1"));
    notEqual(rootOf("file:///home/ada/storage/1"), rootOf("file:///home/ada/storage/2"));
    equal(rootOf(undefined), "");
  });

  test("a nonce is 128 bits, fresh each time", () => {
    equal(Buffer.from(freshNonce(), "base64url").length, 16);
    notEqual(freshNonce(), freshNonce());
  });
});

suite("response capture", () => {
  const upsert = (entry: Extract<ChatEvent, { type: "upsert" }>["entry"]): ChatEvent => ({ type: "upsert", entry });

  test("it has what the agent said since it began, and nothing of users, thoughts or other tabs", () => {
    const capture = new ResponseCapture();
    capture.heard("t", upsert({ kind: "agent", id: "0", text: "before" }));
    capture.start("t");
    for (const event of [
      upsert({ kind: "user", id: "1", text: "hi" }),
      upsert({ kind: "thought", id: "2", text: "hm" }),
      upsert({ kind: "agent", id: "3", text: "Hel" }),
      { type: "append", id: "3", offset: 3, text: "lo" },
      { type: "append", id: "3", offset: 3, text: "lo" },
      upsert({ kind: "agent", id: "4", text: "!" }),
    ] satisfies ChatEvent[])
      capture.heard("t", event);
    capture.heard("u", upsert({ kind: "agent", id: "9", text: "other" }));
    equal(capture.response("t"), "Hello!");
    equal(capture.response("u"), "");
    capture.stop("t");
    equal(capture.response("t"), "");
  });
});
