import { deepEqual, equal } from "node:assert/strict";
import type { ProjectFact, Recommendation, Recommender } from "../../protocol/agents/recommendations";
import { announcement, nameOf, reasonSentences, staleSentence } from "./recommendation-texts";

const crate = (name: string, through?: string): ProjectFact => ({
  kind: "crate",
  name,
  ...(through === undefined ? {} : { through }),
});
const file = (path: string): ProjectFact => ({ kind: "file", path });
const SYMPOSIUM: Recommender = { kind: "symposium" };

suite("texts about recommended extensions", () => {
  const reasons: readonly (readonly [by: Recommender, facts: readonly ProjectFact[], sentence: string])[] = [
    [SYMPOSIUM, [crate("tokio")], "Recommended by Symposium because this project uses tokio."],
    [SYMPOSIUM, [crate("hyper", "axum")], "Recommended by Symposium because this project uses hyper (through axum)."],
    [
      SYMPOSIUM,
      [crate("sqlx"), file("Cargo.toml"), crate("sea-orm")],
      "Recommended by Symposium because this project uses sqlx and sea-orm and contains Cargo.toml.",
    ],
    [SYMPOSIUM, [], "Recommended by Symposium for all projects."],
    [
      { kind: "crate", name: "tokio" },
      [crate("tokio")],
      "Recommended by the crate tokio because this project uses tokio.",
    ],
    [
      { kind: "workspace", folder: "/projects/app" },
      [],
      "Recommended by .symposium/recommendations.toml of app for this workspace.",
    ],
  ];
  for (const [by, facts, sentence] of reasons)
    test(`explain: ${sentence}`, () => deepEqual(reasonSentences([{ by, facts }]), [sentence]));

  test("are limited in number", () => {
    const reasons = (count: number) => Array.from({ length: count }, () => ({ by: SYMPOSIUM, facts: [] }));
    deepEqual(reasonSentences(reasons(5)).length, 5);
    deepEqual(reasonSentences(reasons(6)).slice(5), ["Recommended by one other list or crate."]);
    deepEqual(reasonSentences(reasons(7)).slice(5), ["Recommended by 2 other lists and crates."]);
  });

  test("explain why a recommendation does not apply any longer", () =>
    deepEqual(
      [
        staleSentence({ kind: "unmet", facts: [crate("tokio"), file("Dockerfile")] }),
        staleSentence({ kind: "withdrawn", by: SYMPOSIUM }),
      ],
      [
        "This extension was recommended for this workspace, but this project does not use tokio and does not contain Dockerfile.",
        "This extension was recommended for this workspace, but Symposium does not recommend it any longer.",
      ],
    ));

  test("name an extension by the registry, its crate, id or URL", () =>
    deepEqual(
      [
        nameOf({ name: "Tokio Support", source: { crate: "a" } }),
        nameOf({ source: { crate: "a" } }),
        nameOf({ source: { acp: "b" } }),
        nameOf({ source: { url: "https://example.com/x/extension.json?key=1" } }),
      ],
      ["Tokio Support", "a", "b", "example.com/x/extension.json"],
    ));

  test("announce an extension at a URL by its host only", () => {
    const source = { url: "https://example.com/[Show](command:workbench.action.tasks.build)" };
    equal(
      announcement([{ key: "url", source, reasons: [{ by: SYMPOSIUM, facts: [] }] }]),
      "An agent extension is available for this workspace: example.com. Recommended by Symposium for all projects.",
    );
  });

  test("announce several extensions by their first names", () => {
    const named = (...names: readonly string[]): readonly Recommendation[] =>
      names.map(name => ({ key: name, source: { crate: name }, reasons: [{ by: SYMPOSIUM, facts: [] }] }));
    equal(announcement(named("a", "b")), "2 agent extensions are recommended for this workspace: a and b.");
    equal(
      announcement(named("a", "b", "c", "d")),
      "4 agent extensions are recommended for this workspace: a, b, c and others.",
    );
  });
});
