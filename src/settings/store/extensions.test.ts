import { deepEqual, equal, match, ok, throws } from "node:assert/strict";
import fc from "fast-check";
import type { ExtensionConfig } from "../../protocol/agents/extensions";
import { isObject } from "../../protocol/wire/json";
import { moved, readExtensions, withEnabled, withExtension, without, withSetting, type BuiltIns } from "./extensions";

const built = (id: string): ExtensionConfig => ({
  id,
  name: id.toUpperCase(),
  distribution: { symposium: { subcommand: id } },
  _source: "built-in",
});
const BY_DEFAULT = [built("spark"), built("iron")],
  OURS: BuiltIns = { all: [...BY_DEFAULT, built("gold")], byDefault: BY_DEFAULT },
  NONE: BuiltIns = { all: [], byDefault: [] };
const mine = { id: "mine", name: "Mine", distribution: { local: { command: "my-extension" } }, _source: "custom" };
const read = (value: unknown) => readExtensions(value, OURS);
const order = (value: unknown) =>
  read(value).all.map(({ config, isEnabled }) => `${config.id}${isEnabled ? "" : " off"}`);

suite("extensions in the settings", () => {
  test("defaults to the built-in ones that are enabled by default, in order", () => {
    for (const value of [undefined, null])
      deepEqual(read(value), { all: BY_DEFAULT.map(config => ({ config, isEnabled: true })), problems: [] });
    deepEqual(
      readExtensions(undefined).all.map(({ config, isEnabled }) => [config.id, isEnabled]),
      [
        ["sparkle", true],
        ["ferris", true],
        ["cargo", true],
      ],
    );
  });

  test("includes a built-in one that is off by default when added", () => {
    const set = withExtension(undefined, { id: "gold", _source: "built-in" }, OURS);
    deepEqual(order(set), ["spark", "iron", "gold"]);
    deepEqual(read(set).all[2]?.config, built("gold"));
    equal(without(set, "gold", OURS), undefined);
  });

  test("contains exactly the listed ones in order", () => {
    const { all, problems } = read([
      { ...mine, _enabled: false },
      { id: "iron", _source: "built-in", settings: { a: 1 } },
    ]);
    deepEqual(
      [all, problems],
      [
        [
          { config: mine, isEnabled: false },
          { config: { ...built("iron"), settings: { a: 1 } }, isEnabled: true },
        ],
        [],
      ],
    );
    deepEqual(order([]), []);
  });

  test("includes a built-in one without a source, and a custom one with its id", () => {
    deepEqual(read([{ id: "spark" }]).all[0]?.config, built("spark"));
    deepEqual(read([{ id: "spark", distribution: { npx: { package: "spark" } } }]).all[0]?.config, {
      id: "spark",
      name: "spark",
      _source: "custom",
      distribution: { npx: { package: "spark" } },
    });
  });

  test("may be MCP servers, and unknown kinds are dropped", () => {
    const [server, proxy, unsaid] = read([
      { ...mine, kind: "mcp" },
      { ...mine, id: "other", kind: "proxy" },
      { ...mine, id: "third", kind: null },
    ]).all;
    deepEqual(
      [server?.config, proxy?.config, unsaid?.config],
      [
        { ...mine, kind: "mcp" },
        { ...mine, id: "other" },
        { ...mine, id: "third" },
      ],
    );
    deepEqual(read([{ ...mine, kind: "widget" }]), {
      all: [],
      problems: ["The kind of “mine” in symposium.extensions is neither “proxy” nor “mcp”. The extension is ignored."],
    });
  });

  test("may be MCP servers at an address, but not proxies", () => {
    const http = { url: "https://example.com/mcp", headers: { Authorization: "Bearer x" } },
      at = (distribution: object, kind?: string) =>
        read([{ id: "docs", distribution, ...(kind === undefined ? {} : { kind }) }]);
    deepEqual(at({ http }, "mcp").all[0]?.config, {
      id: "docs",
      name: "docs",
      kind: "mcp",
      distribution: { http },
      _source: "custom",
    });
    deepEqual(at({ http: { url: http.url } }, "mcp").all[0]?.config.distribution, { http: { url: http.url } });
    for (const kind of [undefined, "proxy", "widget"])
      deepEqual(at({ http }, kind), {
        all: [],
        problems: [
          "“docs” in symposium.extensions has a URL, which only MCP servers support. Add “kind”: “mcp”. The extension is ignored.",
        ],
      });
    deepEqual(at({ http, npx: { package: "x" } }).all[0]?.config.distribution, { npx: { package: "x" } });
    for (const wrong of [
      {},
      { url: 7 },
      { url: " " },
      { url: http.url, headers: [] },
      { url: http.url, headers: { A: 1 } },
    ])
      match(
        at({ http: wrong }, "mcp").problems.join(),
        /^The distribution of “docs” .* An MCP server can also use “http” with a “url”\. The extension is ignored\.$/,
      );
  });

  test("reads the older name of the switch if the newer is absent", () =>
    deepEqual(
      order([
        { ...mine, enabled: false },
        { id: "spark", enabled: false, _enabled: true },
      ]),
      ["mine off", "spark"],
    ));

  test("have the settings of their document, except servers at a URL", () => {
    const settingsSchema = { words: { type: "texts", label: "Words", default: [] }, bad: { type: "color" } },
      schema = { words: settingsSchema.words },
      http = { url: "https://example.com/mcp" };
    deepEqual(
      read([
        { ...mine, settingsSchema },
        { ...mine, id: "none", settingsSchema: {} },
        { id: "docs", kind: "mcp", distribution: { http }, settingsSchema },
      ]).all.map(each => each.schema),
      [schema, undefined, undefined],
    );
    deepEqual(Object.keys(readExtensions(undefined).all[1]?.schema ?? {})[0], "tools");
  });

  test("report settings that are not an object", () => {
    const { all, problems } = read([{ ...mine, settings: [] }]);
    deepEqual(
      [all[0]?.config, problems],
      [mine, ["The “settings” of “mine” in symposium.extensions are not an object and are ignored."]],
    );
  });

  test("keeps the registry's data", () => {
    const entry = { ...mine, _source: "registry", version: "1.2.3", description: "d", repository: "r" };
    deepEqual(read([entry]).all[0]?.config, {
      id: "mine",
      name: "Mine",
      distribution: mine.distribution,
      _source: "registry",
      version: "1.2.3",
      description: "d",
    });
  });

  test("ignores a built-in one of another version without a problem", () =>
    deepEqual(read([{ id: "later", _source: "built-in", _enabled: true }]), { all: [], problems: [] }));

  test("drops invalid entries with a sentence each", () => {
    const { all, problems } = read([
      1,
      null,
      {},
      { id: "" },
      { id: "bare" },
      { id: "docker", distribution: { docker: {} } },
      mine,
      { ...mine, name: "Twice" },
      { id: "iron", _enabled: "yes" },
    ]);
    deepEqual([all.map(({ config }) => config.name), problems.length], [["Mine", "IRON"], 8]);
    ok(problems.every(problem => /symposium\.extensions.*\.$/.test(problem)));
    deepEqual(all[1]?.isEnabled, false);
    deepEqual(
      [read("x").problems, order("x")],
      [["symposium.extensions is not a list of extensions and is ignored."], ["spark", "iron"]],
    );
  });

  test("is written when one is disabled, and removed when it is enabled again", () => {
    const off = withEnabled(undefined, "iron", false, OURS);
    deepEqual(off, [
      { id: "spark", _enabled: true, _source: "built-in" },
      { id: "iron", _enabled: false, _source: "built-in" },
    ]);
    equal(withEnabled(off, "iron", true, OURS), undefined);
    deepEqual(withEnabled([{ id: "spark", enabled: true, more: 1 }], "spark", false, OURS), [
      { id: "spark", more: 1, _enabled: false },
    ]);
  });

  test("is written in another order, with settings of built-in ones", () => {
    const swapped = moved(undefined, "iron", 0, OURS);
    deepEqual(order(swapped), ["iron", "spark"]);
    equal(moved(swapped, "iron", 99, OURS), undefined);
    const set = [{ id: "spark", settings: { a: 1 } }, { id: "iron" }];
    deepEqual(moved(set, "iron", 1, OURS), set);
  });

  test("becomes absent when empty without built-in ones", () => {
    equal(without([mine], "mine", NONE), undefined);
    deepEqual(without([{ id: "spark" }], "spark", OURS), []);
  });

  test("appends an added one enabled, or replaces its older entry with its state", () => {
    deepEqual(withExtension(undefined, mine, NONE), [{ _enabled: true, ...mine }]);
    deepEqual(
      order(withExtension([{ ...mine, enabled: false }, { id: "spark" }], { ...mine, version: "2.0.0" }, OURS)),
      ["mine off", "spark"],
    );
    deepEqual(withExtension([{ id: "mine" }, 1], mine), [{ _enabled: true, ...mine }, 1]);
    equal(withExtension([{ id: "spark" }], { id: "iron", _source: "built-in" }, OURS), undefined);
  });

  test("keeps the user's later decisions when an older entry is added", () => {
    const late = { ...mine, version: "2.0.0", _enabled: true, enabled: true, _note: "old", settings: { a: 1 } };
    deepEqual(withExtension([{ ...mine, enabled: false, _note: "new", settings: { a: 2 } }], late), [
      { ...mine, version: "2.0.0", _enabled: false, _note: "new", settings: { a: 2 } },
    ]);
    deepEqual(withExtension([{ ...mine, _source: "registry", version: "1.0.0" }], late), [
      { ...mine, version: "2.0.0", _enabled: true },
    ]);
  });

  test("is not overwritten if it is not a list", () => {
    for (const value of ["x", 7, { mine }]) {
      for (const change of [
        () => withExtension(value, mine),
        () => withEnabled(value, "spark", false, OURS),
        () => moved(value, "iron", 0, OURS),
        () => without(value, "iron", OURS),
      ])
        throws(change, /not a list/);
    }
  });

  test("returns the same value without a change", () => {
    for (const value of [undefined, null, "x", { mine }, [mine, 1, mine, { id: "spark", enabled: false }]]) {
      for (const after of [
        withEnabled(value, "gone", true),
        moved(value, "gone", 0),
        without(value, "gone"),
        withEnabled(value, "mine", true),
        moved(value, "mine", 0),
      ])
        equal(after, value);
    }
  });
});

