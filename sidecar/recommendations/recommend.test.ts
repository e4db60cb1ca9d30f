import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import type { AcceptedRecommendation, Recommender } from "../../src/protocol/agents/recommendations";
import { ALWAYS, type Condition, type Project } from "./condition";
import type { Rule } from "./list";
import { recommend, staleIn } from "./recommend";

const projectWith = (...names: readonly string[]): Project => ({
  areCratesKnown: true,
  crate: name => (names.includes(name) ? { kind: "crate", name } : undefined),
  hasFile: path => names.includes(path),
});
const USER: Recommender = { kind: "user", list: "/home/me/list.toml" },
  CENTRAL: Recommender = { kind: "symposium" },
  TOKIO: Recommender = { kind: "crate", name: "tokio" };
const using = (name: string): Condition => ({ kind: "crate", name });
const rule = (crate: string, when: Condition, by: Recommender): Rule => ({ source: { crate }, when, by });

const rules = fc.array(
  fc.record({
    source: fc.constantFrom({ crate: "a-b" }, { crate: "a_b" }, { acp: "a-b" }, { url: "https://x/" }),
    when: fc.constantFrom(ALWAYS, using("tokio"), using("sqlx"), { kind: "file" as const, path: "Cargo.toml" }),
    by: fc.constantFrom(USER, CENTRAL, TOKIO),
  }),
);
const projects = fc.subarray(["tokio", "sqlx", "Cargo.toml"]).map(names => projectWith(...names));

suite("recommendations for a project", () => {
  test("merges the reasons of all lists in their precedence", () => {
    deepEqual(
      recommend(
        [
          rule("tokio_helper", using("tokio"), USER),
          rule("tokio-helper", using("tokio"), CENTRAL),
          rule("tokio-helper", using("tokio"), TOKIO),
          rule("sqlx-helper", using("sqlx"), CENTRAL),
          { source: { acp: "sparkle" }, when: ALWAYS, by: CENTRAL },
        ],
        projectWith("tokio"),
      ),
      [
        {
          key: "crate tokio-helper",
          source: { crate: "tokio_helper" },
          reasons: [USER, CENTRAL, TOKIO].map(by => ({ by, facts: [using("tokio")] })),
        },
        { key: "acp sparkle", source: { acp: "sparkle" }, reasons: [{ by: CENTRAL, facts: [] }] },
      ],
    );
  });

  test("joins the facts of one recommender", () =>
    deepEqual(
      recommend(
        [rule("a", using("tokio"), CENTRAL), rule("a", using("sqlx"), CENTRAL)],
        projectWith("tokio", "sqlx"),
      )[0]?.reasons,
      [{ by: CENTRAL, facts: [using("tokio"), using("sqlx")] }],
    ));

  test("contains each extension once, as the first applicable rule spells it (property)", () => {
    fc.assert(
      fc.property(rules, projects, (all, project) => {
        const found = recommend(all, project);
        equal(new Set(found.map(({ key }) => key)).size, found.length);
        for (const { key, source, reasons } of found) {
          const first = all.find(each => recommend([each], project)[0]?.key === key);
          deepEqual(first?.source, source);
          equal(new Set(reasons.map(({ by }) => JSON.stringify(by))).size, reasons.length);
        }
      }),
    );
  });

  test("does not change when the rules are repeated (property)", () => {
    fc.assert(
      fc.property(rules, projects, (all, project) =>
        deepEqual(recommend([...all, ...all], project), recommend(all, project)),
      ),
    );
  });
});

suite("stale recommendations", () => {
  const accepted: AcceptedRecommendation = {
    key: "crate tokio-helper",
    reasons: [{ by: CENTRAL, facts: [{ kind: "crate", name: "tokio" }] }],
  };
  const known = () => true;

  test("names the crate that the project does not use any longer", () =>
    deepEqual(staleIn([accepted], [rule("tokio-helper", using("tokio"), CENTRAL)], projectWith("sqlx"), known), [
      { key: "crate tokio-helper", reasons: [{ kind: "unmet", facts: [using("tokio")] }] },
    ]));

  test("names a list that has withdrawn the recommendation", () =>
    deepEqual(staleIn([accepted], [], projectWith("tokio"), known), [
      { key: "crate tokio-helper", reasons: [{ kind: "withdrawn", by: CENTRAL }] },
    ]));

  test("names the new condition of a list", () =>
    deepEqual(
      staleIn([accepted], [rule("tokio-helper", using("axum"), CENTRAL)], projectWith("tokio"), known)[0]?.reasons,
      [{ kind: "unmet", facts: [using("axum")] }],
    ));

  test("distinguishes a crate that is not used from one that does not recommend", () => {
    const byCrate = { ...accepted, reasons: [{ by: TOKIO, facts: [using("tokio")] as const }] };
    deepEqual(staleIn([byCrate as AcceptedRecommendation], [], projectWith(), known)[0]?.reasons, [
      { kind: "unmet", facts: [using("tokio")] },
    ]);
    deepEqual(staleIn([byCrate as AcceptedRecommendation], [], projectWith("tokio"), known)[0]?.reasons, [
      { kind: "withdrawn", by: TOKIO },
    ]);
  });

  test("reports nothing while another list recommends it, or while a list is unknown", () => {
    deepEqual(staleIn([accepted], [rule("tokio_helper", ALWAYS, USER)], projectWith(), known), []);
    deepEqual(
      staleIn([accepted], [], projectWith(), by => by.kind !== "symposium"),
      [],
    );
  });

  test("reports only files while the crates of the project are unknown", () => {
    const unknown = { ...projectWith(), areCratesKnown: false },
      inFile = { ...accepted, reasons: [{ by: CENTRAL, facts: [{ kind: "file", path: "Dockerfile" } as const] }] },
      file: Condition = { kind: "file", path: "Dockerfile" };
    const stale = (past: AcceptedRecommendation, when: Condition) =>
      staleIn([past], [rule("tokio-helper", when, CENTRAL)], unknown, known).flatMap(({ reasons }) => reasons);
    deepEqual(stale(accepted, using("tokio")), []);
    deepEqual(stale(inFile, { kind: "any", of: [file, using("tokio")] }), []);
    deepEqual(stale(inFile, file), [{ kind: "unmet", facts: [file] }]);
  });

  test("reports nothing that is recommended now (property)", () => {
    fc.assert(
      fc.property(rules, projects, projects, (all, before, now) => {
        const past = recommend(all, before),
          current = recommend(all, now).map(({ key }) => key);
        for (const { key, reasons } of staleIn(past, all, now, known)) {
          ok(!current.includes(key));
          ok(reasons.length > 0);
        }
        equal(staleIn(past, all, now, known).length, past.filter(({ key }) => !current.includes(key)).length);
      }),
    );
  });
});
