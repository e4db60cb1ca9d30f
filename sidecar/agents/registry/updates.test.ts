import { deepEqual, ok } from "node:assert/strict";
import fc from "fast-check";
import { isObject } from "../../rpc/json";
import { readRegistry, type RegistryEntry } from "./document";
import { imported, packageUpdatesFor, updated, updatesFor } from "./updates";
import { propertyRuns } from "../../../src/protocol/testing/property-runs";

const RUNS = propertyRuns(300);
const good = {
  id: "good",
  name: "Good",
  version: "1.2.3",
  description: "Does good",
  distribution: { npx: { package: "good@1.2.3" } },
};
const entryOf = (entry: object): RegistryEntry => {
  const registry = readRegistry({ agents: [entry] });
  if ("wrong" in registry) throw new Error(registry.wrong);
  return registry.agents[0]!;
};

suite("registry update", () => {
  const entries = [entryOf({ ...good, version: "1.3.0" })];

  test("exists for registry entries with a newer version", () => {
    const configured = { id: "good", version: "1.2.3", _source: "registry" as const };
    deepEqual(updatesFor([configured], entries), [{ id: "good", from: "1.2.3", to: "1.3.0", entry: entries[0] }]);
    deepEqual(updatesFor([{ id: "good", _source: "registry" }], entries), [
      { id: "good", to: "1.3.0", entry: entries[0] },
    ]);
    deepEqual(
      updatesFor(
        [
          { ...configured, version: "1.3.0" },
          { ...configured, version: "2.0.0" },
          { ...configured, version: "mine" },
        ],
        entries,
      ),
      [],
    );
  });

  test("excludes custom entries and entries no longer in the registry", () => {
    deepEqual(
      updatesFor(
        [
          { id: "good", version: "1.0.0" },
          { id: "good", version: "1.0.0", _source: "custom" },
          { id: "gone", version: "1.0.0", _source: "registry" },
        ],
        entries,
      ),
      [],
    );
    deepEqual(updatesFor([{ id: "good", version: "1.0.0", _source: "registry" }], []), []);
  });

  test("keeps the user's environment variables in each distribution", () => {
    const mine = {
      npx: { package: "@s/good@1.2.3", args: ["--old"], env: { KEY: "mine", MODE: "mine" } },
      uvx: { package: "good==1", env: { OTHER: "1" } },
      binary: { "linux-x86_64": { archive: "https://example.com/1.zip", cmd: "a", env: { KEY: "mine" } } },
    };
    const usersDistribution = {
      npx: { package: "@s/good@1.3.0", args: ["--new"], env: { MODE: "theirs", NEW: "1" } },
      binary: {
        "linux-x86_64": { archive: "https://example.com/2.zip", cmd: "b" },
        "darwin-x86_64": { archive: "https://example.com/3.zip", cmd: "b" },
      },
    };
    const { distribution } = updated(
      { ...good, distribution: mine },
      { ...entries[0]!, raw: { ...good, distribution: usersDistribution } },
    );
    deepEqual(distribution, {
      npx: { package: "@s/good@1.3.0", args: ["--new"], env: { KEY: "mine", MODE: "mine", NEW: "1" } },
      binary: {
        "linux-x86_64": { archive: "https://example.com/2.zip", cmd: "b", env: { KEY: "mine" } },
        "darwin-x86_64": { archive: "https://example.com/3.zip", cmd: "b" },
      },
    });
  });

  test("keeps the user's headers only if the server's origin is unchanged", () => {
    const mine = {
      http: { url: "https://example.com/v1", headers: { Authorization: "Bearer mine", Mode: "mine" } },
      npx: { package: "a@1", env: { KEY: "mine" } },
    };
    const after = (url: string) =>
        updated(
          { ...good, distribution: mine },
          {
            ...entries[0]!,
            raw: { ...good, distribution: { http: { url, headers: { Mode: "theirs" } }, npx: { package: "a@2" } } },
          },
        )["distribution"],
      npx = { package: "a@2", env: { KEY: "mine" } };
    deepEqual(after("https://example.com/v2"), {
      http: { url: "https://example.com/v2", headers: { Authorization: "Bearer mine", Mode: "mine" } },
      npx,
    });
    for (const url of ["https://example.org/v1", "http://example.com/v1", "https://example.com:8443/v1"])
      deepEqual(after(url), { http: { url, headers: { Mode: "theirs" } }, npx });
  });

  test("keeps the user's settings and drops removed members", () => {
    const old = { ...good, more: 1, bypassPermissions: true, _enabled: false, settings: { a: 1 }, _source: "registry" };
    deepEqual(updated(old, entries[0]!), {
      ...good,
      version: "1.3.0",
      bypassPermissions: true,
      _enabled: false,
      settings: { a: 1 },
      _source: "registry",
    });
  });
});

suite("update of a built-in agent", () => {
  const installed = { id: "codex", name: "Codex", package: "p", version: "1.9.0" },
    to = (version: string | undefined) =>
      packageUpdatesFor([installed], new Map(version === undefined ? [] : [["p", version]])).map(update => update.to);

  test("exists if the registry has a newer version of its package", () =>
    deepEqual(packageUpdatesFor([installed], new Map([["p", "1.10.0"]])), [
      { of: "agent", id: "codex", name: "Codex", from: "1.9.0", to: "1.10.0", package: "p" },
    ]));

  test("never installs an older version, or over a version that is no version", () => {
    deepEqual([to("1.9.0"), to("1.8.9"), to(undefined)], [[], [], []]);
    deepEqual(packageUpdatesFor([{ ...installed, version: "mine" }], new Map([["p", "2.0.0"]])), []);
    deepEqual(packageUpdatesFor([{ ...installed, version: "2.0.0-beta.1" }], new Map([["p", "2.0.0"]])).length, 1);
  });
});

suite("registry import", () => {
  test("contains the whole entry and its source", () => {
    const entry = {
      ...good,
      license_url: "https://example.com",
      preview: { a: [1] },
      distribution: { ...good.distribution, docker: { image: "x" } },
    };
    deepEqual(imported(entryOf(entry)), { ...entry, _source: "registry" });
  });

  test("drops the user's settings and unsafe addresses", () =>
    deepEqual(
      imported(
        entryOf({
          ...good,
          bypassPermissions: true,
          enabled: true,
          _enabled: true,
          _source: "custom",
          settings: {},
          icon: "http://example.com/a.svg",
          website: "javascript:alert(1)",
          repository: "https://example.com",
        }),
      ),
      { ...good, repository: "https://example.com", _source: "registry" },
    ));

  test("round-trips entries with unknown members", () =>
    fc.assert(
      fc.property(
        fc.dictionary(fc.string({ minLength: 1, maxLength: 6 }), fc.jsonValue({ maxDepth: 3 })),
        overrides => {
          const unknown = Object.fromEntries(
            Object.entries(overrides).filter(
              ([field]) =>
                !field.startsWith("_") &&
                !["id", "type", "bypassPermissions", "enabled", "settings", "icon", "website", "repository"].includes(
                  field,
                ),
            ),
          );
          const entry = entryOf(JSON.parse(JSON.stringify({ ...unknown, ...good }))),
            setting: unknown = JSON.parse(JSON.stringify(imported(entry)));
          deepEqual(setting, JSON.parse(JSON.stringify({ ...unknown, ...good, _source: "registry" })));
          ok(isObject(setting));
          deepEqual({ ...entryOf(setting), raw: undefined }, { ...entry, raw: undefined });
        },
      ),
      { numRuns: RUNS },
    ));
});
