/** A real language server without VS Code: typescript-language-server in a complete chain. */
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { timeLimit } from "../../../scripts/time-limits.mjs";
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { objectOr, type JsonObject } from "../../rpc/json";
import { census } from "../../testing/census";
import { temporaryFolder } from "../../testing/drive";
import { ExtensionRig } from "../../testing/extensions/extension-rig";
import { bridge, resultText } from "../../testing/mcp/mcp-ends";
import { connected, Fixture } from "../../testing/mcp/mcp-fixture";
import { STRUCTURED } from "../tool-server";
import { ide } from "./extension";

const MATH =
  "/** Adds. */\nexport function add(a: number, b: number): number {\n  return a + b;\n}\n\nexport const unusedHere = 1;\n";
const MAIN = `import { add } from "./math";\n\nexport const sum = add(1, 2);\nconst wrong: string = add(3, 4);\nconsole.log( wrong );\n`;

suite("IDE operations with typescript-language-server", function () {
  this.timeout(timeLimit(120_000));
  const folder = temporaryFolder(),
    rig = new ExtensionRig(),
    bin = path.resolve("node_modules/typescript-language-server/lib/cli.mjs");
  const settings = {
    approve: "all",
    languages: {
      typescript: {
        command: process.execPath,
        args: [bin, "--stdio"],
        initializationOptions: {
          tsserver: { fallbackPath: path.resolve("node_modules/typescript/lib") },
          disableAutomaticTypingAcquisition: true,
        },
      },
    },
  };
  const fixture = new Fixture({ stages: [ide.define(settings, rig.fixture), bridge()] });
  let client: Client & AsyncDisposable;
  const write = (name: string, text: string): void => writeFileSync(path.join(folder.path, name), text);
  const ask = async (args: JsonObject): Promise<string> =>
    resultText(await client.callTool({ name: "ide_operation", arguments: args }));

  suiteSetup(async () => {
    write(
      "tsconfig.json",
      `{ "compilerOptions": { "strict": true, "module": "esnext", "moduleResolution": "bundler", "target": "es2022", "types": [] }, "include": ["*.ts"] }`,
    );
    write("math.ts", MATH);
    write("main.ts", MAIN);
    await fixture.initialize();
    const { servers } = await fixture.setup("session/new", { cwd: folder.path, mcpServers: [] });
    client = await connected(servers[0]!);
  });
  suiteTeardown(async () => {
    await client[Symbol.asyncDispose]();
    await fixture[Symbol.asyncDispose]();
    if (process.platform === "linux") deepEqual(census(rig.run), []);
    rig[Symbol.dispose]();
    folder[Symbol.dispose]();
  });

  test("returns diagnostics, also for a file that changed", async () => {
    match(
      await ask({ operation: "diagnostics", path: "main.ts" }),
      /^1 error.* in main\.ts:\nmain\.ts:4:7 error \[typescript 2322\]: Type 'number' is not assignable to type 'string'\.\n    const wrong: string = add\(3, 4\);/,
    );
    write("main.ts", MAIN.replace("wrong: string", "wrong: number"));
    equal(await ask({ operation: "diagnostics", path: "main.ts" }), "No problems in main.ts.");
    write("main.ts", MAIN);
    match(await ask({ operation: "diagnostics" }), /^1 error/);
  });

  test("returns definitions, references and hovers", async () => {
    equal(
      await ask({ operation: "definition", path: "main.ts", line: 3, symbol: "add" }),
      "1 definition:\nmath.ts:2:17  export function add(a: number, b: number): number {",
    );
    const references = await client.callTool({
      name: "ide_operation",
      arguments: { operation: "references", path: "math.ts", symbol: "add" },
    });
    match(resultText(references), /^4 references in 2 files:\nm/);
    ok(
      resultText(references).includes(
        'main.ts\n  1:10  import { add } from "./math";\n  3:20  export const sum = add(1, 2);\n  4:23  const wrong: string = add(3, 4);',
      ),
    );
    deepEqual(objectOr(objectOr(references._meta)[STRUCTURED]).total, 4);
    match(
      await ask({ operation: "hover", path: "main.ts", line: 3, symbol: "add" }),
      /add\(a: number, b: number\): number[^]*Adds\./,
    );
  });

  test("returns symbols of a file and of the workspace", async () => {
    const outline = await ask({ operation: "document_symbols", path: "math.ts" });
    ok(outline.includes("2: function add") && outline.includes("6: constant unusedHere"), outline);
    match(await ask({ operation: "workspace_symbols", query: "unusedH" }), /^1 symbol:\nmath\.ts:6:\d+ \w+ unusedHere/);
  });

  test("previews renames, code actions and formatting without changing files", async () => {
    const renamed = await ask({ operation: "rename", path: "math.ts", symbol: "add", new_name: "plus" });
    ok(
      renamed.startsWith("Renaming to “plus” would change 4 places in 2 files.") &&
        renamed.includes(
          "--- math.ts\n@@ line 2 @@\n-export function add(a: number, b: number): number {\n+export function plus(a: number, b: number): number {",
        ),
      renamed,
    );
    const actions = await ask({ operation: "code_actions", path: "main.ts", line: 4, symbol: "wrong" });
    match(actions, /code actions?; ask again with “action”/);
    const [, title = ""] = /^\d+\. (.*?)(?: \([^()]*\))?$/m.exec(actions) ?? [];
    match(
      await ask({ operation: "code_actions", path: "main.ts", line: 4, symbol: "wrong", action: title }),
      /This is a preview|It has no edits|cannot be previewed/,
    );
    equal(
      await ask({ operation: "format", path: "main.ts" }),
      "Formatting would change 1 place in 1 file. This is a preview. Make the edits with your own tools.\n--- main.ts\n@@ line 5 @@\n-console.log( wrong );\n+console.log(wrong);",
    );
  });
});
