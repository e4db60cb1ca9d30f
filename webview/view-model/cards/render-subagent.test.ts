import { deepEqual, equal, match, ok } from "node:assert/strict";
import type { Entry, Subagent } from "../../../src/protocol/chat/chat";
import { ANSWERABLE } from "../../testing/render-context";
import type { Card } from "./card";
import { cardsOf } from "./render";

const draw = (entry: Entry): Card => {
  const [card] = cardsOf(entry, ANSWERABLE);
  ok(card);
  return card;
};
const subagent = (rest: Partial<Subagent>): Subagent => ({
  kind: "subagent",
  id: "1",
  sessionId: "c",
  name: "Explore",
  status: "running",
  entries: [],
  ...rest,
});

suite("subagent card", () => {
  test("shows the subagent's name and state and folds its transcript", () => {
    const card = draw(
      subagent({
        description: "Looks around",
        entries: [
          { kind: "agent", id: "2", text: "I **look**" },
          {
            kind: "tool",
            id: "3",
            toolCallId: "t",
            title: "Read *a*",
            toolKind: "read",
            status: "completed",
            content: [],
            locations: [],
          },
          { kind: "message", id: "4", from: "Ada", to: "Explore", text: "Go on" },
          subagent({ id: "5", name: "Inner", status: "waiting", entries: [{ kind: "agent", id: "6", text: "deep" }] }),
        ],
      }),
    );
    equal(card.header?.text, "Subagent **Explore**");
    equal(card.header?.status?.text, "running");
    equal(card.startsUnfolded, false);
    deepEqual(card.folded, [
      "*Looks around*",
      "I **look**",
      "Read \\*a\\* · done",
      "**Ada → Explore**\n\nGo on",
      "Subagent **Inner** · waiting for you",
      "deep",
    ]);
  });

  test("escapes untrusted text", () => {
    const card = draw(
      subagent({
        name: "<img src=x>",
        description: "[x](y)",
        error: "<b>",
        status: "failed",
        entries: [{ kind: "agent", id: "2", text: "<img src=x> ![a](b)\n```open" }],
      }),
    );
    match(card.header?.text ?? "", /\\<img/);
    ok(
      !card.folded.some(part => typeof part === "string" && /(?<!\\)<(?:img|b)/.test(part)),
      JSON.stringify(card.folded),
    );
    ok(typeof card.folded[1] === "string" && card.folded[1].endsWith("```"));
  });

  test("is limited in size and reports omitted entries", () => {
    const entries = Array.from(
      { length: 5_000 },
      (_, i): Entry => ({
        kind: "agent",
        id: `e${i}`,
        text: "x".repeat(10_000),
      }),
    );
    const card = draw(subagent({ entries }));
    equal(card.folded.length, 41);
    equal(card.folded[0], "*4960 earlier entries of this subagent are not shown.*");
    ok(JSON.stringify(card).length < 100_000);
  });

  test("names both agents of a message, omits an empty plan and counts placeholders", () => {
    equal(
      draw({ kind: "message", id: "1", from: "Ada", to: "Explore", text: "Go" }).header?.text,
      "Message **Ada** → **Explore**",
    );
    equal(draw({ kind: "message", id: "2", from: "", to: "", text: "" }).header?.text, "Message between agents");
    deepEqual(cardsOf({ kind: "plan", id: "3", steps: [] }, ANSWERABLE), []);
    match(draw({ kind: "unknown", id: "4", what: "_odd", json: "{}", count: 3 }).header?.text ?? "", /\(3 times\)$/);
  });

  test("names the subagent and its agent in a permission request", () => {
    const card = draw({
      kind: "permission",
      id: "1",
      agent: "Ada",
      toolEntryId: "t",
      title: "Go?",
      toolKind: "execute",
      content: [],
      options: [],
      subagent: { sessionId: "c", name: "Explore" },
    });
    equal(card.header?.text, "**Explore** (subagent of **Ada**)\u2003**Run a command?**");
  });
});
