import { deepEqual, equal } from "node:assert/strict";
import type { Entry, Permission, ToolCall } from "../../../src/protocol/chat/chat";
import { entryPlaces } from "./entry-places";

const call = (id: string, rest: Partial<ToolCall> = {}): ToolCall => ({
  kind: "tool",
  id,
  toolCallId: id,
  title: id,
  toolKind: "read",
  status: "completed",
  content: [],
  locations: [],
  ...rest,
});
const question = (id: string, toolEntryId: string, answered?: Permission["answered"]): Permission => ({
  kind: "permission",
  id,
  agent: "A",
  toolEntryId,
  title: id,
  toolKind: "read",
  content: [],
  options: [],
  ...(answered && { answered }),
});
const YES = { kind: "selected", optionId: "o", name: "Yes", optionKind: "allow_once", by: "user" } as const;
const places = (entries: readonly Entry[], isDrawn: (entry: Entry) => boolean = () => true, pinnedPlan?: Entry) => {
  const placeOf = entryPlaces(entries, { isDrawn, pinnedPlan });
  return entries.map(placeOf);
};
const hidden = (entries: readonly Entry[], isDrawn?: (entry: Entry) => boolean, pinnedPlan?: Entry) =>
  places(entries, isDrawn, pinnedPlan).flatMap(({ isHidden }, i) => (isHidden ? [entries[i]?.id] : []));
const groups = (entries: readonly Entry[]) =>
  places(entries).map(({ group }) => (group === undefined ? "" : `${group.key} ${group.head?.text ?? ""}`.trim()));

suite("places of entries", () => {
  test("shows an open question instead of its call, and an answered one in the line of its call", () => {
    const run = call("t", { toolKind: "execute", status: "pending" });
    deepEqual(hidden([run, question("q", "t")]), ["t"]);
    deepEqual(
      hidden([run, question("q", "t")], ({ kind }) => kind !== "permission"),
      [],
      "the question waits",
    );
    const answered = [run, question("q", "t", YES)];
    deepEqual(hidden(answered), ["q"]);
    equal(places(answered)[0]?.question, answered[1]);
    equal(places([run, question("q", "t")])[1]?.call, run);
    deepEqual(hidden([question("q", "before the window", YES)]), []);
  });

  test("shows the plan above the prompt only once", () => {
    const plan: Entry = { kind: "plan", id: "p", steps: [] };
    deepEqual(hidden([plan], undefined, plan), ["p"]);
    deepEqual(hidden([plan]), []);
  });

  test("hides a notice about waiting that has ended", () => {
    const wait = {
      kind: "notice",
      severity: "info",
      text: "It is still starting.",
      actions: [],
      until: "start",
    } as const;
    deepEqual(
      hidden([
        { ...wait, id: "a" },
        { ...wait, id: "b", isOver: true },
      ]),
      ["b"],
    );
  });

  test("groups consecutive reads and searches", () => {
    const search = (id: string, input?: string) =>
      call(id, { toolKind: "search", ...(input === undefined ? {} : { input }) });
    const thought: Entry = { kind: "thought", id: "empty", text: " " };
    deepEqual(groups([call("a"), thought, call("b")]), ["a Read 2 files", "", "a"]);
    deepEqual(groups([call("a"), search("b", '{"pattern":"split("}')]), ["a Read 1 file, searched “split(”", "a"]);
    deepEqual(groups([search("a"), search("b")]), ["a Searched 2 times", "a"]);
    deepEqual(groups([search("a"), call("b")]), ["a Read 1 file, searched once", "a"]);
    const twice = [{ path: "/x" }, { path: "/y" }];
    deepEqual(
      groups([call("a", { locations: twice }), call("b", { locations: [{ path: "/x" }] })])[0],
      "a Read 2 files",
    );
    deepEqual(groups([call("a")]), [""]);
  });

  test("leaves everything else than reads outside groups", () => {
    for (const other of [
      call("b", { toolKind: "edit" }),
      call("b", { status: "failed" }),
      call("b", { content: [{ kind: "diff", path: "/x", newText: "" }] }),
      call("b", { content: [{ kind: "terminal", terminalId: "x" }] }),
      { kind: "agent", id: "b", text: "So." } as const,
    ])
      deepEqual(groups([call("a"), other, call("c")]), ["", "", ""]);
  });

  test("names a group as running while one of its calls runs", () => {
    const [first] = places([call("a"), call("b", { status: "in_progress" })]);
    deepEqual(first?.group, { key: "a", head: { isRunning: true, text: "Read 2 files" } });
  });

  test("leaves a call with an open question outside its group", () => {
    const asked = call("b", { status: "pending" });
    deepEqual(groups([call("a"), asked, question("q", "b"), call("c")]), ["", "", "", ""]);
    deepEqual(groups([call("a"), asked, question("q", "b", YES), call("c")]), ["a Read 3 files", "a", "", "a"]);
  });
});
