import { deepEqual, equal, ok } from "node:assert/strict";
import path from "node:path";
import fc from "fast-check";
import { codeColorsOf, customRules } from "./code-tokens";
import { themeCandidates, themeRules } from "./theme-document";
import { rulesOf, styleOf, type TokenRule } from "./token-rules";

/** Rules of `selector → color or font style`. */
const rules = (...all: readonly (readonly [scope: unknown, value: string])[]): readonly TokenRule[] =>
  rulesOf(
    all.map(([scope, value]) => ({
      scope,
      settings: value.startsWith("#") ? { foreground: value } : { fontStyle: value },
    })),
  );
const color = (all: readonly TokenRule[], ...scopes: readonly string[]): string | undefined =>
  styleOf(all, scopes).color;

suite("rules of a color theme", () => {
  test("apply to a scope and the scopes within it", () => {
    const all = rules(["string", "#111"], ["string.quoted", "#222"], ["strin", "#333"]);
    deepEqual(
      ["string", "string.quoted.double", "string.regexp", "stringy", "comment"].map(scope =>
        color(all, "source", scope),
      ),
      ["#111", "#222", "#111", undefined, undefined],
    );
  });

  test("inherit the color of the parents", () => {
    const all = rules(["markup.bold", "#111"], ["source", "#222"]);
    deepEqual(
      [color(all, "source", "x"), color(all, "markup.bold", "x", "y"), color(all, "x")],
      ["#222", "#111", undefined],
    );
  });

  test("prefer more segments, then longer parents, then more parents, then the later rule", () => {
    equal(
      color(
        rules(["keyword.control", "#111"], ["meta.very.long keyword", "#222"]),
        "meta.very.long",
        "keyword.control",
      ),
      "#111",
    );
    equal(color(rules(["source.js string", "#111"], ["source string", "#222"]), "source.js", "string"), "#111");
    equal(color(rules(["a b c", "#111"], ["b c", "#222"]), "a", "b", "c"), "#111");
    equal(color(rules(["a", "#111"], ["a", "#222"]), "a"), "#222");
  });

  test("match parents in their order, directly after `>`, and never the exceptions", () => {
    const stack = ["source", "meta.tag", "meta.block", "name"];
    deepEqual(
      [
        color(rules(["source name", "#111"]), ...stack),
        color(rules(["meta.block meta.tag name", "#111"]), ...stack),
        color(rules(["meta.block > name", "#111"]), ...stack),
        color(rules(["meta.tag > name", "#111"]), ...stack),
        color(rules(["name - meta.tag", "#111"]), ...stack),
        color(rules(["name - comment", "#111"]), ...stack),
      ],
      ["#111", undefined, "#111", undefined, undefined, "#111"],
    );
  });

  test("decide color and font style separately", () => {
    const all = rules(
      ["comment", "#111"],
      ["comment", "italic underline"],
      ["comment.line", "bold"],
      ["comment.block", ""],
    );
    deepEqual(
      ["comment", "comment.line", "comment.block"].map(scope => styleOf(all, [scope])),
      [{ color: "#111", isItalic: true, isUnderlined: true }, { color: "#111", isBold: true }, { color: "#111" }],
    );
  });

  test("read lists and commas, and skip invalid rules and colors", () => {
    const all = rulesOf([
      { scope: "a, b", settings: { foreground: "#abc" } },
      { scope: ["c", "d e"], settings: { foreground: "#aabbccdd" } },
      { scope: "f", settings: { foreground: "red; background: url(x)" } },
      { settings: { foreground: "#fff" } },
      { scope: 3, settings: { foreground: "#fff" } },
      null,
      "x",
    ]);
    deepEqual(
      [color(all, "a"), color(all, "b"), color(all, "c"), color(all, "d", "e"), color(all, "f")],
      ["#abc", "#abc", "#aabbccdd", "#aabbccdd", undefined],
    );
    for (const invalid of [undefined, null, 3, "x", {}]) deepEqual(rulesOf(invalid), []);
  });

  const scope = fc.array(fc.constantFrom("a", "b", "c"), { minLength: 1, maxLength: 3 }).map(parts => parts.join("."));
  const stack = fc.array(scope, { minLength: 1, maxLength: 4 });

  test("give a color exactly if a rule matches, and keep it for a more general later rule (property)", () =>
    fc.assert(
      fc.property(fc.array(stack, { maxLength: 6 }), stack, (selectors, scopes) => {
        const all = rules(...selectors.map((each, i) => [each.join(" "), `#00${i}`] as const)),
          before = color(all, ...scopes);
        equal(
          before !== undefined,
          all.some(rule => styleOf([rule], scopes).color !== undefined),
        );
        const exact = rules([scopes.join(" "), "#fff"]);
        equal(color([...all, ...exact], ...scopes), "#fff");
        equal(
          color([...exact, ...rules([scopes.at(-1)?.split(".")[0] ?? "", "#eee"]), ...all], ...scopes) !== undefined,
          true,
        );
      }),
    ));
});

