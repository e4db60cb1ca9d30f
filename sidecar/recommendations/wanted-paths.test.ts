import { deepEqual } from "node:assert/strict";
import type { AcceptedRecommendation, Recommender } from "../../src/protocol/agents/recommendations";
import type { Rule } from "./list";
import { wantedPaths } from "./wanted-paths";

const CENTRAL: Recommender = { kind: "symposium" },
  TOKIO: Recommender = { kind: "crate", name: "tokio" };
const rule = (path: string, by: Recommender): Rule => ({ source: { crate: "x" }, when: { kind: "file", path }, by });
const accepted: AcceptedRecommendation = {
  key: "crate x",
  reasons: [{ by: CENTRAL, facts: [{ kind: "file", path: "past" }] }],
};

suite("paths of conditions", () => {
  test("start with those of accepted recommendations", () => {
    const { paths, isComplete } = wantedPaths([rule("a", TOKIO), rule("b", CENTRAL)], [accepted], {
      all: 2,
      perRecommender: 9,
    });
    deepEqual([[...paths], isComplete(TOKIO), isComplete(CENTRAL)], [["past", "a"], true, false]);
  });

  test("are limited for each recommender", () => {
    const { paths, isComplete } = wantedPaths([rule("a", TOKIO), rule("b", TOKIO), rule("c", CENTRAL)], [], {
      all: 9,
      perRecommender: 1,
    });
    deepEqual([[...paths], isComplete(TOKIO), isComplete(CENTRAL)], [["a", "c"], false, true]);
  });
});
