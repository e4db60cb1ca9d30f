import { equal } from "node:assert/strict";
import { printout } from "./sanitize-terminal-output";

suite("terminal output", () => {
  test("contains text and colors with terminal line endings and the exit status", () => {
    equal(
      printout("a\nb\r\n\x1b[31mred\x1b[0m", { code: 1 }),
      "a\r\nb\r\n\x1b[31mred\x1b[0m\r\n\x1b[2mexit code 1\x1b[0m\r\n",
    );
    equal(printout("a", { signal: "SIGTERM", code: 1 }), "a\r\n\x1b[2mSIGTERM\x1b[0m\r\n");
    equal(printout("10 %\r20 %", undefined), "10 %\r20 %");
    equal(printout("a", {}), "a");
  });

  test("contains no control sequences other than formatting", () => {
    equal(
      printout(
        "a\x1b]52;c;ZXZpbA==\x07b\x1b]0;title\x1b\\c\x1bPq#0\x1b\\d\x9d8;;http://x\x9ce\x1b]633;A\x07f",
        undefined,
      ),
      "abcdef",
    );
    equal(printout("a\x1b]52;c;never ends", undefined), "a52;c;never ends");
    equal(printout("a\0b\x1ac\x9bd", { signal: "SIG\x1b]0;x\x07\0" }), "abcd\r\n\x1b[2mSIG]0;x\x1b[0m\r\n");
  });
});
