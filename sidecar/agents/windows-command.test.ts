import { deepEqual, equal, throws } from "node:assert/strict";
import path from "node:path";
import fc from "fast-check";
import { UnquotableArgument, windowsLaunch } from "./windows-command";

const env = { Path: "C:\\Windows;\"C:\\Program Files\\nodejs\";relative", PathExt: ".COM;.EXE;.BAT;.CMD", comspec: "C:\\Windows\\cmd.exe" };
const files = ["C:\\Program Files\\nodejs\\npx.CMD", "C:\\Windows\\node.EXE", "C:\\Windows\\both.EXE", "C:\\Windows\\both.CMD", "D:\\a b\\agent.cmd", "relative\\bad.EXE", "bad.EXE"].map(file => file.toLowerCase());
const launch = (command: string, ...args: string[]) => windowsLaunch(command, args, env, file => files.includes(path.win32.normalize(file).toLowerCase()));
const line = (command: string, ...args: string[]): string => launch(command, ...args).args.at(-1)!;

suite("a command on Windows", () => {
  test("a program is started directly, its arguments quoted by Node", () =>
    deepEqual(launch("node", "a b"), { file: "C:\\Windows\\node.EXE", args: ["a b"], verbatim: false }));
  test("the first extension of PATHEXT wins", () => equal(launch("both").file, "C:\\Windows\\both.EXE"));
  test("a .cmd file is run by cmd.exe without AutoRun and without delayed expansion", () =>
    deepEqual(launch("npx", "-y", "agent"), { file: "C:\\Windows\\cmd.exe", verbatim: true,
      args: ["/e:on", "/v:off", "/d", "/s", "/c", "\"\"C:\\Program Files\\nodejs\\npx.CMD\" \"-y\" \"agent\"\""] }));
  test("a path is found with its extension or without", () => {
    equal(line("D:\\a b\\agent.cmd"), "\"\"D:\\a b\\agent.cmd\"\"");
    equal(line("D:/a b/agent"), "\"\"D:\\a b\\agent.CMD\"\"");
  });
  test("nothing is taken from the current folder or a relative one", () => equal(launch("bad").file, "bad"));
  test("what is not found stays as it is, for the system to say so", () => deepEqual(launch("nothing", "x"), { file: "nothing", args: ["x"], verbatim: false }));
  test("quotes, backslashes, percent signs and operators stay inside their argument", () => {
    equal(line("npx", "a\"&calc").endsWith(" \"a\"\"&calc\"\""), true);
    equal(line("npx", "a\\").endsWith(" \"a\\\\\"\""), true);
    equal(line("npx", "a\\\"b").endsWith(" \"a\\\\\"\"b\"\""), true);
    equal(line("npx", "%PATH%").endsWith(" \"%%cd:~,%PATH%%cd:~,%\"\""), true);
    equal(line("npx", "").endsWith(" \"\"\""), true);
  });
  test("several lines are refused", () => throws(() => launch("npx", "a\r\nb"), UnquotableArgument));
  test("nothing that cmd.exe acts upon is ever outside quotes", () => {
    fc.assert(fc.property(fc.array(fc.string({ unit: fc.constantFrom("a", "\"", "\\", "&", "|", "%", "^", " ", "<", ">") })), args => {
      const inner = line("npx", ...args).slice(1, -1);
      const outside = inner.split("\"").filter((_, i) => i % 2 === 0).join("");
      equal(/[^ ]/.test(outside), false, inner);
    }), { numRuns: 300 });
  });
});