suite("extensions in any settings", () => {
  const id = fc.constantFrom("spark", "iron", "mine", "yours", "later");
  const entry = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record(
        {
          id,
          _enabled: fc.oneof(fc.boolean(), fc.constant("no")),
          enabled: fc.boolean(),
          _source: fc.constantFrom("built-in", "registry", "custom"),
          distribution: fc.constantFrom({ local: { command: "x" } }, { docker: {} }),
          settings: fc.dictionary(fc.string(), fc.integer(), { maxKeys: 2 }),
          more: fc.integer(),
        },
        { requiredKeys: ["id"] },
      ),
    },
    { weight: 1, arbitrary: fc.jsonValue() },
  );
  const value = fc.oneof(
    { weight: 8, arbitrary: fc.array(entry, { maxLength: 7 }) },
    { weight: 1, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: fc.constant(null) },
  );
  const all = (given: unknown): readonly unknown[] =>
    Array.isArray(given)
      ? given
      : OURS.byDefault.map(({ id: of }) => ({ id: of, _enabled: true, _source: "built-in" }));
  const multiset = (entries: readonly unknown[]) => entries.map(canonical).sort();
  const canonical = (each: unknown) =>
    JSON.stringify(each, (_, inner: unknown) =>
      isObject(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner,
    );
  /** Adds the defaults to entries of built-in extensions, which may omit them. */
  const unified = (given: unknown) =>
    multiset(
      all(given).map(each =>
        isObject(each) &&
        OURS.all.some(({ id }) => id === each["id"]) &&
        Object.keys(each).every(key => ["id", "_enabled", "_source"].includes(key))
          ? { id: each["id"], _enabled: each["_enabled"] ?? true, _source: each["_source"] ?? "built-in" }
          : each,
      ),
    );
  const runs = <T>(property: fc.IProperty<T>) => fc.assert(property, { numRuns: 400 });

  test("has unique ids and round-trips (property)", () =>
    runs(
      fc.property(value, given => {
        const { all: there } = read(given);
        equal(new Set(there.map(({ config }) => config.id)).size, there.length);
        deepEqual(read(there.map(({ config, isEnabled }) => ({ ...config, _enabled: isEnabled }))), {
          all: there,
          problems: [],
        });
      }),
    ));

  test("is permuted by a move, which keeps invalid entries (property)", () =>
    runs(
      fc.property(value, id, fc.nat(9), (given, item, to) => {
        const before = read(given).all,
          after = moved(given, item, to, OURS),
          ids = before.map(({ config }) => config.id);
        deepEqual(unified(after), unified(given));
        const expected = ids.includes(item) ? ids.filter(second => second !== item).toSpliced(to, 0, item) : ids;
        deepEqual(
          read(after).all.map(({ config }) => config.id),
          expected,
        );
        deepEqual(
          read(after).all.toSorted((a, b) => (a.config.id < b.config.id ? -1 : 1)),
          before.toSorted((a, b) => (a.config.id < b.config.id ? -1 : 1)),
        );
        const isTwice = read(given).problems.some(problem => problem.includes("twice")); // duplicates move to the end
        const unread = (value: unknown) =>
          all(value).flatMap((each, i) => (isObject(each) ? [] : [[isTwice ? 0 : i, each]]));
        deepEqual(unread(after), unread(given));
      }),
    ));

  test("changes only the switched one (property)", () =>
    runs(
      fc.property(value, id, fc.nat(1), (given, item, on) => {
        const after = withEnabled(given, item, on === 1, OURS);
        deepEqual(
          read(after).all,
          read(given).all.map(({ config, isEnabled }) => ({
            config,
            isEnabled: config.id === item ? on === 1 : isEnabled,
          })),
        );
        const plain = (value: unknown) =>
          multiset(
            all(value)
              .map(each =>
                isObject(each) && each["id"] === item
                  ? { ...each, _enabled: 0, enabled: 0, _source: each["_source"] ?? "" }
                  : each,
              )
              .filter(each => !isObject(each) || !OURS.all.some(({ id: ours }) => ours === each["id"])),
          );
        deepEqual(plain(after), plain(given));
      }),
    ));

  test("excludes a removed extension and includes an added one, enabled, in place or last (property)", () =>
    runs(
      fc.property(value, fc.constantFrom("mine", "yours", "new"), (given, item) => {
        const before = read(given).all,
          removed = without(given, item, OURS),
          gone = read(removed).all;
        deepEqual(
          gone.filter(({ config }) => config.id !== item),
          before.filter(({ config }) => config.id !== item),
        );
        ok(!gone.some(({ config }) => config.id === item));
        const added = read(withExtension(given, { ...mine, id: item }, OURS)).all,
          at = before.findIndex(({ config }) => config.id === item);
        deepEqual(
          added.filter(({ config }) => config.id !== item),
          before.filter(({ config }) => config.id !== item),
        );
        const there = added.find(({ config }) => config.id === item);
        deepEqual([there?.config.name, there?.isEnabled], ["Mine", at === -1 ? true : before[at]?.isEnabled]);
        if (at !== -1)
          equal(
            added.findIndex(({ config }) => config.id === item),
            at,
          );
      }),
    ));
});

