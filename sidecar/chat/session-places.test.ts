import { deepEqual } from "node:assert/strict";
import { emptyConversation, type Entry } from "../../src/protocol/chat/chat";
import type { Diff } from "../../src/protocol/chat/diff-places";
import type { Effect, SessionEvent, State } from "./session-model";
import { startSession, stepSession } from "./session-state";

const EXCERPT = { type: "diff", path: "/w/a.ts", oldText: "x", newText: "y" } as const,
  SHOWN: Diff = { kind: "diff", path: "/w/a.ts", oldText: "x", newText: "y" },
  CREATED = { type: "diff", path: "/w/b.ts", newText: "z" } as const;

const RUNNING: readonly SessionEvent[] = [
  { kind: "opened", accepts: { images: false }, isContinued: false },
  { kind: "prompted", prompt: { messageId: "m", text: "go" } },
];
const edit = (status: string, content?: readonly object[], more: object = {}, subagent?: string): SessionEvent => ({
  kind: "updated",
  version: subagent === undefined ? 1 : 2,
  update: { sessionUpdate: "tool_call_update", toolCallId: "t", kind: "edit", status, content, ...more },
  ...(subagent === undefined ? {} : { subagent }),
});
const found = (entryId: string, within: readonly string[] = []): SessionEvent => ({
  kind: "placesFound",
  within,
  entryId,
  diffs: [{ ...SHOWN, line: 40 }],
});

class Story {
  #state: State = startSession(emptyConversation({ id: "a", name: "Ada" }, "/w"), "e")[0];

  constructor(...events: readonly SessionEvent[]) {
    for (const event of [...RUNNING, ...events]) this.next(event);
  }
  /** The kinds of the effects that concern places, in order. */
  next(event: SessionEvent): readonly string[] {
    const [state, effects] = stepSession(this.#state, event, 0);
    this.#state = state;
    return effects.flatMap(effect =>
      effect.kind === "findPlaces"
        ? [`find ${[...effect.search.within, effect.search.entryId].join("/")} ${effect.search.diffs.length}`]
        : isShown(effect)
          ? ["show"]
          : [],
    );
  }
  get entries(): readonly Entry[] {
    return this.#state.conversation.entries;
  }
  get lines(): readonly (number | undefined)[] {
    return linesIn(this.entries);
  }
}

const isShown = (effect: Effect): boolean =>
  effect.kind === "emit" && (effect.event.type === "upsert" || effect.event.type === "nested");

const linesIn = (entries: readonly Entry[]): readonly (number | undefined)[] =>
  entries.flatMap(entry => {
    if (entry.kind === "subagent") return linesIn(entry.entries);
    if (entry.kind !== "tool" && entry.kind !== "permission") return [];
    return entry.content.flatMap(content => (content.kind === "diff" ? [content.line] : []));
  });

suite("places of edited excerpts", () => {
  test("are searched after the diff is shown, and then added to it", () => {
    const story = new Story();
    deepEqual(story.next(edit("pending", [EXCERPT, CREATED])), ["show", "find e0 1"]);
    deepEqual(story.next(found("e0")), ["show"]);
    deepEqual(story.lines, [40, undefined], "a new file starts with its first line");
    deepEqual(story.next(found("e0")), [], "nothing changes");
  });

  test("are searched once while the call runs, and again at its completion", () => {
    const story = new Story();
    deepEqual(story.next(edit("pending", [EXCERPT])), ["show", "find e0 1"]);
    deepEqual(story.next(edit("in_progress", [EXCERPT])), ["show"]);
    deepEqual(story.next(edit("in_progress", [{ ...EXCERPT, newText: "y2" }])), ["show", "find e0 1"]);
    deepEqual(story.next(edit("completed")), ["show", "find e0 1"]);
    deepEqual(new Story(edit("pending", [EXCERPT]), found("e0")).next(edit("completed")), ["show"]);
  });

  test("are not searched for a failed call, nor where the agent names the line", () => {
    deepEqual(new Story().next(edit("failed", [EXCERPT])), ["show"]);
    deepEqual(new Story().next(edit("completed", [EXCERPT], { locations: [{ path: "/w/a.ts", line: 3 }] })), ["show"]);
  });

  test("remain when the agent repeats the diff, and end with a diff of other texts", () => {
    const story = new Story(edit("pending", [EXCERPT]), found("e0"), edit("in_progress", [EXCERPT, CREATED]));
    deepEqual(story.lines, [40, undefined]);
    story.next(edit("in_progress", [{ ...EXCERPT, newText: "y2" }]));
    deepEqual(story.lines, [undefined]);
    deepEqual(story.next(found("e0")), [], "the place of an earlier diff");
  });

  test("are also those of the open question of the call", () => {
    const question: SessionEvent = {
      kind: "asked",
      permission: { permissionId: "p", toolCall: { toolCallId: "t", content: [EXCERPT] }, options: [], policy: "ask" },
    };
    const story = new Story();
    deepEqual(story.next(question), ["show", "show", "find p-tool 1"]);
    story.next(found("p-tool"));
    deepEqual(story.lines, [40, 40]);
    deepEqual(new Story(edit("pending", [EXCERPT]), found("e0"), question).lines, [40, 40]);
  });

  test("are added in the transcript of a subagent", () => {
    const story = new Story({
      kind: "updated",
      version: 2,
      update: { sessionUpdate: "subagent_update", sessionId: "s", title: "Sub", state: { state: "running" } },
    });
    const sub = story.entries.find(({ kind }) => kind === "subagent")?.id ?? "";
    const [, search = ""] = story.next(edit("in_progress", [EXCERPT], {}, "s"));
    const [, path = ""] = search.split(" ");
    deepEqual(path.split("/").slice(0, -1), [sub]);
    story.next(found(path.split("/").at(-1) ?? "", [sub]));
    deepEqual(story.lines, [40]);
  });

  test("that are found late change nothing in a closed session or an unknown call", () => {
    deepEqual(new Story(edit("pending", [EXCERPT])).next(found("none")), []);
    const closed = new Story(edit("pending", [EXCERPT]), { kind: "closed" });
    deepEqual(closed.next(found("e0")), []);
  });
});
