/** The page's chat widget can be replaced by changing one folder: only `webview/mynah` names it (issue 15 item 2). */
import { deepEqual } from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";

const FOLDERS = ["src", "webview", "sidecar", "test", "bench", "scripts"];
const CODE = /\.(tsx?|[cm]?js|css|html)$/;
/** The tests of the layers, and the packager, which lists the packages bundled in mynah-ui. */
const EXEMPT: ReadonlySet<string> = new Set([
  "scripts/layers.test.ts",
  "scripts/layers.ts",
  "scripts/package.mjs",
  "scripts/widget-name.test.ts",
]);
/** A path into the folder. The layers test restricts its importers. */
const PATH = /"[\w./-]*\bmynah\/[\w.-]+"/g;

/** Lines outside `webview/mynah` that name mynah-ui, or one of its classes, attributes or variables. */
function namesWidget(file: string, source: string): string[] {
  if (file.startsWith("webview/mynah/") || EXEMPT.has(file)) return [];
  return source
    .split("\n")
    .flatMap((line, i) => (/mynah/i.test(line.replaceAll(PATH, "")) ? [`${file}:${i + 1}: ${line.trim()}`] : []));
}

suite("name of the chat widget", () => {
  test("occurs only in webview/mynah", () => {
    const files = FOLDERS.flatMap(folder =>
      readdirSync(folder, { recursive: true, encoding: "utf8" }).map(name => `${folder}/${name.replaceAll("\\", "/")}`),
    ).filter(file => CODE.test(file));
    deepEqual(
      files.flatMap(file => namesWidget(file, readFileSync(file, "utf8"))),
      [],
    );
  });

  const cases: readonly [file: string, source: string, lines: number][] = [
    ["webview/a11y/a11y.ts", `root.querySelector(".mynah-card")`, 1],
    ["webview/components/elements.css", `color: var(--mynah-color-text-link);`, 1],
    ["src/test/page/chat.page.ts", `// Buttons of Mynah.\nlocator("[mynah-tab-id]")`, 2],
    ["webview/main.ts", `import { MynahUI } from "./mynah/chat-ui"`, 1],
    ["webview/main.ts", `import { ChatUi } from "./mynah/chat-ui"`, 0],
    ["webview/mynah/chat-ui.ts", `import { MynahUI } from "@aws/mynah-ui"`, 0],
  ];
  for (const [file, source, lines] of cases)
    test(`${lines === 0 ? "accepts" : "rejects"} ${file}: ${source.replaceAll("\n", " ")}`, () =>
      deepEqual(namesWidget(file, source).length, lines));
});
