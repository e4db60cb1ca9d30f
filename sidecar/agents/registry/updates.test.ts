import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { isObject } from "../../rpc/json";
import { readRegistry, type RegistryEntry } from "./document";
import { imported, isNewer, updated, updatesFor } from "./updates";

const RUNS = Math.ceil(Number(process.env["SYMPOSIUM_RUNS"] ?? 10_000) * 0.03);
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

suite("newer versions", () => {
  // The order of semver.org, section 11, extended by other forms that registries use.
  const ORDER = [
    "0.9.0",
    "1.0.0-alpha",
    "1.0.0-alpha.1",
    "1.0.0-alpha.beta",
    "1.0.0-beta",
    "1.0.0-beta.2",
    "1.0.0-beta.11",
    "1.0.0-rc.1",
    "1.0.0",
    "1.0.1",
    "1.2.0",
    "1.10.0",
    "1.10.0.1",
    "2.0.0",
    "10.0.0",
    "2026.1.2",
    "20260102.0.0",
    "99999999999999999999.0.0",
    "100000000000000000000.0.0",
  ];

  test("are those that come later", () => {
    for (const [i, a] of ORDER.entries())
      for (const [k, b] of ORDER.entries()) equal(isNewer(a, b), i > k, `${a} > ${b}`);
  });

  test("differ in what counts", () => {
    for (const [a, b] of [
      ["1.0.0+b", "1.0.0+a"],
      ["1.0", "1.0.0"],
      ["v1.0.0", "1.0.0"],
      ["01.0.0", "1.0.0"],
    ] as const)
      ok(!isNewer(a, b) && !isNewer(b, a), `${a} ${b}`);
  });

  test("that cannot be read are never newer, and nothing is newer than they are", () => {
    for (const other of ["", "latest", "x.1", "1..2", "1.0.0-", "one"])
      ok(!isNewer(other, "1.0.0") && !isNewer("1.0.0", other), other);
  });

  test("are in one order", () => {
    const version = fc
      .tuple(
        fc.array(fc.nat(12), { minLength: 1, maxLength: 4 }),
        fc.array(fc.oneof(fc.nat(12).map(String), fc.constantFrom("a", "rc", "1a")), { maxLength: 3 }),
      )
      .map(([release, labels]) => [release.join("."), ...(labels.length > 0 ? [labels.join(".")] : [])].join("-"));
    fc.assert(
      fc.property(version, version, version, (a, b, c) => {
        ok(!isNewer(a, a) && !(isNewer(a, b) && isNewer(b, a)));
        if (isNewer(a, b) && isNewer(b, c)) ok(isNewer(a, c));
      }),
      { numRuns: RUNS },
    );
  });
});

suite("updates", () => {
  const entries = [entryOf({ ...good, version: "1.3.0" })];

  test("are for what came from the registry and is older there", () => {
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

  test("leave alone what the user wrote, and what the registry has no more", () => {
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

  test("keep the variables that the user wrote into one, of whichever kind", () => {
    const mine = {
      npx: { package: "@s/good@1.2.3", args: ["--old"], env: { KEY: "mine", MODE: "mine" } },
      uvx: { package: "good==1", env: { OTHER: "1" } },
      binary: { "linux-x86_64": { archive: "https://example.com/1.zip", cmd: "a", env: { KEY: "mine" } } },
    };
    const theirs = {
      npx: { package: "@s/good@1.3.0", args: ["--new"], env: { MODE: "theirs", NEW: "1" } },
      binary: {
        "linux-x86_64": { archive: "https://example.com/2.zip", cmd: "b" },
        "darwin-x86_64": { archive: "https://example.com/3.zip", cmd: "b" },
      },
    };
    const { distribution } = updated(
      { ...good, distribution: mine },
      { ...entries[0]!, raw: { ...good, distribution: theirs } },
    );
    deepEqual(distribution, {
      npx: { package: "@s/good@1.3.0", args: ["--new"], env: { KEY: "mine", MODE: "mine", NEW: "1" } },
      binary: {
        "linux-x86_64": { archive: "https://example.com/2.zip", cmd: "b", env: { KEY: "mine" } },
        "darwin-x86_64": { archive: "https://example.com/3.zip", cmd: "b" },
      },
    });
  });

  test("keep the headers that the user wrote for a server, as long as it is where it was", () => {
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

  test("keep what the user decided, and drop what the registry has no more", () => {
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

suite("an import", () => {
  test("is the whole entry, and says where it is from", () => {
    const entry = {
      ...good,
      license_url: "https://example.com",
      preview: { a: [1] },
      distribution: { ...good.distribution, docker: { image: "x" } },
    };
    deepEqual(imported(entryOf(entry)), { ...entry, _source: "registry" });
  });

  test("decides nothing for the user, and takes no unsafe address along", () =>
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

  test("can be read again as the same entry, with every field that nobody here knows", () =>
    fc.assert(
      fc.property(fc.dictionary(fc.string({ minLength: 1, maxLength: 6 }), fc.jsonValue({ maxDepth: 3 })), more => {
        const unknown = Object.fromEntries(
          Object.entries(more).filter(
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
      }),
      { numRuns: RUNS },
    ));
});
