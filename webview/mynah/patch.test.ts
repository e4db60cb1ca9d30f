import { deepEqual, equal, ok, throws } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import vm from "node:vm";

interface Patch {
  readonly why: string;
  readonly find: string;
  readonly put: string;
}
interface Patched {
  (source: string): string;
  readonly patched: (source: string, patches?: readonly Patch[]) => string;
  readonly PATCHES: readonly Patch[];
}

const require = createRequire(path.resolve("webview/mynah/patch.js"));
const loader: Patched = require("./patch.js");
const mynah = readFileSync(require.resolve("@aws/mynah-ui/dist/main.js"), "utf8");

suite("mynah-ui patch", () => {
  test("matches the installed version once and produces valid code", () => {
    const patched = loader(mynah);
    for (const { put } of loader.PATCHES) ok(patched.includes(put), put.slice(0, 80));
    // Parses the code without running it.
    ok(new vm.Script(patched));
  });

  test("targets the installed version", () => {
    equal(require("@aws/mynah-ui/package.json").version, "4.39.0");
    const { dependencies, devDependencies } = JSON.parse(readFileSync("package.json", "utf8"));
    equal({ ...dependencies, ...devDependencies }["@aws/mynah-ui"], "4.39.0");
  });

  test("fails the build unless it matches exactly once", () => {
    const patch = { why: "", find: "a", put: "b" };
    equal(loader.patched("xay", [patch]), "xby");
    throws(() => loader.patched("xy", [patch]), /0 times instead of once: a/);
    throws(() => loader.patched("aa", [patch]), /2 times instead of once: a/);
    equal(loader.patched("a", [{ ...patch, put: "$&" }]), "$&");
  });

  suite("a link", () => {
    const { put = "" } = loader.PATCHES.find(({ why }) => why.startsWith("Links accept any URL")) ?? {};
    const link = (href: string, overrides: object = {}): string =>
      String(vm.runInNewContext(`(e=>{${put}})(${JSON.stringify({ raw: "[a](b)", href, text: "a", ...overrides })})`));

    test("opens web, mail, file and page addresses", () => {
      for (const href of [
        "https://a.b/?x=1&y=2",
        "http://a.b",
        "mailto:a@b.c",
        "file:///a/b",
        "../a",
        "#a",
        "a/b:c",
        "?a:b",
        "HTTPS://a",
      ]) {
        equal(link(href), `<a href="${href}" target="_blank" title="${href.replace("file://", "")}">a</a>`);
      }
    });

    test("is text for other schemes", () => {
      const kinds = [
        "javascript:x",
        "vbscript:x",
        "command:x",
        "vscode:x",
        "data:x",
        "JavaScript:x",
        " javascript:x",
        "java\tscript:x",
        "\u0001javascript:x",
        "&#106;avascript:x",
        "java&Tab;script:x",
        "javascript&colon;x",
        "blob:x",
        "x\\y:z",
        ":x",
      ];
      for (const href of kinds) ok(!link(href).includes("<a"), href);
    });

    test("cannot end an attribute", () => {
      for (const overrides of [
        { text: `hi" onmouseover="x` },
        { title: `x" onclick='y'` },
        { href: `https://a.b/"onclick="x` },
        { href: `https://a.b/'><b` },
      ]) {
        const html = link("https://a.b", overrides),
          [, tag = ""] = /^<a ([^>]*)>/.exec(html) ?? [];
        equal(tag.replace(/ ?(?:href|target|title)="[^"<>']*"/g, ""), "", html);
      }
    });
  });

  test("sets HTML only through the allow-list", () => {
    const patched = loader(mynah),
      sets = /([\w.]{1,30})\.(?:innerHTML|outerHTML) ?=(?!=) ?(.{2})/g;
    const set = [...patched.matchAll(sets)].map(([, target = "", value = ""]) => `${target} ${value}`);
    // The inert template, cleared elements, and a text field that decodes entities.
    deepEqual(set, ["parsed ht", `this.promptTextInput ""`, `this.pillsContainer ""`, "n e,"]);
    ok(!/createContextualFragment|setHTMLUnsafe|document\.write\(/.test(patched));
  });

  test("keeps single tildes", () => {
    const { put = "" } = loader.PATCHES.find(({ find }) => find.startsWith("del:")) ?? {};
    ok(put.startsWith("del:/^(~~)(?="));
  });

  test("states its reason", () => {
    for (const { why, find } of loader.PATCHES) ok(why.length > 5, find);
  });
});
