import { deepEqual, equal, match } from "node:assert/strict";
import { SidecarRefused } from "../errors";
import type { SessionCommandName } from "../names";
import { FakeClock } from "../protocol/testing/fake-clock";
import type { AgentChoice } from "../protocol/agents/agents";
import type { SessionSummary } from "../protocol/sessions/sessions";
import { FakeSidecar } from "../testing/fake-sidecar";
import { summary } from "../testing/session-summary";
import { settled } from "../testing/settled";
import { FOCUS, sessionCommands, type ChosenFile, type SessionCommands } from "./session-commands";
import { SEARCH_DELAY_MS, type SearchItem, type SearchResults } from "./session-search";
import type { SessionNode, TreeNode } from "./session-tree";

const node = (session: SessionSummary): SessionNode => ({ kind: "session", id: session.title, session });

class Fixture {
  readonly clock = new FakeClock();
  readonly sidecar = new FakeSidecar();
  sessions: readonly SessionSummary[] = [summary("a"), summary("b", { isArchived: true })];
  focused: TreeNode | undefined;
  isTrusted = true;
  readonly open = new Set<string>();
  /** Index of the picked session. */
  picks: number | undefined = 0;
  title: string | undefined = "New title";
  confirms = true;
  readonly outside = new Set<string>();
  agent: AgentChoice | undefined = { id: "bob", name: "Bob" };
  file: ChosenFile | undefined = { scheme: "file", path: "/x/a.md" };
  /** Typed into the search; its first result is accepted. */
  typed = "text";
  readonly done: string[] = [];
  readonly commands: SessionCommands;

  constructor() {
    this.sidecar.reply("sessions/list", () => ({ sessions: this.sessions }));
    this.sidecar.reply("sessions/open", () => ({ conversation: "new", agentId: "mine", cwd: "/w" }));
    this.commands = sessionCommands({
      clock: this.clock,
      view: {
        choose: async change => void this.done.push(`choose ${JSON.stringify(change)}`),
        refresh: () => void this.done.push("refresh"),
      },
      dialogs: {
        pickSession: async (title, items) => {
          this.done.push(`${title}: ${items.map(({ label }) => label).join()}`);
          return this.picks === undefined ? undefined : items[this.picks]?.session;
        },
        search: async start => this.#search(start),
        askTitle: async title => {
          this.done.push(`title ${title}`);
          return this.title;
        },
        confirm: async (question, detail) => {
          this.done.push(`${question} ${detail}`);
          return this.confirms;
        },
        saveFile: async name => {
          this.done.push(`save ${name}`);
          return this.file;
        },
        openFile: async () => this.file,
        inform: sentence => void this.done.push(sentence),
        copy: async text => void this.done.push(`copy ${text}`),
      },
      client: () => this.sidecar.current(),
      focused: async () => this.focused,
      isTrusted: () => this.isTrusted,
      linkTo: conversation => `link to ${conversation}`,
      isInWorkspace: folder => !this.outside.has(folder),
      isOpen: conversation => this.open.has(conversation),
      closeTab: async conversation => void this.done.push(`close ${conversation}`),
      open: async ({ conversation, agentId, cwd }, entryId) =>
        void this.done.push(["open", conversation, agentId, cwd, entryId].join(" ").trim()),
      openBranch: async ({ conversation, agentId, transcript }) =>
        void this.done.push(`branch ${conversation} ${agentId} ${transcript ?? ""}`.trim()),
      pickAgent: async exceptId => {
        this.done.push(`pick except ${exceptId}`);
        return this.agent;
      },
      newId: () => "new",
      notify: async (message, actions) => void this.done.push(`error ${message} ${actions.join()}`),
      now: () => 0,
    });
  }

  run(name: SessionCommandName, target?: unknown): Promise<void> {
    return this.commands[name](target);
  }
  /** Calls without the list. */
  get calls(): readonly unknown[] {
    return this.sidecar.calls.flatMap(({ method, params }) => (method === "sessions/list" ? [] : [[method, params]]));
  }

  async #search(
    start: (show: (results: SearchResults) => void) => { typed(text: string): void; dispose(): void },
  ): Promise<SearchItem | undefined> {
    let last: SearchResults | undefined;
    const search = start(results => {
      last = results;
    });
    search.typed(this.typed);
    this.clock.advance(SEARCH_DELAY_MS);
    await settled();
    return last?.items[0];
  }
}

const A = summary("a").ref;

