import { deepEqual } from "node:assert/strict";
import { SidecarRefused } from "../errors";
import type { RemainingChange, Review, ReviewOutcome, RewoundFile } from "../protocol/review/review";
import { FakeSidecar } from "../testing/fake-sidecar";
import { FakeTabs } from "../testing/fake-tabs";
import { modified, recorded, reviewOf, ROOT } from "../testing/review-fixture";
import { ChangeTabs } from "./change-tabs";
import { conversationActions, restoreTo, type ConversationActionDeps } from "./conversation-actions";
import { NOTHING_TO_REVIEW, reviewCommands, type Cursor, type FileTexts, type ReviewCommands } from "./review-commands";
import { ReviewIndex } from "./review-files";
import { OperationProgress } from "./operation-progress";
import { ReviewOperations } from "./review-operations";

class Fixture {
  readonly sidecar = new FakeSidecar();
  reviews: readonly Review[] = [reviewOf("r", [modified("a.ts"), modified("b.ts", [2])])];
  outcome: ReviewOutcome = { operation: "op", files: 1, remaining: [] };
  cursor: Cursor | undefined;
  texts: FileTexts = { reviewed: "1\n2\n3\n", current: "one\n2\nthree\n", hasSameLines: true };
  /** The reviews after they were brought up to date. */
  newest: readonly Review[] | undefined;
  readonly refreshed: string[] = [];
  /** Files that cannot be saved. */
  unsaved: readonly string[] = [];
  /** Labels of the items that the user picks, and texts of the buttons. */
  picks: readonly string[] = [];
  readonly done: string[] = [];
  readonly tabs = new FakeTabs();
  /** Paths of files with unsaved text. */
  dirty: readonly string[] = [];
  readonly operations: ReviewOperations;
  readonly deps: ConversationActionDeps & Parameters<typeof reviewCommands>[0];

  constructor() {
    const client = () => this.sidecar.current();
    for (const method of ["review/keep", "review/undo", "review/revert", "review/rewind"] as const)
      this.sidecar.reply(method, () => this.outcome);
    const note = (text: string): void => void this.done.push(text);
    const pick = (name: string): string | undefined => {
      const [chosen, ...others] = this.picks;
      this.picks = others;
      note(name);
      return chosen;
    };
    this.operations = new ReviewOperations({
      progress: new OperationProgress(() => ({ report: () => undefined, end: () => undefined })),
      client,
      review: id => this.reviews.find(review => review.id === id),
      save: async files => {
        note(`save ${files.map(({ path }) => path).join()}`);
        return this.unsaved;
      },
      openConflict: async ({ path }) => note(`merge ${path}`),
      showDone: (sentence, undo) => note(undo === undefined ? sentence : `${sentence} [${undo.operation}]`),
      inform: note,
      showFailure: sentence => note(`! ${sentence}`),
    });
    this.deps = {
      client,
      operations: this.operations,
      reviews: () => this.reviews,
      refresh: async id => {
        this.refreshed.push(id);
        this.reviews = this.newest ?? this.reviews;
      },
      fileAt: path => new ReviewIndex(this.reviews).at(path),
      editor: {
        cursor: () => this.cursor,
        pathOf: argument => (typeof argument === "string" ? argument : undefined),
        texts: async () => this.texts,
        openFile: async ({ path }) => note(`open ${path}`),
        openChange: async ({ path }) => note(`diff ${path}`),
        openReview: async (title, files) => {
          this.tabs.open(`${title} (${files.length} files)`);
          note(`${title}: ${files.map(({ path }) => path).join()}`);
        },
        openChanges: async (title, files) => {
          this.tabs.open(`${title} (${files.length} files)`);
          note(`${title}: ${files.map(({ path }) => path).join()} recorded`);
        },
      },
      changeTabs: new ChangeTabs(this.tabs, () => undefined),
      pick: async (title, items) => {
        const chosen = pick(`${title}? ${items.map(({ label, description }) => `${label} ${description}`).join("; ")}`);
        return items.find(({ label }) => label === chosen)?.value;
      },
      ask: async (question, detail, ...buttons) => pick(`${question}\n${detail}\n${buttons.join()}`),
      confirmShown: async (title, question, button, open) => {
        await open();
        return pick(`${title}\n${question} ${button}`) === button;
      },
      isUnsaved: ({ path }) => this.dirty.includes(path),
      explain: async (title, text) => note(`${title}: ${text}`),
      inform: note,
      showFailure: sentence => note(`! ${sentence}`),
      displayPath: ({ path }) => path,
    };
  }

