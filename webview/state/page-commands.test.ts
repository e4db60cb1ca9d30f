import { deepEqual, equal } from "node:assert/strict";
import { applyEvent, emptyConversation, type Entry, type PermissionOption } from "../../src/protocol/chat/chat";
import type { PageCommand } from "../../src/protocol/page/host-to-page";
import { SEEN_MS } from "./page-commands";
import { freshTab, type Effect, type Page, type Tab, type UiEvent } from "./page-model";
import { openPage, step } from "./page-state";
import { emptyPage } from "./saved-page";

const ADA = { id: "ada", name: "Ada" };
const option = (kind: PermissionOption["kind"], optionId: string = kind): PermissionOption => ({
  optionId,
  name: kind,
  kind,
});
const OPTIONS = [option("allow_always"), option("allow_once"), option("reject_once"), option("reject_always")];
const permission = (id: string, options = OPTIONS, title = "Run"): Entry => ({
  kind: "permission",
  id,
  agent: "Ada",
  toolEntryId: `${id}-tool`,
  toolKind: "execute",
  title,
  content: [],
  options,
});

/** A page whose live tabs have these questions, the first one selected, and a clock. */
class Fixture {
  page: Page;
  now = 0;
  effects: readonly Effect[] = [];

  constructor(tabs: Readonly<Record<string, readonly Entry[]>>) {
    const [first] = openPage(emptyPage, 0, 0),
      [selected] = Object.keys(tabs);
    this.page = {
      ...first,
      selected,
      tabs: new Map(
        Object.entries(tabs).map(([tabId, entries]): [string, Tab] => [
          tabId,
          {
            ...freshTab(tabId, ADA, 0, 0),
            phase: "live",
            conversation: { ...emptyConversation(ADA, "/w"), entries, turn: { state: "running", messageId: "m" } },
          },
        ]),
      ),
    };
  }
  do(event: UiEvent): this {
    [this.page, this.effects] = step(this.page, event, this.now);
    return this;
  }
  see(...entryIds: string[]): this {
    return this.do({ kind: "questionsSeen", tabId: "t", entryIds });
  }
  wait(ms = SEEN_MS): this {
    this.now += ms;
    return this;
  }
  focus(entryId: string, tabId = "t"): this {
    return this.do({ kind: "focusMoved", to: { tabId, entryId } });
  }
  upsert(entry: Entry): this {
    const tab = this.page.tabs.get("t")!,
      conversation = applyEvent(tab.conversation, { type: "upsert", entry });
    this.page = { ...this.page, tabs: new Map(this.page.tabs).set("t", { ...tab, conversation }) };
    return this;
  }
  /** The answers that the command posts, as `question: option`. */
  answers(command: PageCommand): readonly string[] {
    this.do({ kind: "received", message: { type: "runCommand", command } });
    return this.effects.flatMap(effect =>
      effect.kind === "post" && effect.message.type === "answerPermission"
        ? [`${effect.message.permissionId}: ${effect.message.choice.optionId}`]
        : [],
    );
  }
  /** The question that the command focuses, as `tab question`. */
  next(): string | undefined {
    this.do({ kind: "received", message: { type: "runCommand", command: "nextQuestion" } });
    const [focused] = this.effects.flatMap(each =>
      each.kind === "focusQuestion" ? [`${each.tabId} ${each.entryId}`] : [],
    );
    if (focused !== undefined) this.focus(focused.split(" ")[1] ?? "", focused.split(" ")[0]);
    return focused;
  }
}