suite("session commands", () => {
  test("open the clicked session, also one that only an agent stores", async () => {
    const fixture = new Fixture(),
      ref = { kind: "agent", agentId: "mine", sessionId: "s" } as const;
    await fixture.run("symposium.openSession", node(summary("a")));
    await fixture.run("symposium.openSession", node(summary("s", { ref })));
    deepEqual(fixture.done, ["open a mine /w", "open new mine /w"]);
    deepEqual(fixture.calls, [["sessions/open", { ref }]]);
  });

  test("let the user pick one of the suitable sessions in the palette", async () => {
    const fixture = new Fixture();
    await fixture.run("symposium.archiveSession");
    await fixture.run("symposium.unarchiveSession");
    deepEqual(fixture.done, ["Archive Session: a", "Unarchive Session: b"]);
    deepEqual(fixture.calls, [
      ["sessions/archive", { ref: A, isArchived: true }],
      ["sessions/archive", { ref: summary("b").ref, isArchived: false }],
    ]);
    fixture.sessions = [];
    await fixture.run("symposium.deleteSession");
    equal(fixture.done.at(-1), "No session is available for this command.");
  });

  test("use the focused session for keys, and no group", async () => {
    const fixture = new Fixture();
    await fixture.run("symposium.renameSession", FOCUS);
    await fixture.run("symposium.renameSession", { kind: "group", sessions: [] });
    deepEqual(fixture.calls, []);
    fixture.focused = node(summary("a"));
    await fixture.run("symposium.renameSession", FOCUS);
    deepEqual(fixture.calls, [["sessions/rename", { ref: A, title: "New title" }]]);
    deepEqual(fixture.done, ["title a"]);
  });

  test("accept an empty title, and nothing from a cancelled dialog", async () => {
    const fixture = new Fixture();
    fixture.title = " ";
    await fixture.run("symposium.renameSession", node(summary("a")));
    deepEqual(fixture.calls, [["sessions/rename", { ref: A, title: "" }]]);
    fixture.title = fixture.picks = fixture.file = undefined;
    await fixture.run("symposium.renameSession", node(summary("a")));
    await fixture.run("symposium.openSession");
    await fixture.run("symposium.exportSession", node(summary("a")));
    await fixture.run("symposium.importSession");
    equal(fixture.calls.length, 1);
  });

  test("delete only after a confirmation that names the session and the agent", async () => {
    const fixture = new Fixture();
    fixture.confirms = false;
    await fixture.run("symposium.deleteSession", node(summary("a", { title: "Fix\u200B it" })));
    match(
      fixture.done[0]!,
      /^Delete “Fix⟦U\+200B⟧ it”\? .* in Mine if Mine supports it\. You cannot undo this action\.$/,
    );
    const ref = { kind: "agent", agentId: "mine", sessionId: "s" } as const;
    await fixture.run("symposium.deleteSession", node(summary("s", { ref })));
    equal(fixture.done[1], "Delete “s”? Mine deletes this session. You cannot undo this action.");
    deepEqual(fixture.calls, []);
    fixture.confirms = true;
    await fixture.run("symposium.deleteSession", node(summary("a")));
    deepEqual(fixture.calls, [["sessions/delete", { ref: A }]]);
  });

  test("close the tab of a session before they delete it", async () => {
    const fixture = new Fixture();
    fixture.open.add("a");
    fixture.confirms = false;
    await fixture.run("symposium.deleteSession", node(summary("a")));
    equal(fixture.done.length, 1);
    match(fixture.done[0]!, /^Delete “a”\? Its tab is closed\. The session is deleted in Symposium, /);
    fixture.confirms = true;
    await fixture.run("symposium.deleteSession", node(summary("a")));
    deepEqual(fixture.done.slice(2), ["close a"]);
    deepEqual(fixture.calls, [["sessions/delete", { ref: A }]]);
  });

  test("request trust before any dialog of a change, and open and export without it", async () => {
    const fixture = new Fixture();
    fixture.isTrusted = false;
    for (const name of [
      "renameSession",
      "archiveSession",
      "unarchiveSession",
      "deleteSession",
      "importSession",
    ] as const)
      await fixture.run(`symposium.${name}`, node(summary("a")));
    deepEqual(
      [...new Set(fixture.done), fixture.done.length],
      ["error Trust this workspace to change its sessions. manageTrust", 5],
    );
    deepEqual(fixture.calls, []);
    await fixture.run("symposium.openSession", node(summary("a")));
    await fixture.run("symposium.exportSession", node(summary("a")));
    deepEqual(fixture.done.slice(5, 7), ["open a mine /w", "save a"]);
  });

  test("show the sentence of a refusal", async () => {
    const fixture = new Fixture();
    fixture.sidecar.refuse("sessions/delete", new SidecarRefused(1, "The session is open."));
    await fixture.run("symposium.deleteSession", node(summary("a")));
    equal(fixture.done.at(-1), "error The session is open. ");
    fixture.sidecar.refuse("sessions/delete", new Error("It broke."));
    await fixture.run("symposium.deleteSession", node(summary("a")));
    equal(fixture.done.at(-1), "error It broke. showLogs");
  });

  test("export in the format of the file name, to local files only", async () => {
    const fixture = new Fixture();
    await fixture.run("symposium.exportSession", node(summary("a", { title: " a/b: c? " })));
    fixture.file = { scheme: "file", path: "/x/a.JSON" };
    await fixture.run("symposium.exportSession", node(summary("a")));
    fixture.file = { scheme: "vscode-vfs", path: "/x/a.json" };
    await fixture.run("symposium.exportSession", node(summary("a")));
    deepEqual(fixture.calls, [
      ["sessions/export", { conversation: "a", format: "markdown", path: "/x/a.md" }],
      ["sessions/export", { conversation: "a", format: "json", path: "/x/a.JSON" }],
    ]);
    equal(fixture.done[0], "save a b c");
    match(fixture.done.at(-1)!, /^error Sessions can only be exported to files/);
    await fixture.run(
      "symposium.exportSession",
      node(summary("s", { ref: { kind: "agent", agentId: "mine", sessionId: "s" } })),
    );
    equal(fixture.calls.length, 2);
  });

  test("copy the link of a stored session", async () => {
    const fixture = new Fixture();
    await fixture.run("symposium.copySessionLink", node(summary("a")));
    deepEqual(fixture.done, ["copy link to a", "The link opens the session on this computer. It was copied."]);
  });

  test("fork a session, or continue it with another agent", async () => {
    const fixture = new Fixture();
    fixture.sidecar.reply("sessions/fork", ({ newId, agent = { id: "mine", name: "Mine" } }) => ({
      conversation: newId,
      agentId: agent.id,
      agent,
      cwd: "/w",
      transcript: "User: one",
    }));
    await fixture.run("symposium.forkSession", node(summary("a")));
    await fixture.run("symposium.continueWith", node(summary("a")));
    fixture.agent = undefined;
    await fixture.run("symposium.continueWith", node(summary("a")));
    deepEqual(fixture.calls, [
      ["sessions/fork", { conversation: "a", newId: "new" }],
      ["sessions/fork", { conversation: "a", newId: "new", agent: { id: "bob", name: "Bob" } }],
    ]);
    const { id } = summary("a").agent;
    deepEqual(fixture.done, [
      "branch new mine User: one",
      `pick except ${id}`,
      "branch new bob User: one",
      `pick except ${id}`,
    ]);
  });

  test("open a session outside the workspace only after a confirmation that names the folder", async () => {
    const fixture = new Fixture(),
      session = summary("a", { cwd: "/elsewhere" });
    fixture.outside.add("/elsewhere");
    fixture.confirms = false;
    fixture.sidecar.reply("sessions/import", () => ({ conversation: "i", agentId: "other", cwd: "/elsewhere" }));
    await fixture.run("symposium.openSession", node(session));
    await fixture.run("symposium.forkSession", node(session));
    await fixture.run("symposium.importSession");
    const question =
      "Open this session outside the workspace? " +
      "Its agent works in the folder /elsewhere, which does not belong to this workspace.";
    deepEqual(fixture.done, [question, question, question]);
    fixture.confirms = true;
    await fixture.run("symposium.openSession", node(session));
    equal(fixture.done.at(-1)?.startsWith("open a"), true);
  });

  test("open an imported session", async () => {
    const fixture = new Fixture();
    fixture.sidecar.reply("sessions/import", () => ({ conversation: "i", agentId: "other", cwd: "/y" }));
    await fixture.run("symposium.importSession");
    deepEqual(fixture.done, ["open i other /y"]);
    fixture.file = { scheme: "untitled", path: "a.json" };
    await fixture.run("symposium.importSession");
    match(fixture.done.at(-1)!, /^error Sessions can only be imported from files/);
  });

  test("open the entry that a search has found", async () => {
    const fixture = new Fixture();
    fixture.sidecar.reply("sessions/search", () => ({
      hits: [{ conversation: "a", entryId: "e1", excerpt: "text", start: 0, end: 4 }],
      isComplete: true,
    }));
    await fixture.run("symposium.searchSessions");
    deepEqual(fixture.calls, [["sessions/search", { query: "text", limit: 100 }]]);
    deepEqual(fixture.done, ["open a mine /w e1"]);
  });

  test("change the options of the view", async () => {
    const fixture = new Fixture();
    for (const name of [
      "showAllWorkspaces",
      "showThisWorkspace",
      "showArchived",
      "hideArchived",
      "refreshSessions",
    ] as const)
      await fixture.run(`symposium.${name}`);
    deepEqual(fixture.done, [
      'choose {"scope":"all"}',
      'choose {"scope":"workspace"}',
      'choose {"showsArchived":true}',
      'choose {"showsArchived":false}',
      "refresh",
    ]);
  });
});