suite("settings of one extension", () => {
  test("are written into the entry and removed with their default", () => {
    const set = withSetting(undefined, "cargo", "maxWarnings", 7);
    deepEqual(set, [
      { id: "sparkle", _enabled: true, _source: "built-in" },
      { id: "ferris", _enabled: true, _source: "built-in" },
      { id: "cargo", _enabled: true, _source: "built-in", settings: { maxWarnings: 7 } },
    ]);
    for (const value of [undefined, 5]) equal(withSetting(set, "cargo", "maxWarnings", value), undefined);
  });

  test("keep all other entries, members and settings", () => {
    const value = [
        7,
        { id: "cargo", later: 1, settings: { environment: { A: "1" }, maxWarnings: "x" } },
        { id: "odd" },
      ],
      settings = (given: number | undefined) => withSetting(value, "cargo", "maxWarnings", given);
    deepEqual(settings(0), [
      7,
      { id: "cargo", later: 1, settings: { environment: { A: "1" }, maxWarnings: 0 } },
      { id: "odd" },
    ]);
    deepEqual(settings(undefined), [
      7,
      { id: "cargo", later: 1, settings: { environment: { A: "1" } } },
      { id: "odd" },
    ]);
  });

  test("do not change without a difference, or for an unknown extension or setting", () => {
    const value = [{ id: "cargo", settings: { maxWarnings: 0 } }];
    for (const [id, name, given] of [
      ["cargo", "maxWarnings", 0],
      ["cargo", "timeoutMinutes", 10],
      ["cargo", "environment", "x"],
      ["cargo", "toString", "x"],
      ["gone", "maxWarnings", 1],
    ] as const)
      equal(withSetting(value, id, name, given), value);
    throws(() => withSetting({}, "cargo", "maxWarnings", 1), /is not a list of extensions/);
  });
});