  run(name: keyof ReviewCommands, ...targets: unknown[]): Promise<void> {
    return reviewCommands(this.deps)[name](...targets);
  }
  /** The requests of the commands. */
  get calls(): readonly unknown[] {
    return this.sidecar.calls.map(({ method, params }) => [method, params]);
  }
  target(path: string, reviewId = "r"): unknown {
    return { reviewId, file: { ...modified(path), added: 99 } };
  }
}

const A = { root: ROOT, path: "a.ts" },
  FIRST = { reviewed: { start: 0, end: 1 }, current: { start: 0, end: 1 } },
  LAST = { reviewed: { start: 2, end: 3 }, current: { start: 2, end: 3 } };

suite("review commands", () => {
  test("keep or undo a session, and files after they were saved", async () => {
    const fixture = new Fixture();
    await fixture.run("symposium.keepAll", { id: "r" });
    await fixture.run("symposium.undoAll", { id: "r" });
    await fixture.run("symposium.undoFile", fixture.target("a.ts"), fixture.target("gone.ts"));
    deepEqual(fixture.calls, [
      ["review/keep", { id: "r" }],
      ["review/undo", { id: "r" }],
      ["review/undo", { id: "r", files: [A] }],
    ]);
    deepEqual(fixture.done, [
      "Kept changes in 1 file [op]",
      "save a.ts,b.ts",
      "Undid changes in 1 file [op]",
      "save a.ts",
      "Undid changes in 1 file [op]",
    ]);
  });

  test("change nothing if a file cannot be saved", async () => {
    const fixture = new Fixture();
    fixture.unsaved = ["/w/a.ts"];
    await fixture.run("symposium.undoAll", { id: "r" });
    deepEqual(fixture.calls, []);
    deepEqual(fixture.done.at(-1), "! /w/a.ts could not be saved. Nothing was changed.");
  });

  test("open conflicts for a merge, and show the failures", async () => {
    const fixture = new Fixture();
    const conflict = (path: string): RemainingChange => ({ root: ROOT, path, kind: "conflict", wanted: recorded("w") });
    fixture.outcome = {
      files: 0,
      remaining: [{ ...A, kind: "failed", sentence: "The file is locked." }, conflict("b.ts"), conflict("c.ts")],
    };
    await fixture.run("symposium.undoAll", { id: "r" });
    deepEqual(fixture.done.slice(1), [
      "! a.ts: The file is locked.",
      "The same lines of 2 files were changed later. Merge them in the editors.",
      "merge b.ts",
      "merge c.ts",
    ]);
  });

  test("show the reason of a refused request", async () => {
    const fixture = new Fixture();
    fixture.sidecar.reply("review/keep", () => {
      throw new SidecarRefused(1, "The turn is still running.");
    });
    await fixture.run("symposium.keepAll", { id: "r" });
    deepEqual(fixture.done, ["! The turn is still running."]);
  });

  test("use the session of the active file, the only one, or the picked one", async () => {
    const fixture = new Fixture();
    await fixture.run("symposium.reviewChanges");
    fixture.tabs.closeAll();
    fixture.reviews = [...fixture.reviews, reviewOf("s", [modified("c.ts")], { title: "Other" })];
    fixture.picks = ["Claude: Other"];
    await fixture.run("symposium.reviewChanges");
    fixture.tabs.closeAll();
    fixture.cursor = { file: "/w/c.ts", side: "current", lines: [] };
    await fixture.run("symposium.reviewChanges");
    fixture.reviews = [];
    await fixture.run("symposium.reviewChanges");
    deepEqual(fixture.done, [
      "Changes by Claude: Split the text: a.ts,b.ts",
      "Review Changes? Claude: Split the text 2 files; Claude: Other 1 file",
      "Changes by Claude: Other: c.ts",
      "Changes by Claude: Other: c.ts",
      NOTHING_TO_REVIEW,
    ]);
  });

  test("list the turns of a session, the newest first, with their actions", async () => {
    const fixture = new Fixture();
    fixture.sidecar.reply("review/turn", () => ({ files: [modified("b.ts")] }));
    fixture.picks = ["Test it", "Review", "Split it", "Undo"];
    await fixture.run("symposium.reviewTurns", { id: "r" });
    await fixture.run("symposium.reviewTurns", { id: "r" });
    deepEqual(fixture.done.slice(0, 3), [
      "Review by Turn? Test it 1 file; Split it 1 file",
      "Test it? Review Show the changes in the diff editor; Keep Accept the changes; " +
        "Undo Restore the files without the changes. Your own edits stay.",
      "Changes by Claude: Test it: b.ts recorded",
    ]);
    deepEqual(fixture.calls, [
      ["review/turn", { id: "r", turn: 2 }],
      ["review/undo", { id: "r", turn: 1 }],
    ]);
  });

  test("keep or undo the session or the turn that the active editor compares", async () => {
    const fixture = new Fixture();
    fixture.sidecar.reply("review/turn", () => ({ files: [modified("b.ts")] }));
    fixture.reviews = [...fixture.reviews, reviewOf("s", [modified("c.ts")], { title: "Other" })];
    await fixture.run("symposium.reviewChanges", { id: "r" });
    await fixture.run("symposium.keepAll", "multi-diff-editor:1");
    deepEqual(fixture.tabs.labels().length, 1);
    fixture.picks = ["Test it", "Review"];
    await fixture.run("symposium.reviewTurns");
    fixture.newest = [reviewOf("r", [modified("a.ts")]), ...fixture.reviews.slice(1)];
    await fixture.run("symposium.undoAll");
    deepEqual(fixture.tabs.labels(), ["Changes by Claude: Split the text (2 files)"]);
    await fixture.run("symposium.undoAll", { id: "s" });
    fixture.reviews = [];
    await fixture.run("symposium.keepAll");
    deepEqual(fixture.calls, [
      ["review/keep", { id: "r" }],
      ["review/turn", { id: "r", turn: 2 }],
      ["review/undo", { id: "r", turn: 2 }],
      ["review/undo", { id: "s" }],
    ]);
    deepEqual(fixture.done.at(-1), NOTHING_TO_REVIEW);
  });

  test("keep or undo the change of the gutter, at the cursor, or of a code lens", async () => {
    const fixture = new Fixture();
    const change = {
      originalStartLineNumber: 3,
      originalEndLineNumber: 3,
      modifiedStartLineNumber: 3,
      modifiedEndLineNumber: 3,
    };
    await fixture.run("symposium.undoHunk", "/w/a.ts", [change], 0);
    fixture.cursor = { file: "/w/a.ts", side: "reviewed", lines: [{ start: 0, end: 1 }] };
    await fixture.run("symposium.keepHunk");
    await fixture.run("symposium.keepHunk", { file: "/w/a.ts", hunks: [LAST] });
    deepEqual(
      fixture.calls.map(call => JSON.parse(JSON.stringify(call))),
      [
        ["review/undo", { id: "r", files: [A], hunks: [LAST] }],
        ["review/keep", { id: "r", files: [A], hunks: [FIRST] }],
        ["review/keep", { id: "r", files: [A], hunks: [LAST] }],
      ],
    );
  });

  test("save unsaved text and bring the review up to date before a change is selected", async () => {
    const fixture = new Fixture();
    fixture.cursor = { file: "/w/a.ts", side: "current", lines: [{ start: 0, end: 1 }] };
    fixture.newest = [reviewOf("r", [modified("b.ts")])];
    await fixture.run("symposium.undoHunk");
    deepEqual(fixture.refreshed, ["r"]);
    fixture.newest = fixture.reviews = [reviewOf("r", [modified("a.ts")])];
    fixture.unsaved = ["a.ts"];
    await fixture.run("symposium.undoHunk");
    deepEqual(fixture.refreshed, ["r"]);
    deepEqual(fixture.calls, []);
    deepEqual(fixture.done, [
      "save a.ts",
      "There is no change of an agent at the cursor.",
      "save a.ts",
      "! a.ts could not be saved. Nothing was changed.",
    ]);
  });

  test("explain why there is no change to keep", async () => {
    const fixture = new Fixture();
    await fixture.run("symposium.keepHunk");
    fixture.cursor = { file: "/w/a.ts", side: "current", lines: [{ start: 9, end: 10 }] };
    await fixture.run("symposium.keepHunk");
    fixture.texts = { ...fixture.texts, hasSameLines: false };
    await fixture.run("symposium.keepHunk");
    deepEqual(
      fixture.done.filter(sentence => sentence !== "save a.ts"),
      [
        "The active editor shows no file with unreviewed changes of an agent.",
        "There is no change of an agent at the cursor.",
        "The line ends of this file are unusual. Keep or undo the changes of the whole file instead.",
      ],
    );
    deepEqual(fixture.calls, []);
  });

  test("undo the last operation of the session, the only one, or the picked one", async () => {
    const fixture = new Fixture();
    const undone = (id: string) => [{ id: `${id}1`, kind: "undo", files: 2 } as const];
    await fixture.run("symposium.undoLastOperation");
    await fixture.run("symposium.undoLastOperation", { id: "r", operation: "old" });
    fixture.reviews = [reviewOf("r", [], { operations: undone("r") })];
    await fixture.run("symposium.undoLastOperation", { id: "symposium.changes", rootUri: undefined });
    fixture.reviews = [...fixture.reviews, reviewOf("s", [], { operations: undone("s"), title: "Other" })];
    await fixture.run("symposium.undoLastOperation", { id: "s" });
    fixture.picks = ["Undid changes in 2 files"];
    await fixture.run("symposium.undoLastOperation");
    deepEqual(fixture.calls, [
      ["review/revert", { id: "r", operation: "old" }],
      ["review/revert", { id: "r", operation: "r1" }],
      ["review/revert", { id: "s", operation: "s1" }],
      ["review/revert", { id: "r", operation: "r1" }],
    ]);
    deepEqual(fixture.done[0], "There is no operation to undo.");
    deepEqual(
      fixture.done.at(-2),
      "Undo Last Operation? Undid changes in 2 files Claude: Split the text; Undid changes in 2 files Claude: Other",
    );
  });

  test("open the files and their changes, and name what is not recorded", async () => {
    const fixture = new Fixture();
    await fixture.run("symposium.openChangedFile", fixture.target("a.ts"));
    await fixture.run("symposium.openFileChanges", fixture.target("a.ts"), true);
    fixture.reviews = [
      reviewOf("r", [modified("a.ts")], { limits: [{ kind: "leftOut", count: 1, paths: ["/w/big.bin"] }] }),
    ];
    await fixture.run("symposium.showReviewLimits", { id: "r" });
    fixture.reviews = [reviewOf("r", [], { limits: [{ kind: "gone", count: 1, paths: ["/w/nested/a.ts"] }] })];
    await fixture.run("symposium.reviewChanges");
    deepEqual(fixture.done, [
      "open a.ts",
      "diff a.ts",
      "Unrecorded Files: 1 file is not part of the review. It is too large, or its name or type cannot be recorded.\n/w/big.bin",
      "Unrecorded Files: 1 file cannot be restored, because its repository does not contain its earlier content any more.\n/w/nested/a.ts",
    ]);
  });
});

