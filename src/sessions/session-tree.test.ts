import fc from "fast-check";
import { deepEqual, equal, ok } from "node:assert/strict";
import path from "node:path";
import type { SessionSummary } from "../protocol/sessions/sessions";
import { summary } from "../testing/session-summary";
import { sessionTree, toggledNode, type SessionNode, type TreeNode, type TreeOptions } from "./session-tree";

const WORKSPACE = { folders: ["/w/app", "/w/lib"], home: "/home/me" };
const HERE: TreeOptions = { scope: "workspace", showsArchived: false },
  EVERYWHERE: TreeOptions = { scope: "all", showsArchived: true };

/** Labels, those of a group's sessions in parentheses. */
const labels = (nodes: readonly TreeNode[]): readonly string[] =>
  nodes.map(node =>
    node.kind === "group"
      ? `${node.label} (${node.sessions.map(({ session }) => session.title).join()})`
      : node.session.title,
  );
const sessionsIn = (nodes: readonly TreeNode[]): readonly SessionNode[] =>
  nodes.flatMap(node => (node.kind === "group" ? node.sessions : [node]));

suite("sessionTree", () => {
  const sessions = [
    summary("a", { cwd: "/w/app", changedAt: 1 }),
    summary("b", { cwd: "/w/app/src", changedAt: 5 }),
    summary("c", { cwd: "/w/lib", changedAt: 3 }),
    summary("d", { cwd: "/w/application", changedAt: 9 }),
    summary("e", { cwd: "/x", changedAt: 4 }),
    summary("f", { cwd: "/w/app", changedAt: 8, isArchived: true }),
  ];

  test("groups by workspace folder, with the last changed session first", () =>
    deepEqual(labels(sessionTree(sessions, WORKSPACE, HERE)), ["app (b,a)", "lib (c)"]));

  test("adds the other folders by their newest session, and the archive as the last group", () =>
    deepEqual(labels(sessionTree(sessions, WORKSPACE, EVERYWHERE)), [
      "app (b,a)",
      "lib (c)",
      "application (d)",
      "x (e)",
      "Archived (f)",
    ]));

  test("shows the only group of a workspace without a node for it", () => {
    const oneFolder = { ...WORKSPACE, folders: ["/w/app"] };
    deepEqual(labels(sessionTree(sessions, oneFolder, HERE)), ["b", "a"]);
    deepEqual(labels(sessionTree(sessions, oneFolder, { ...HERE, showsArchived: true })), ["b", "a", "Archived (f)"]);
    deepEqual(labels(sessionTree(sessions.slice(0, 1), oneFolder, EVERYWHERE)), ["app (a)"]);
  });

  test("assigns a session to the innermost of nested workspace folders", () => {
    const nested = { ...WORKSPACE, folders: ["/w/app", "/w/app/src"] };
    deepEqual(labels(sessionTree(sessions, nested, HERE)), ["app (a)", "src (b)"]);
  });

  test("shows only sessions of the home folder itself if no folder is open", () => {
    const atHome = [summary("a", { cwd: "/home/me" }), summary("b", { cwd: "/home/me/project" })];
    deepEqual(labels(sessionTree(atHome, { ...WORKSPACE, folders: [] }, HERE)), ["a"]);
  });

  test("contains each session once, sorted, and none of another workspace (property)", () => {
    const folder = fc.constantFrom("/w/app", "/w/app/src", "/w/apple", "/w/lib", "/w", "/x", "/home/me");
    const session: fc.Arbitrary<SessionSummary> = fc
      .record({
        id: fc.constantFrom(..."abcdefgh"),
        cwd: folder,
        changedAt: fc.nat(20),
        isArchived: fc.boolean(),
        isAgents: fc.boolean(),
      })
      .map(({ id, cwd, changedAt, isArchived, isAgents }) =>
        summary(id, {
          cwd,
          changedAt,
          ...(isArchived ? { isArchived: true as const } : {}),
          ...(isAgents ? { ref: { kind: "agent" as const, agentId: "mine", sessionId: id } } : {}),
        }),
      );
    const options = fc.record({
      scope: fc.constantFrom("workspace" as const, "all" as const),
      showsArchived: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(session, { maxLength: 20 }), options, (all, chosen) => {
        const tree = sessionTree(all, WORKSPACE, chosen),
          shown = sessionsIn(tree);
        equal(new Set(shown.map(({ id }) => id)).size, shown.length);
        equal(new Set(tree.map(({ id }) => id)).size, tree.length);
        for (const node of tree) {
          const group = node.kind === "group" ? node.sessions : [];
          ok(group.every((each, i) => each.session.changedAt <= (group[i - 1]?.session.changedAt ?? Infinity)));
          if (node.kind === "group") ok(group.every(({ session }) => (session.isArchived ?? false) === node.isArchive));
        }
        if (!chosen.showsArchived) ok(shown.every(({ session }) => session.isArchived !== true));
        if (chosen.scope === "workspace")
          for (const { session } of shown)
            ok(WORKSPACE.folders.some(each => `${session.cwd}${path.sep}`.startsWith(`${each}${path.sep}`)));
        if (chosen.scope === "all" && chosen.showsArchived)
          equal(shown.length, new Set(all.map(({ ref }) => JSON.stringify(ref))).size);
      }),
    );
  });

  test("finds the node whose selection was toggled", () => {
    const [a, b] = sessionTree(
      [summary("a"), summary("b")],
      { folders: ["/w"], home: "/" },
      { scope: "workspace", showsArchived: false },
    );
    if (a === undefined || b === undefined) throw new Error("two nodes");
    deepEqual(toggledNode([a], [a, b]), b);
    deepEqual(toggledNode([{ ...a }], []), a, "also after the list was loaded again");
    deepEqual(toggledNode([a], [{ ...a }]), undefined);
  });
});
