/**
 * The agent extension IDE operations in a real VS Code. VS Code's TypeScript services include unsaved changes, and
 * change nothing.
 */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { editorShows, lines, pickFile } from "./editors";
import { lastExchange, openBox, sendPrompt, turnEnded, type Box } from "./harness";
import { seen } from "./scripted";

const MATH = "/** Adds. */\nexport function add(a: number, b: number): number {\n  return a + b;\n}\n";
const MAIN = `import { add } from "./math";\n\nexport const sum = add(1, 2);\nconsole.log( sum );\n`;

suite("IDE operations extension", () => {
  let box: Box;
  let folder = "";
  suiteSetup(async () => {
    box = await openBox({
      settings: {
        "files.autoSave": "off",
        "editor.quickSuggestions": { other: "off", comments: "off", strings: "off" },
        "editor.autoClosingBrackets": "never",
        "symposium.extensions": [{ id: "ide", _enabled: true, _source: "built-in" }],
      },
    });
    [folder = ""] = box.folders;
    mkdirSync(path.join(folder, "code"));
    write(
      "tsconfig.json",
      `{ "compilerOptions": { "strict": true, "module": "esnext", "moduleResolution": "bundler", "target": "es2022", "types": [] }, "include": ["code"] }`,
    );
    write("code/math.ts", MATH);
    write("code/main.ts", MAIN);
    await box.open();
  });
  suiteTeardown(() => box.close());

  function write(name: string, text: string): void {
    writeFileSync(path.join(folder, name), text);
  }
  /** The visible text of the answer, with single spaces. */
  async function ask(args: object): Promise<string> {
    await sendPrompt(box.frame, `use tool ide-operations::ide_operation with ${JSON.stringify(args)}`);
    await turnEnded(box.frame, { timeout: 90_000 });
    return (await lastExchange(box.frame)).answer.replaceAll(/\s+/g, " ");
  }
  /**
   * Repeats until the answer contains all parts, because language services discover files gradually, through file
   * watchers.
   */
  async function answerIncludes(args: object, ...parts: readonly (string | RegExp)[]): Promise<string> {
    let answer = "";
    const isIncluded = (part: string | RegExp): boolean =>
      typeof part === "string" ? answer.includes(part) : part.test(answer);
    await seen(
      async () => {
        answer = await ask(args);
        return parts.every(isIncluded);
      },
      `${parts.join(", ")} in the answer`,
      90_000,
    ).catch((error: unknown) => {
      throw new Error(`The last answer is: ${answer}`, { cause: error });
    });
    return answer;
  }
  const tabs = (): Promise<readonly string[]> => box.page.locator(".tabs-container .tab").allInnerTexts();
  const includesAll = (answer: string, ...parts: readonly (string | RegExp)[]): void => {
    for (const part of parts)
      assert.ok(typeof part === "string" ? answer.includes(part) : part.test(answer), `${part} is not in: ${answer}`);
  };

  /**
   * Repeats until the answer describes the current file. If the services do not report in time, the answer contains a
   * note instead.
   */
  async function diagnosed(file: string, ...parts: readonly string[]): Promise<void> {
    let answer = "";
    await seen(
      async () =>
        !(answer = await ask({ operation: "diagnostics", path: file })).includes(
          "VS Code has no diagnostics for this file",
        ),
      `what is wrong in ${file}`,
      90_000,
    );
    includesAll(answer, ...parts);
  }

  test("returns definitions, references, hovers, symbols and errors as sentences", async () => {
    // Until the project is loaded, the TypeScript service has only this file, and returns the import as the definition.
    await answerIncludes(
      { operation: "definition", path: "code/main.ts", line: 3, symbol: "add" },
      "OK: 1 definition:",
      "code/math.ts:2:17 export function add(a: number, b: number): number {",
    );
    await answerIncludes(
      { operation: "references", path: "code/math.ts", symbol: "add" },
      "3 references in 2 files:",
      "3:20 export const sum = add(1, 2);",
    );
    includesAll(
      await ask({ operation: "hover", path: "code/main.ts", line: 3, symbol: "add" }),
      "add(a: number, b: number): number",
      "Adds.",
    );

    includesAll(await ask({ operation: "document_symbols", path: "code/math.ts" }), "2: function add");
    includesAll(
      await ask({ operation: "workspace_symbols", query: "add", path: "code/math.ts" }),
      /code\/math\.ts:2:\d+ function add/,
    );

    includesAll(
      await ask({ operation: "hover", path: "code/none.ts", line: 1 }),
      /ERROR: File .*code\/none\.ts does not exist\./,
    );
    includesAll(await ask({ operation: "hover", path: "/etc/hosts", line: 1 }), "is outside of this session's folders");
    includesAll(
      await ask({ operation: "definition", path: "code/math.ts", line: 1, symbol: "sum" }),
      "“sum” is not in",
      "code/math.ts.",
    );
  });

  test("returns diagnostics of a closed file without leaving a tab open, and of unsaved text", async () => {
    write("code/broken.ts", `import { add } from "./math";\nexport const text: string = add(1, 2);\n`);
    const before = await tabs();
    await diagnosed(
      "code/broken.ts",
      "1 error",
      "code/broken.ts:2:14 error [ts 2322]: Type 'number' is not assignable to type 'string'.",
    );
    await seen(async () => JSON.stringify(await tabs()) === JSON.stringify(before), "the tabs of before");

    await pickFile(box, "main.ts");
    await lines(box).click();
    await box.page.keyboard.press("ControlOrMeta+End");
    await box.page.keyboard.insertText("const typed: string = add(5, 6);");
    await editorShows(box, /typed: string/);
    await diagnosed(
      "code/main.ts",
      "code/main.ts:5:7 error [ts 2322]: Type 'number' is not assignable to type 'string'.",
      "const typed: string = add(5, 6);",
    );
    await answerIncludes(
      { operation: "references", path: "code/math.ts", symbol: "add" },
      "6 references in 3 files:",
      "5:23 const typed: string = add(5, 6);",
    );
    includesAll(await ask({ operation: "diagnostics" }), "code/main.ts:5:7 error");
    assert.equal(readFileSync(path.join(folder, "code/main.ts"), "utf8"), MAIN);
    await box.screenshot("ide-diagnostics-light");
  });

  test("previews renames, code actions and formatting without changing files", async () => {
    await answerIncludes(
      { operation: "rename", path: "code/math.ts", line: 2, symbol: "add", new_name: "plus" },
      "Renaming to “plus” would change 6 places in 3 files.",
      "export function plus(a: number, b: number): number {",
      "const typed: string = plus(5, 6);",
    );
    includesAll(
      await ask({ operation: "format", path: "code/main.ts" }),
      "would change 1 place in 1 file",
      "console.log(sum);",
    );
    write("code/fix.ts", `const given = add(1, 2);\n`);
    const offered = await answerIncludes(
        { operation: "code_actions", path: "code/fix.ts", line: 1, symbol: "add" },
        /(?:Add|Update) import from/,
      ),
      [title = ""] = /(?:Add|Update) import from "[^"]*"/.exec(offered) ?? [];
    includesAll(offered, "ask again with “action”");
    includesAll(
      await ask({ operation: "code_actions", path: "code/fix.ts", line: 1, symbol: "add", action: title }),
      "This is a preview",
      `import { add } from "./math";`,
    );
    assert.deepEqual(
      [readFileSync(path.join(folder, "code/main.ts"), "utf8"), readFileSync(path.join(folder, "code/fix.ts"), "utf8")],
      [MAIN, "const given = add(1, 2);\n"],
    );
  });
});
