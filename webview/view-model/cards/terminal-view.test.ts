import { deepEqual, equal } from "node:assert/strict";
import type { TerminalView } from "../../../src/protocol/chat/chat";
import { cssOf, MAX_TERMINAL_LINES, terminalText } from "./terminal-view";

const terminal: TerminalView = { terminalId: "t", command: "rm\u202e -r\n build", cwd: "/", output: "", isCut: false };

suite("terminal view", () => {
  test("shows the command on one line and its exit status", () => {
    const state = (exit: TerminalView["exit"]) => {
      const { state, tone } = terminalText({ ...terminal, ...(exit === undefined ? {} : { exit }) });
      return [state, tone];
    };
    equal(terminalText(terminal).command, "rm⟦U+202E⟧ -r build");
    deepEqual(
      [state(undefined), state({ code: 0 }), state({ code: 1 }), state({ signal: "SIGTERM" }), state({})],
      [
        ["running", "info"],
        ["exit code 0", "success"],
        ["exit code 1", "error"],
        ["SIGTERM", "warning"],
        ["ended", "plain"],
      ],
    );
  });

  test("shows the end of long output with a note", () => {
    const { lines, isCut } = terminalText({
      ...terminal,
      output: Array.from({ length: MAX_TERMINAL_LINES + 5 }, (_, i) => `${i}\n`).join(""),
    });
    deepEqual([lines.length, lines[0]?.[0]?.text, isCut], [MAX_TERMINAL_LINES, "5", true]);
    deepEqual(
      [terminalText({ ...terminal, output: "a" }).isCut, terminalText({ ...terminal, isCut: true }).isCut],
      [false, true],
    );
  });

  test("converts styles to CSS of the theme's colours", () => {
    deepEqual(cssOf({}), {});
    deepEqual(cssOf({ colour: { theme: 9 }, bold: true, underline: true }), {
      color:
        "color-mix(in srgb, var(--vscode-terminal-ansiBrightRed) 65%, var(--vscode-terminal-foreground, var(--vscode-foreground)))",
      "font-weight": "bold",
      "text-decoration": "underline",
    });
    deepEqual(cssOf({ colour: { rgb: [1, 2, 3] }, background: { theme: 0 }, inverse: true }), {
      color: "var(--vscode-terminal-ansiBlack)",
      "background-color": "rgb(1 2 3)",
    });
    deepEqual(cssOf({ inverse: true }), {
      color: "var(--symposium-terminal-background)",
      "background-color": "var(--vscode-terminal-foreground, var(--vscode-foreground))",
    });
  });
});