suite("commands that answer a question", () => {
  test("select the option for one time", () => {
    deepEqual(new Fixture({ t: [permission("p")] }).see("p").wait().answers("allowOnce"), ["p: allow_once"]);
    deepEqual(new Fixture({ t: [permission("p")] }).see("p").wait().answers("rejectOnce"), ["p: reject_once"]);
  });

  test("ignore a question that is not on screen, or has appeared just now", () => {
    const fixture = new Fixture({ t: [permission("p")] });
    deepEqual(fixture.wait().answers("allowOnce"), []);
    deepEqual(fixture.see("p").answers("allowOnce"), []);
    deepEqual(fixture.wait(SEEN_MS - 1).answers("allowOnce"), []);
    deepEqual(fixture.see().see("p").wait(1).answers("allowOnce"), [], "it was scrolled away in between");
    deepEqual(fixture.wait().answers("allowOnce"), ["p: allow_once"]);
  });

  test("ignore a question whose content has just changed", () => {
    const fixture = new Fixture({ t: [permission("p")] }).see("p").wait();
    fixture.upsert(permission("p", OPTIONS, "Delete everything"));
    deepEqual(fixture.answers("allowOnce"), []);
    deepEqual(
      fixture
        .do({ kind: "drawn" })
        .wait(SEEN_MS - 1)
        .answers("allowOnce"),
      [],
    );
    deepEqual(fixture.do({ kind: "drawn" }).wait(1).answers("allowOnce"), ["p: allow_once"]);
  });

  test("answer one question at a time, also with a held key", () => {
    const fixture = new Fixture({ t: [permission("p"), permission("q")] }).see("p", "q").wait();
    deepEqual(fixture.answers("allowOnce"), ["p: allow_once"]);
    deepEqual(fixture.answers("allowOnce"), []);
    deepEqual(fixture.wait(SEEN_MS).answers("allowOnce"), ["q: allow_once"]);
  });

  test("answer the focused question before the first one", () => {
    const fixture = () => new Fixture({ t: [permission("p"), permission("q")] }).see("p", "q").wait();
    deepEqual(fixture().focus("q").answers("rejectOnce"), ["q: reject_once"]);
    deepEqual(fixture().focus("q", "other").answers("rejectOnce"), ["p: reject_once"], "the focus of another tab");
    deepEqual(fixture().see("p").focus("q").answers("rejectOnce"), [], "no other question in its place");
  });

  test("never select a permanent or an ambiguous option", () => {
    const fixture = (...options: PermissionOption[]) => new Fixture({ t: [permission("p", options)] }).see("p").wait();
    deepEqual(fixture(option("allow_always"), option("reject_always")).answers("allowOnce"), []);
    deepEqual(fixture(option("allow_always"), option("reject_always")).answers("rejectOnce"), []);
    deepEqual(fixture(option("allow_once", "a"), option("allow_once", "b")).answers("allowOnce"), []);
  });

  test("answer neither without a session nor in another tab", () => {
    const fixture = new Fixture({ u: [], t: [permission("p")] }).see("p").wait();
    deepEqual(fixture.answers("allowOnce"), []);
    const offline = new Fixture({ t: [permission("p")] }).see("p").wait();
    offline.page = { ...offline.page, sidecar: { state: "restarting", message: "" } };
    deepEqual(offline.answers("allowOnce"), []);
  });
});

suite("commands that move the focus", () => {
  test("go to each question, also of other tabs, and start again", () => {
    const fixture = new Fixture({ t: [permission("p"), permission("q")], u: [], v: [permission("r")] });
    deepEqual(
      [fixture.next(), fixture.next(), fixture.next(), fixture.page.selected, fixture.next()],
      ["t p", "t q", "v r", "v", "t p"],
    );
    equal(new Fixture({ t: [] }).next(), undefined);
  });

  test("focus the prompt of the selected tab", () =>
    deepEqual(
      new Fixture({ t: [] }).do({ kind: "received", message: { type: "runCommand", command: "focusPrompt" } }).effects,
      [{ kind: "focus", tabId: "t" }],
    ));

  test("report the focus of the page to the host", () =>
    deepEqual(new Fixture({ t: [] }).do({ kind: "pageFocused", hasFocus: true }).effects, [
      { kind: "post", message: { type: "focusChanged", hasFocus: true } },
    ]));
});

test("the command that stops the turn cancels it, and an idle tab ignores it", () => {
  const stop: UiEvent = { kind: "received", message: { type: "runCommand", command: "stop" } },
    fixture = new Fixture({ t: [] });
  deepEqual(fixture.do(stop).effects, [{ kind: "post", message: { type: "cancel", tabId: "t" } }]);
  const tab = fixture.page.tabs.get("t")!;
  fixture.page = {
    ...fixture.page,
    tabs: new Map([["t", { ...tab, conversation: { ...tab.conversation, turn: { state: "idle" } } }]]),
  };
  deepEqual(fixture.do(stop).effects, []);
});