suite("code colors", () => {
  test("are those of the theme, with the user's customizations for it", () => {
    const theme = rules(
      ["comment", "#010"],
      ["keyword.control", "#020"],
      ["entity.name.type", "#030"],
      ["support", "#040"],
    );
    const custom = customRules(
      {
        comments: "#c00",
        keywords: { foreground: "#c01", fontStyle: "bold" },
        textMateRules: [{ scope: "storage", settings: { foreground: "#c02" } }],
        "[Other]": { strings: "#fff" },
        "[My*]": { numbers: "#c03" },
        "[One][My Theme]": { textMateRules: [{ scope: "storage", settings: { foreground: "#c04" } }] },
      },
      "My Theme",
    );
    const { comment, keyword, storage, class: classes, builtIn, number, string } = codeColorsOf([...theme, ...custom]);
    deepEqual(
      [comment, keyword, storage, classes, builtIn, number, string],
      [
        { color: "#c00" },
        { color: "#c01", isBold: true },
        { color: "#c01", isBold: true },
        { color: "#030" },
        { color: "#040" },
        { color: "#c03" },
        undefined,
      ],
    );
    deepEqual(codeColorsOf([]), {});
    for (const invalid of [undefined, 3, [], { comments: 3, "[*": "x", textMateRules: {} }])
      ok(customRules(invalid, "x").every(rule => rule.color === undefined));
  });

  test("come from the theme's file, with comments, after those of the included files", async () => {
    const files: Readonly<Record<string, string>> = {
      "/t/a.json": `{ // one\n "include": "./b.json", "tokenColors": [{ "scope": "a", "settings": { "foreground": "#111" } },], }`,
      "/t/b.json": `{ "include": "../t/c.json", "tokenColors": "./list.json" }`,
      "/t/c.json": `{ "settings": [{ "scope": "c", "settings": { "foreground": "#333" } }] }`,
      "/t/list.json": `{ "tokenColors": [{ "scope": "b", "settings": { "foreground": "#222" } }] }`,
      "/t/loop.json": `{ "include": "./loop.json" }`,
      "/t/plist.json": `{ "tokenColors": "./x.tmTheme" }`,
    };
    const read = async (file: string): Promise<string> => {
      const text = files[file.replaceAll(path.sep, "/")];
      if (text === undefined) throw new Error(`no ${file}`);
      return text;
    };
    deepEqual(
      (await themeRules("/t/a.json", read))?.map(({ scopes, color }) => [scopes.join(" "), color]),
      [
        ["c", "#333"],
        ["b", "#222"],
        ["a", "#111"],
      ],
    );
    for (const file of ["/t/loop.json", "/t/plist.json", "/t/x.tmTheme"])
      equal(await themeRules(file, read), undefined);
  });

  test("are those of the preferred theme while VS Code follows the system", () => {
    const settings = { colorTheme: "C", preferredDark: "D", preferredLight: "L", followsSystem: false };
    deepEqual(themeCandidates(settings, "dark"), ["C", "D"]);
    deepEqual(themeCandidates({ ...settings, followsSystem: true }, "light"), ["L", "C"]);
  });
});
