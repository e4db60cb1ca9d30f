import { deepEqual, equal } from "node:assert/strict";
import type { Recommendation, Recommender } from "../../protocol/agents/recommendations";
import { addQuestion } from "./recommendation-question";

const recommended = (source: Recommendation["source"], ...authors: readonly Recommender[]): Recommendation => ({
  key: "k",
  source,
  reasons: authors.map(by => ({ by, facts: [] })),
});
const CRATE: Recommender = { kind: "crate", name: "tokio" },
  WORKSPACE: Recommender = { kind: "workspace", folder: "/w" },
  USER: Recommender = { kind: "user", list: "~/a.toml" };

suite("question before a recommended extension is added", () => {
  const entry = { id: "x", distribution: { cargo: { crate: "x" } } };

  test("names the packages and archives that Symposium starts", () =>
    deepEqual(
      addQuestion(recommended({ url: "https://example.com/e.json" }, USER), {
        distribution: {
          npx: { package: "evil@1.0.0" },
          binary: {
            "linux-x86_64": { archive: "https://example.com/a.zip", cmd: "a" },
            "darwin-x86_64": { archive: "https://example.com/a.zip", cmd: "a" },
          },
        },
      }),
      {
        question: "Add “example.com/e.json” and enable it in all workspaces?",
        detail:
          "Recommended by ~/a.toml for all projects.\n\n" +
          "Symposium installs and starts: npm package evil@1.0.0, https://example.com/a.zip.",
      },
    ));

  test("is asked for the recommendations of crates and workspaces only, and for URLs", () => {
    const isAsked = (...authors: readonly Recommender[]) =>
      addQuestion(recommended({ crate: "x" }, ...authors), entry) !== undefined;
    deepEqual(
      [isAsked(CRATE), isAsked(WORKSPACE), isAsked(CRATE, USER), isAsked({ kind: "symposium" })],
      [true, true, false, false],
    );
  });

  test("names an unsupported distribution", () =>
    equal(
      addQuestion(recommended({ crate: "x" }, CRATE), {})
        ?.detail.split("\n")
        .at(-1),
      "Symposium installs and starts: unsupported distribution.",
    ));
});
