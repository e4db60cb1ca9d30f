import { equal, ok, throws } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import vm from "node:vm";

interface Patch { readonly why: string; readonly find: string; readonly put: string }
interface Patched { (source: string): string; readonly patched: (source: string, patches?: readonly Patch[]) => string; readonly PATCHES: readonly Patch[] }

const require = createRequire(path.resolve("package.json"));
const loader: Patched = require("./scripts/mynah-patch.js");
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
    equal(require("./package.json").devDependencies["@aws/mynah-ui"] ?? require("./package.json").dependencies["@aws/mynah-ui"], "4.39.0");
  });

  test("one that does not fit, or fits twice, fails the build", () => {
    const patch = { why: "", find: "a", put: "b" };
    equal(loader.patched("xay", [patch]), "xby");
    throws(() => loader.patched("xy", [patch]), /0 times instead of once: a/);
    throws(() => loader.patched("aa", [patch]), /2 times instead of once: a/);
    equal(loader.patched("a", [{ ...patch, put: "$&" }]), "$&");
  });

  test("each says why it is made", () => { for (const { why, find } of loader.PATCHES) ok(why.length > 5, find); });
});
