import { deepEqual, equal, match, notEqual, ok } from "node:assert/strict";
import { deferred, type Deferred } from "../protocol/wire/deferred";
import { Log } from "../log";
import type { ChatEvent } from "../protocol/chat/chat";
import type { HostToPage, PageToHost } from "../protocol/page/host-to-page";
import { settled } from "../testing/settled";
import { LIMIT } from "./page-flow-control";
import { freshNonce, pageHtml, tabOfPage, workspaceKey } from "./page-html";
import { PageChannel } from "./page-channel";
import { ResponseCapture } from "./response-capture";

const event = (seq: number): HostToPage => ({
  type: "event",
  tabId: "t",
  bootId: "b",
  seq,
  event: { type: "title", title: "x" },
});
const READY: PageToHost = { type: "webviewReady", tabs: [] };

function fixture() {
  const sent: HostToPage[] = [];
  const received: PageToHost[] = [];
  const log = new Log();
  const warned: string[] = [];
  log.onLog(({ message, data }) => warned.push(`${message}: ${String(data?.["why"])}`));
  const next: { delivery: Deferred<boolean> | undefined } = { delivery: undefined };
  const page = new PageChannel({
    log,
    onMessage: message => received.push(message),
    send: message => {
      sent.push(message);
      return next.delivery?.promise ?? Promise.resolve(true);
    },
  });
  return { sent, received, warned, page, next };
}

suite("PageChannel", () => {
  test("drops messages until the page is ready and after the view is hidden", () => {
    const { page, sent } = fixture();
    page.post(event(1));
    page.receive(READY);
    page.post(event(2));
    page.hidden();
    page.post(event(3));
    deepEqual([sent, page.isLive], [[event(2)], false]);
  });

  test("disconnects on an undelivered message, but not for a newer page", async () => {
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

  test("returns whether a message was delivered", async () => {
    const { page, sent, next } = fixture();
    equal(await page.deliver({ type: "openTab" }), false);
    page.receive(READY);
    equal(await page.deliver({ type: "openTab" }), true);
    next.delivery = deferred<boolean>();
    const delivering = page.deliver({ type: "openTab" });
    next.delivery.reject(new Error("disposed"));
    deepEqual([await delivering, page.isLive, sent.length], [false, false, 2]);
  });

  test("requests a replay from a slow page that caught up", () => {
    const { page, sent } = fixture();
    page.receive(READY);
    for (let seq = 1; seq <= LIMIT + 10; seq++) page.post(event(seq));
    equal(sent.length, LIMIT);
    page.receive({ type: "ack", handled: LIMIT });
    deepEqual(sent.at(-1), { type: "requestReplay" });
  });

  test("logs and drops an invalid message", () => {
    const { page, received, warned } = fixture();
    page.receive({ type: "quit" });
    page.receive({ type: "cancel", tabId: 7 });
    page.receive({ type: "cancel", tabId: "t" });
    deepEqual(received, [{ type: "cancel", tabId: "t" }]);
    equal(warned.length, 2);
    match(warned[1]!, /invalid page message: message\.tabId/);
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

  test("runs scripts only by nonce and loads only named resources", () => {
    const policy = /content="([^"]+)"/.exec(html)?.[1] ?? "";
    ok(policy.startsWith("default-src 'none'; script-src 'nonce-N'; "));
    for (const none of ["connect-src", "frame-src", "object-src", "base-uri", "form-action"])
      ok(policy.includes(`${none} 'none'`));
    ok(!/unsafe-eval|script-src[^;]*unsafe|https?:(?!\/\/csp)|\*/.test(policy));
    equal(html.match(/<script/g)?.length, 1);
    ok(html.includes('<script nonce="N" src="https://csp/dist/webview.js">'));
  });

  test("contains the texts of another language as data that cannot end their element", () => {
    const parts = { cspSource: "https://csp", nonce: "N", title: "Symposium", root: "symposium", script: "s.js" };
    const texts = { Stop: "</script><script>alert(1)</script>" };
    const translated = pageHtml({ ...parts, translation: { language: "de", texts } });
    ok(translated.includes('<html lang="de">'));
    const data = /<script type="application\/json" id="texts">(.*?)<\/script>/.exec(translated)?.[1] ?? "";
    deepEqual(JSON.parse(data), texts);
    equal(translated.match(/<script/g)?.length, 2);
  });

  test("marks the body of an editor", () => {
    ok(html.includes("<body>"));
    const parts = { cspSource: "https://csp", nonce: "N", title: "Symposium", root: "symposium", script: "s.js" };
    ok(pageHtml({ ...parts, surface: "editor" }).includes('<body data-surface="editor">'));
  });

  test("finds the tab of an editor's saved page, unless another session of VS Code saved it", () => {
    const page = { tabs: [{ tabId: "t" }], session: "1" };
    deepEqual([tabOfPage(page, undefined), tabOfPage(page, "1"), tabOfPage(page, "2")], ["t", "t", undefined]);
    for (const state of [undefined, {}, { tabs: [] }, { tabs: [{ tabId: 1 }] }, { tabs: "t" }])
      equal(tabOfPage(state, undefined), undefined);
  });

  test("identifies the workspace by a stable hash, empty without a workspace", () => {
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
    notEqual(workspaceKey("file:///1").workspace, workspaceKey("file:///1", "t").workspace);
  });

  test("has a fresh 128-bit nonce", () => {
    equal(Buffer.from(freshNonce(), "base64url").length, 16);
    notEqual(freshNonce(), freshNonce());
  });
});

suite("ResponseCapture", () => {
  const upsert = (entry: Extract<ChatEvent, { type: "upsert" }>["entry"]): ChatEvent => ({ type: "upsert", entry });

  test("contains the agent's text since its start, without prompts, thoughts and other tabs", () => {
    const capture = new ResponseCapture();
    capture.onEvent("t", upsert({ kind: "agent", id: "0", text: "before" }));
    capture.start("t");
    for (const event of [
      upsert({ kind: "user", id: "1", text: "hi" }),
      upsert({ kind: "thought", id: "2", text: "hm" }),
      upsert({ kind: "agent", id: "3", text: "Hel" }),
      { type: "append", id: "3", offset: 3, text: "lo" },
      { type: "append", id: "3", offset: 3, text: "lo" },
      upsert({ kind: "agent", id: "4", text: "!" }),
    ] satisfies ChatEvent[])
      capture.onEvent("t", event);
    capture.onEvent("u", upsert({ kind: "agent", id: "9", text: "other" }));
    equal(capture.response("t"), "Hello!");
    equal(capture.response("u"), "");
    capture.stop("t");
    equal(capture.response("t"), "");
  });
});
