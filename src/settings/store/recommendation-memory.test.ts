import { deepEqual } from "node:assert/strict";
import fc from "fast-check";
import type { Recommendation } from "../../protocol/agents/recommendations";
import { readExtensions } from "./extensions";
import {
  missingIn,
  readAdded,
  readDecisions,
  withAccepted,
  withAdded,
  withDismissed,
  type WorkspaceDecisions,
} from "./recommendation-memory";

const NONE: WorkspaceDecisions = { dismissed: [], accepted: [], isAnnounced: false };
const REASONS = [{ by: { kind: "symposium" as const }, facts: [{ kind: "crate" as const, name: "tokio" }] }];

suite("decisions about recommendations", () => {
  test("survive their storage (property)", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string(), { maxLength: 20 }), fc.boolean(), (keys, isAnnounced) => {
        const decisions = keys.reduce(
          (before, key) => withAccepted(withDismissed(before, key), { key, id: key, reasons: REASONS }),
          { ...NONE, isAnnounced },
        );
        deepEqual(readDecisions(JSON.parse(JSON.stringify(decisions))), decisions);
      }),
    );
  });

  test("are absent in malformed data", () => {
    fc.assert(fc.property(fc.jsonValue(), value => void [readDecisions(value), readAdded(value)]));
    deepEqual(
      readDecisions({
        dismissed: ["a", 1],
        accepted: [{ key: "a", id: "a", reasons: [{ by: { kind: "symposium" }, facts: [{ kind: "crate" }] }] }, 3],
        isAnnounced: "yes",
      }),
      { ...NONE, dismissed: ["a"] },
    );
  });

  test("are bounded, newest last", () => {
    const keys = Array.from({ length: 300 }, (_, i) => String(i));
    const { dismissed } = keys.reduce(withDismissed, NONE);
    deepEqual([dismissed.length, dismissed.at(-1)], [200, "299"]);
    deepEqual(withDismissed({ ...NONE, dismissed: ["a", "b"] }, "a").dismissed, ["b", "a"]);
    const record = (key: string) => ({ key, id: "x", distribution: "{}" });
    deepEqual(withAdded([record("a")], record("b")), [record("b")]);
  });

  test("omit extensions that are in the settings, enabled or not", () => {
    const { all } = readExtensions([
      { id: "helper", _enabled: false, distribution: { cargo: { crate: "Tokio_Helper" } } },
      { id: "rules", _source: "registry", distribution: { npx: { package: "rules" } } },
      { id: "sparkle", _source: "built-in" },
      { id: "remote", distribution: { npx: { package: "remote" } } },
    ]);
    const recommended: readonly Recommendation[] = [
      { key: "crate tokio-helper", source: { crate: "tokio-helper" }, reasons: REASONS },
      { key: "acp rules", source: { acp: "rules" }, reasons: REASONS },
      { key: "acp sparkle", source: { acp: "sparkle" }, reasons: REASONS },
      { key: "url https://a/", source: { url: "https://a/" }, reasons: REASONS },
      { key: "url https://b/", source: { url: "https://b/" }, reasons: REASONS },
    ];
    deepEqual(
      missingIn(recommended, all, [
        { key: "url https://a/", id: "remote", distribution: '{"npx":{"package":"remote"}}' },
        { key: "url https://b/", id: "remote", distribution: '{"npx":{"package":"removed"}}' },
      ]).map(({ key }) => key),
      ["acp sparkle", "url https://b/"],
    );
  });
});
