import { deepEqual, equal, match } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { EDITORS, editorSetup, type Editor, type EditorSetup, type Machine } from "./editors";

const LINUX: Machine = { platform: "linux", home: "/home/ada", env: {} };
const SHORT = { command: "symposium-acp-agent", args: ["run"], env: {} },
  ABSOLUTE = { command: "/bin/node", args: ["/opt/sidecar.js", "run"], env: {} };
/** Every character that one of the languages must escape. */
const HARD = {
  command: 'C:\\Program Files\\it\'s "Code".exe',
  args: ["a\nb\u00071", "", "$HOME"],
  env: { ELECTRON_RUN_AS_NODE: "1" },
};

const of = (editor: Editor, machine: Machine = LINUX): EditorSetup =>
  editorSetup(editor, { absolute: ABSOLUTE, short: SHORT }, machine);
const textOf = (editor: Editor, short = SHORT): string => {
  const setup = editorSetup(editor, { absolute: ABSOLUTE, short }, LINUX);
  if (setup.kind !== "text") throw new Error(`${editor} is configured by a file`);
  return setup.text;
};

suite("configuration of other editors", () => {
  for (const [editor, machine, file] of [
    ["zed", LINUX, "/home/ada/.config/zed/settings.json"],
    ["zed", { ...LINUX, env: { XDG_CONFIG_HOME: "/cfg" } }, "/cfg/zed/settings.json"],
    [
      "zed",
      { platform: "darwin", home: "/Users/ada", env: { XDG_CONFIG_HOME: "/cfg" } },
      "/Users/ada/.config/zed/settings.json",
    ],
    ["zed", { platform: "win32", home: "C:\\ada", env: { APPDATA: "D:\\data" } }, "D:\\data\\Zed\\settings.json"],
    ["zed", { platform: "win32", home: "C:\\ada", env: {} }, "C:\\ada\\AppData\\Roaming\\Zed\\settings.json"],
    ["jetbrains", LINUX, "/home/ada/.jetbrains/acp.json"],
    ["jetbrains", { platform: "win32", home: "C:\\ada", env: {} }, "C:\\ada\\.jetbrains\\acp.json"],
  ] as const)
    test(`edits ${file} for ${editor} on ${machine.platform}`, () => {
      const setup = of(editor, machine);
      equal(setup.kind === "file" && setup.file, file);
    });

  test("starts the absolute command from files, and the short one from text", () => {
    const [zed, jetbrains] = [of("zed"), of("jetbrains")];
    deepEqual(
      [zed.kind === "file" && zed.values, jetbrains.kind === "file" && jetbrains.values],
      [{ agent_servers: { Symposium: { type: "custom", ...ABSOLUTE } } }, { agent_servers: { Symposium: ABSOLUTE } }],
    );
    match(textOf("neovim"), /commands = \{ default = \{ "symposium-acp-agent", "run" \} \},\n/);
    match(textOf("emacs"), /:command "symposium-acp-agent"\n +:command-params '\("run"\)\n/);
    equal(textOf("toad"), "toad acp 'symposium-acp-agent run' . --title Symposium\n");
  });

  test("escapes commands and passes variables", () => {
    const command = String.raw`"C:\\Program Files\\it's \"Code\".exe"`;
    contains(
      textOf("neovim", HARD),
      String.raw`commands = { default = { ${command}, "a\010b\0071", "", "$HOME" } },
          env = { ELECTRON_RUN_AS_NODE = "1" },`,
    );
    contains(
      textOf("emacs", HARD),
      `:command ${command}
                      :command-params '("a\nb\u00071" "" "$HOME")
                      :environment-variables '("ELECTRON_RUN_AS_NODE=1")`,
    );
    contains(textOf("toad", HARD), String.raw`toad acp 'ELECTRON_RUN_AS_NODE=1 '\''C:\Program Files`);
  });

  test("is the one of the documentation", () => {
    for (const editor of EDITORS) {
      const page = readFileSync(`docs/editors/${editor}.md`, "utf8"),
        setup = editorSetup(editor, { absolute: SHORT, short: SHORT }, LINUX);
      const blocks = [...page.matchAll(/^```\w*\n([^]*?)^```$/gm)].map(([, block]) => block!);
      const isDocumented = blocks.some(block =>
        setup.kind === "text"
          ? block === setup.text
          : block.startsWith("{") && isDeepStrictEqual(JSON.parse(block), setup.values),
      );
      equal(isDocumented, true, editor);
    }
  });

  test("says where each configuration belongs", () => {
    for (const editor of EDITORS) match(of(editor).next, /^\S.*\.$/);
  });
});

function contains(text: string, part: string): void {
  equal(text.includes(part), true, text);
}
