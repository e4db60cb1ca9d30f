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

suite("the changes of mynah-ui", () => {
  test("each fits the version that is installed, once, and what comes out is a program", () => {
    const patched = loader(mynah);
    for (const { put } of loader.PATCHES) ok(patched.includes(put), put.slice(0, 80));
    // Parsed, not run.
    ok(new vm.Script(patched));
  });

  test("it is the version that the changes were made for", () => {
    equal(require("@aws/mynah-ui/package.json").version, "4.39.0");
    const { dependencies, devDependencies } = JSON.parse(readFileSync("package.json", "utf8"));
    equal({ ...dependencies, ...devDependencies }["@aws/mynah-ui"], "4.39.0");
  });

  test("one that does not fit, or fits twice, fails the build", () => {
    const patch = { why: "", find: "a", put: "b" };
    equal(loader.patched("xay", [patch]), "xby");
    throws(() => loader.patched("xy", [patch]), /0 times instead of once: a/);
    throws(() => loader.patched("aa", [patch]), /2 times instead of once: a/);
    equal(loader.patched("a", [{ ...patch, put: "$&" }]), "$&");
  });

  suite("a link", () => {
    const { put = "" } = loader.PATCHES.find(({ why }) => why.startsWith("A link may lead anywhere")) ?? {};
    const link = (href: string, more: object = {}): string =>
      String(vm.runInNewContext(`(e=>{${put}})(${JSON.stringify({ raw: "[a](b)", href, text: "a", ...more })})`));

    test("leads to web and mail addresses, to files and within the page", () => {
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
        equal(link(href), `<a href="${href}" target="_blank" title="a">a</a>`);
      }
    });

    test("of any other kind is text", () => {
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

    test("ends no attribute, by its address, its title or its text", () => {
      for (const more of [
        { text: `hi" onmouseover="x` },
        { title: `x" onclick='y'` },
        { href: `https://a.b/"onclick="x` },
        { href: `https://a.b/'><b` },
      ]) {
        const html = link("https://a.b", more),
          [, tag = ""] = /^<a ([^>]*)>/.exec(html) ?? [];
        equal(tag.replace(/ ?(?:href|target|title)="[^"<>']*"/g, ""), "", html);
      }
    });
  });

  test("no HTML but the empty one is set without the list of elements", () => {
    const patched = loader(mynah),
      sets = /([\w.]{1,30})\.(?:innerHTML|outerHTML) ?=(?!=) ?(.{2})/g;
    const set = [...patched.matchAll(sets)].map(([, target = "", value = ""]) => `${target} ${value}`);
    // A template, which is inert, and a text field, which decodes entities.
    deepEqual(set, ["parsed ht", `this.promptTextInput ""`, `this.pillsContainer ""`, "n e,"]);
    ok(!/createContextualFragment|setHTMLUnsafe|document\.write\(/.test(patched));
  });

  test("single tildes are home folders", () => {
    const { put = "" } = loader.PATCHES.find(({ find }) => find.startsWith("del:")) ?? {};
    ok(put.startsWith("del:/^(~~)(?="));
  });

  test("each says why it is made", () => {
    for (const { why, find } of loader.PATCHES) ok(why.length > 5, find);
  });
});