suite("review of a conversation", () => {
  test("concerns the conversation, or the turn of a prompt", async () => {
    const fixture = new Fixture(),
      actions = conversationActions(fixture.deps);
    fixture.sidecar.reply("review/turn", () => ({ files: [] }));
    await actions.open("r");
    await actions.open("r", "r-e1");
    await actions.keep("r", "r-e2");
    await actions.undo("r");
    await actions.keep("r", "unknown");
    await actions.keep("unknown");
    deepEqual(fixture.calls, [
      ["review/turn", { id: "r", turn: 1 }],
      ["review/keep", { id: "r", turn: 2 }],
      ["review/undo", { id: "r" }],
    ]);
    deepEqual(fixture.done.slice(-2), [NOTHING_TO_REVIEW, NOTHING_TO_REVIEW]);
  });

  test("restores files after the user has seen and confirmed the changes", async () => {
    const fixture = new Fixture(),
      actions = conversationActions(fixture.deps);
    const files = [
      { ...A, before: recorded("now"), after: recorded("then"), hasOwnChanges: true },
      { root: ROOT, path: "new.ts", before: recorded("now"), hasOwnChanges: false },
    ];
    fixture.sidecar.reply("review/previewRewind", () => ({ files }));
    fixture.picks = ["Show Changes", "Restore Files and Conversation"];
    deepEqual(await actions.rewind("r", "r-e1", true), true);
    deepEqual(await actions.rewind("r", "r-e1", false), false);
    deepEqual(fixture.done, [
      "Restore 2 files and the conversation to before this prompt?\n" +
        "a.ts (will be restored, your changes are kept)\nnew.ts (will be deleted)\nRestore Files and Conversation,Show Changes",
      "Restore Files and Conversation: Split the text: a.ts,new.ts recorded",
      "Restore Files and Conversation: Split the text\n" +
        "Restore 2 files and the conversation to before this prompt? Restore Files and Conversation",
      "save a.ts,new.ts",
      "Restored 1 file [op]",
      "Restore 2 files to before this prompt?\n" +
        "a.ts (will be restored, your changes are kept)\nnew.ts (will be deleted)\nRestore Files,Show Changes",
    ]);
    deepEqual(
      fixture.calls.filter(call => Array.isArray(call) && call[0] === "review/rewind"),
      [["review/rewind", { id: "r", entryId: "r-e1" }]],
    );
  });

  test("asks again if other files or changes of the user have been added since the preview", async () => {
    const fixture = new Fixture(),
      actions = conversationActions(fixture.deps),
      agents = { ...A, before: recorded("now"), after: recorded("then"), hasOwnChanges: false },
      mine = { ...agents, before: recorded("mine"), after: recorded("merged"), hasOwnChanges: true },
      other = { root: ROOT, path: "new.ts", before: recorded("now"), hasOwnChanges: false };
    /** The previews, one after another; the last one remains. */
    const restore = async (...previews: (readonly RewoundFile[])[]): Promise<readonly string[]> => {
      fixture.done.length = 0;
      fixture.picks = ["Restore Files", "Restore Files", "Restore Files"];
      fixture.sidecar.reply("review/previewRewind", () => ({
        files: (previews.length > 1 ? previews.shift() : previews[0]) ?? [],
      }));
      await actions.rewind("r", "r-e1", false);
      return fixture.done.map(line => line.split("\n").slice(0, 2).join(" | "));
    };
    const asked = "Restore 1 file to before this prompt? | a.ts (will be restored",
      repeated = "Files have changed since you confirmed. Check the list again.",
      restored = ["save a.ts", "Restored 1 file [op]"];
    deepEqual(await restore([agents], [{ ...agents, before: recorded("later") }]), [`${asked})`, ...restored]);
    deepEqual(await restore([agents, other], [agents]), [
      "Restore 2 files to before this prompt? | a.ts (will be restored)",
      ...restored,
    ]);
    deepEqual(await restore([agents], [agents, other]), [
      `${asked})`,
      `Restore 2 files to before this prompt? | ${repeated}`,
      "save a.ts,new.ts",
      "Restored 1 file [op]",
    ]);
    const again = `Restore 1 file to before this prompt? | ${repeated}`;
    deepEqual(await restore([agents], [mine]), [`${asked})`, again, ...restored]);
    deepEqual(await restore([mine], [{ ...mine, before: recorded("more") }]), [
      `${asked}, your changes are kept)`,
      again,
      ...restored,
    ]);
    deepEqual(await restore([agents], []), [`${asked})`, "No files have changed since this prompt."]);
    fixture.dirty = ["a.ts"];
    deepEqual(await restore([agents], [agents]), [`${asked}, your changes are kept)`, ...restored]);
  });

  test("leaves the conversation if a file could not be restored", async () => {
    const fixture = new Fixture();
    fixture.sidecar.reply("review/previewRewind", () => ({ files: [{ ...A, hasOwnChanges: false }] }));
    fixture.outcome = { operation: "op", files: 1, remaining: [{ ...A, kind: "failed", sentence: "It is locked." }] };
    fixture.picks = ["Restore Files and Conversation"];
    deepEqual(await conversationActions(fixture.deps).rewind("r", "r-e1", true), false);
    deepEqual(fixture.done.at(-1), "! a.ts: It is locked.");
  });

  test("continues with the conversation if no file has changed, and stops after a failure", async () => {
    const fixture = new Fixture(),
      actions = conversationActions(fixture.deps);
    fixture.sidecar.reply("review/previewRewind", () => ({ files: [] }));
    deepEqual([await actions.rewind("r", "e", true), await actions.rewind("r", "e", false)], [true, false]);
    fixture.sidecar.reply("review/previewRewind", () => {
      throw new SidecarRefused(1, "The session is not recorded.");
    });
    deepEqual(await actions.rewind("r", "e", true), false);
    deepEqual(fixture.done.slice(1), ["No files have changed since this prompt.", "! The session is not recorded."]);
  });

  test("restore files to before a prompt that the user picks", async () => {
    const fixture = new Fixture(),
      actions = conversationActions(fixture.deps);
    const prompts = [
      { id: "r", entryId: "r-e2", title: "Split\u200B it", session: "Split the text" },
      { id: "s", entryId: "s-e1", title: "Test it", session: "Tests" },
    ];
    fixture.sidecar.reply("review/previewRewind", () => ({ files: [] }));
    fixture.sidecar.reply("review/prompts", () => ({ prompts }));
    fixture.picks = ["Test it"];
    await restoreTo(fixture.deps, actions);
    await restoreTo(fixture.deps, actions);
    fixture.sidecar.reply("review/prompts", () => ({ prompts: [] }));
    await restoreTo(fixture.deps, actions);
    const title = "Restore Files to before a Prompt? Split⟦U+200B⟧ it Split the text; Test it Tests";
    deepEqual(fixture.done, [
      title,
      "No files have changed since this prompt.",
      title,
      "No open session has a prompt to which files can be restored.",
    ]);
    deepEqual(
      fixture.calls.filter(call => Array.isArray(call) && call[0] === "review/previewRewind"),
      [["review/previewRewind", { id: "s", entryId: "s-e1" }]],
    );
  });
});
