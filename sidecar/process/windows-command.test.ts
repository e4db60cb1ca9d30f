import { deepEqual, equal, throws } from "node:assert/strict";
import path from "node:path";
import fc from "fast-check";
import { ProgramNotFound, UnquotableArgument, windowsLaunch } from "./windows-command";

const env = {
  Path: 'C:\\Windows;"C:\\Program Files\\nodejs";relative',
  PathExt: ".COM;.EXE;.BAT;.CMD",
  comspec: "C:\\Windows\\cmd.exe",
};
const files = [
  "C:\\Program Files\\nodejs\\npx.CMD",
  "C:\\Windows\\node.EXE",
  "C:\\Windows\\both.EXE",
  "C:\\Windows\\both.CMD",
  "D:\\a b\\agent.cmd",
  "relative\\bad.EXE",
  "bad.EXE",
].map(file => file.toLowerCase());
const launch = (command: string, ...args: string[]) =>
  windowsLaunch(command, args, env, file => files.includes(path.win32.normalize(file).toLowerCase()));
const line = (command: string, ...args: string[]): string => launch(command, ...args).args.at(-1)!;

suite("Windows command", () => {
  test("starts a program directly with arguments quoted by Node", () =>
    deepEqual(launch("node", "a b"), { file: "C:\\Windows\\node.EXE", args: ["a b"], verbatim: false }));
  test("prefers the first extension of PATHEXT", () => equal(launch("both").file, "C:\\Windows\\both.EXE"));
  test("runs a .cmd file with cmd.exe without AutoRun and delayed expansion", () =>
    deepEqual(launch("npx", "-y", "agent"), {
      file: "C:\\Windows\\cmd.exe",
      verbatim: true,
      args: ["/e:on", "/v:off", "/d", "/s", "/c", '""C:\\Program Files\\nodejs\\npx.CMD" "-y" "agent""'],
    }));
  test("finds a path with and without its extension", () => {
    equal(line("D:\\a b\\agent.cmd"), '""D:\\a b\\agent.cmd""');
    equal(line("D:/a b/agent"), '""D:\\a b\\agent.CMD""');
  });
  test("throws for a program found only in the current or a relative folder", () => {
    for (const name of ["bad", "nothing"])
      throws(
        () => launch(name, "x"),
        (error: unknown) => error instanceof ProgramNotFound && error.code === "ENOENT",
      );
  });
  test("keeps a missing path so that the system reports the error", () =>
    deepEqual(launch("D:\\nothing", "x"), { file: "D:\\nothing", args: ["x"], verbatim: false }));
  test("uses the system's cmd.exe even without its environment variable", () =>
    deepEqual(
      [
        windowsLaunch("npx", [], { Path: env.Path, SystemRoot: "E:\\Win" }, file => /npx\.cmd$/i.test(file)).file,
        windowsLaunch("npx", [], { Path: env.Path }, file => /npx\.cmd$/i.test(file)).file,
      ],
      ["E:\\Win\\System32\\cmd.exe", "C:\\Windows\\System32\\cmd.exe"],
    ));
  test("keeps quotes, backslashes, percent signs and operators inside their argument", () => {
    equal(line("npx", 'a"&calc').endsWith(' "a""&calc""'), true);
    equal(line("npx", "a\\").endsWith(' "a\\\\""'), true);
    equal(line("npx", 'a\\"b').endsWith(' "a\\\\""b""'), true);
    equal(line("npx", "%PATH%").endsWith(' "%%cd:~,%PATH%%cd:~,%""'), true);
    equal(line("npx", "").endsWith(' """'), true);
  });
  test("keeps a command line for cmd.exe unchanged", () => {
    const shell = (...args: string[]) =>
      windowsLaunch("C:\\Windows\\cmd.exe", args, env, file => file === "C:\\Windows\\cmd.exe");
    deepEqual(shell("/d", "/s", "/c", 'git commit -m "a b" & echo %x%'), {
      file: "C:\\Windows\\cmd.exe",
      args: ["/d", "/s", "/c", '"git commit -m "a b" & echo %x%"'],
      verbatim: true,
    });
    for (const args of [
      ["/d", "/s", "/c"],
      ["/c", "a", "b", "c"],
      ["/d", "/s", "/c", "a", "b"],
    ])
      deepEqual(shell(...args), { file: "C:\\Windows\\cmd.exe", args, verbatim: false });
  });
  test("rejects several lines", () => throws(() => launch("npx", "a\r\nb"), UnquotableArgument));
  test("never leaves a cmd.exe operator outside quotes", () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: fc.constantFrom("a", '"', "\\", "&", "|", "%", "^", " ", "<", ">") })),
        args => {
          const inner = line("npx", ...args).slice(1, -1);
          const outside = inner
            .split('"')
            .filter((_, i) => i % 2 === 0)
            .join("");
          equal(/[^ ]/.test(outside), false, inner);
        },
      ),
      { numRuns: 300 },
    );
  });
});
