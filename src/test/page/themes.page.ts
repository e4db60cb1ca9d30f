/**
 * The tests in plain Chromium (`src/test/webview`) read the colors of VS Code's themes from a record, which
 * `UPDATE_GOLDEN=1` rewrites.
 */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { readThemes, RECORD, type Theme } from "../webview/themes";
import { ROOT, type Box } from "./harness";
import { openScripted, wear } from "./scripted";

/** Variables of VS Code's own style sheet for webviews, and of the tests. */
const OTHERS = [
  "contrastBorder",
  "editor-background",
  "editor-foreground",
  "font-weight",
  "sideBar-background",
  "terminal-ansiRed",
  "textLink-foreground",
  "textPreformat-background",
  "textPreformat-foreground",
];

/** Variables that the built pages use, without their prefix. */
const namedByPages = (): readonly string[] =>
  ["webview", "settings"].flatMap(name =>
    [...readFileSync(path.join(ROOT, `dist/${name}.js`), "utf8").matchAll(/--vscode-([\w-]+)/g)].flatMap(
      ([, variable]) => variable ?? [],
    ),
  );

suite("recorded color theme", () => {
  let box: Box;
  suiteSetup(async () => {
    box = await openScripted();
    await box.open();
  });
  suiteTeardown(() => box.close());

  test("contains VS Code's variables used by the pages", async () => {
    const variables = [...new Set([...namedByPages(), ...OTHERS])].sort(),
      actual: Record<string, Theme> = {};
    for (const [name, { classes }] of Object.entries(readThemes())) {
      await wear(box, name, classes.split(" ")[0] ?? "");
      actual[name] = await box.frame.locator("body").evaluate(
        (body, variables) => ({
          // the tests' browser asks for it, users usually do not
          classes: body.className.replace(" vscode-reduce-motion", ""),
          variables: Object.fromEntries(
            variables.flatMap(variable => {
              const value = document.documentElement.style.getPropertyValue(`--vscode-${variable}`);
              return value === "" ? [] : [[variable, value] as const];
            }),
          ),
        }),
        variables,
      );
    }
    if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(RECORD, `${JSON.stringify(actual, null, 2)}\n`);
    assert.deepEqual(readThemes(), actual);
  });
});
