/** The template for authors in docs/templates/typescript, and the documents of both templates. */
import { equal, match } from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import path from "node:path";
import { timeLimit } from "../../scripts/time-limits.mjs";
import { program } from "../testing/programs/programs";

const TEMPLATES = path.resolve("docs/templates"),
  SOURCE = path.join(TEMPLATES, "typescript");

/** The compiled template, and the home directory of all programs. */
let folder = "";

interface Ended {
  readonly code: number | null;
  readonly text: string;
}

function run(command: string, ...args: readonly string[]): Ended {
  const env = { ...process.env, HOME: folder, USERPROFILE: folder },
    { status, stdout, stderr } = spawnSync(command, args, { encoding: "utf8", env });
  return { code: status, text: `${stdout}${stderr}` };
}
const sidecar = (...args: readonly string[]): readonly [command: string, ...args: string[]] => {
  const { command, args: first } = program("symposium-acp-agent");
  return [command, ...first, ...args];
};
const ours = (...args: readonly string[]): Ended => run(...sidecar(...args));
const succeeded = ({ code, text }: Ended): void => equal(code, 0, text);

suite("templates for authors", function () {
  this.timeout(timeLimit(60_000));
  let proxy = "";
  suiteSetup(() => {
    // Below the project, because the template uses its packages.
    mkdirSync("out", { recursive: true });
    folder = mkdtempSync(path.resolve("out", "template-"));
    copyFileSync(path.join(SOURCE, "package.json"), path.join(folder, "package.json"));
    succeeded(
      run(process.execPath, "node_modules/typescript/bin/tsc", "-p", SOURCE, "--outDir", path.join(folder, "dist")),
    );
    proxy = path.join(folder, "dist/src/main.js");
  });
  suiteTeardown(() => rmSync(folder, { recursive: true, force: true }));

  test("the TypeScript template passes its own tests", () => {
    const ended = run(process.execPath, "--test", path.join(folder, "dist/test/proxy.test.js"));
    succeeded(ended);
    match(ended.text, /^. pass 4$/m);
  });

  test("the TypeScript template passes proxy check in both versions", () => {
    const ended = ours("proxy", "check", "--", process.execPath, proxy);
    succeeded(ended);
    // Node's parser does not keep the bytes of numbers.
    match(ended.text, / passed, 0 failed, 2 warnings, 0 not applicable, 0 not seen\.\n$/);
  });

  test("the TypeScript template works in a chain with an agent", () => {
    const shell = (words: readonly string[]): string => words.map(word => `'${word}'`).join(" ");
    const chain = sidecar("run-with", "--proxy", `"${process.execPath}" "${proxy}"`, "--agent", "eliza");
    const ended = ours("doctor", "--agent", shell(chain));
    succeeded(ended);
    match(ended.text, /initialize: version 1\nsession\/new: opened\n/);
  });

  for (const template of ["rust", "typescript"]) {
    test(`the extension.json of the ${template} template has no finding`, () => {
      const { text } = ours("registry", "check", path.join(TEMPLATES, template, "extension.json"));
      equal(text, "0 errors, 0 warnings.\n");
    });
  }
});
