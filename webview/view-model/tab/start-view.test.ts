import { deepEqual, equal } from "node:assert/strict";
import type { InstallProgress } from "../../../src/protocol/agents/agent-service";
import { emptyConversation, type Conversation, type Entry } from "../../../src/protocol/chat/chat";
import { freshTab, type Page, type Tab } from "../../state/page-model";
import { openPage } from "../../state/page-state";
import { emptyPage } from "../../state/saved-page";
import { startView } from "./start-view";

const ADA = { id: "ada", name: "Ada" };
const RUNNING: Page = openPage(emptyPage, 0, 0)[0];
const failure: Entry = { kind: "notice", id: "n", severity: "error", text: "It did not start.", actions: [] };
const signIn: Entry = {
  kind: "elicitation",
  id: "s",
  agent: "Ada",
  message: "Ada requires a sign-in.",
  ask: { mode: "form", fields: [] },
};
const tab = (conversation: Partial<Conversation>): Tab => ({
  ...freshTab("t", ADA, 0, 0),
  phase: "live",
  conversation: { ...emptyConversation(ADA, "/w"), ...conversation },
});
const view = (conversation: Partial<Conversation>, page = RUNNING) => startView(page, tab(conversation));
const installing = (progress: InstallProgress, change: object = {}) =>
  view({ start: { kind: "installing", of: "agent", id: "ada", name: "Ada", progress, ...change } });

suite("start of an agent", () => {
  test("is shown in an empty tab and for a waiting prompt, until the session is open or the start has failed", () => {
    const starting = { text: "Starting Ada…", detail: "", cancel: undefined };
    deepEqual(view({}), starting);
    deepEqual(view({ turn: { state: "starting", messageId: "m" }, accepts: { images: true } }), starting);
    deepEqual(view({ start: { kind: "starting" }, accepts: { images: true } }), starting);
    equal(view({ accepts: { images: true } }), undefined);
    equal(view({ entries: [failure] }), undefined);
    equal(view({ turn: { state: "starting", messageId: "m" }, entries: [signIn] }), undefined);
    equal(view({}, { ...RUNNING, sidecar: { state: "failed", message: "", actions: [] } }), undefined);
  });

  test("names the version and the progress of an installation, which can be cancelled", () => {
    deepEqual(installing({ phase: "downloading", done: 62e6, total: 100e6 }, { version: "0.61.0" }), {
      text: "Installing Ada 0.61.0…",
      detail: "62 MB of 100 MB",
      cancel: "Cancel the Installation of Ada",
    });
    deepEqual(
      [
        installing({ phase: "waiting" }),
        installing({ phase: "unpacking", done: 1, total: 2 }),
        installing({ phase: "installing", done: 49_999 }),
        installing({ phase: "installing", done: 1_234_567, line: "added 1 package" }),
        installing({ phase: "installing", done: 2e8, total: 1e8 }),
        installing({ phase: "installing", line: " Compiling a\u202eb " }),
      ].map(each => each?.detail.replace(/\s*Compiling.*/, "line")),
      ["waiting for another window", "unpacking", "", "1.2 MB", "200 MB", "line"],
    );
    equal(installing({ phase: "installing" }, { of: "extension" })?.text, "Installing the agent extension Ada…");
  });
});
