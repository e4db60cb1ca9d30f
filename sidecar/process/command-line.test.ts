import { deepEqual, equal, throws } from "node:assert/strict";
import fc from "fast-check";
import { CommandLineError, parseCommand } from "./command-line";

// The default platform is fixed, so that the POSIX rules are also tested on Windows.
const parsed = (text: string, platform = "linux"): unknown => {
  const { command, args, env } = parseCommand(text, platform);
  return [env, command, ...args];
};
const refused = (text: string, code: string): void =>
  throws(
    () => parseCommand(text, "linux"),
    (error: unknown) => {
      equal(error instanceof CommandLineError && error.code, code);
      return true;
    },
  );

suite("command line", () => {
  test("splits into a command and its arguments", () =>
    deepEqual(parsed("  node  --version\t-x \n"), [{}, "node", "--version", "-x"]));
  test("reads variables before the command and keeps = in arguments", () =>
    deepEqual(parsed("A=1 B_2='x y' C= node D=4"), [{ A: "1", B_2: "x y", C: "" }, "node", "D=4"]));
  test("reads a quoted name as a command", () => deepEqual(parsed("'A'=1 x"), [{}, "A=1", "x"]));
  test("reads an escaped = or an invalid name as a command", () => {
    deepEqual(parsed("A\\=1"), [{}, "A=1"]);
    deepEqual(parsed("a-b=1 x"), [{}, "a-b=1", "x"]);
  });
  test("keeps everything in single quotes", () =>
    deepEqual(parsed("e 'a \"b\" $c \\ `d` | e'"), [{}, "e", 'a "b" $c \\ `d` | e']));
  test("keeps everything but four escapes in double quotes", () =>
    deepEqual(parsed('e "a \'b\' \\"c\\" \\$d \\\\ \\x | e"'), [{}, "e", "a 'b' \"c\" $d \\ \\x | e"]));
  test("joins differently quoted parts into one word", () =>
    deepEqual(parsed("a'b c'\"d e\"\\ f ''"), [{}, "ab cd e f", ""]));
  test("joins lines at a backslash", () => deepEqual(parsed('a \\\n b\\\nc "d\\\ne"'), [{}, "a", "bc", "de"]));
  test("keeps backslashes in Windows paths, quoted or not", () => {
    deepEqual(
      parsed(
        "A=C:\\x C:\\tools\\agent.cmd --dir \\\\server\\share\\ \"C:\\Program Files\\n.exe\" 'C:\\a b\\'",
        "win32",
      ),
      [{ A: "C:\\x" }, "C:\\tools\\agent.cmd", "--dir", "\\\\server\\share\\", "C:\\Program Files\\n.exe", "C:\\a b\\"],
    );
    deepEqual(parsed('a "say \\"hi\\"" \\"b', "win32"), [{}, "a", 'say "hi"', '"b']);
  });
  test("expands nothing", () => deepEqual(parsed("~/a *.ts #x ?"), [{}, "~/a", "*.ts", "#x", "?"]));
  test("rejects an empty command", () => {
    refused("", "empty");
    refused("  ", "empty");
    refused("A=1", "empty");
    refused("''", "empty");
  });
  test("rejects an open quote", () => {
    refused("a 'b", "quote");
    refused('a "b\\"', "quote");
  });
  test("rejects a trailing backslash", () => refused("a \\", "escape"));
  for (const text of ["a | b", "a & b", "a;b", "a > f", "a < f", "(a)", "a `b`", "a $B", 'a "$B"', 'a "`b`"', "a\nb"]) {
    test(`rejects shell syntax: ${JSON.stringify(text)}`, () => refused(text, "shell"));
  }

  test("round-trips every list of words in single quotes", () => {
    const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;
    fc.assert(
      fc.property(
        fc.string({ minLength: 1, unit: "binary" }),
        fc.array(fc.string({ unit: "binary" })),
        (command, args) => {
          deepEqual(parsed([command, ...args].map(quoted).join(" ")), [{}, command, ...args]);
        },
      ),
      { numRuns: 200 },
    );
  });
  test("parses any text or rejects it with a reason", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom("a", "=", " ", "'", '"', "\\", "$", "\n", "|") }), text => {
        try {
          parseCommand(text);
        } catch (error) {
          equal(error instanceof CommandLineError, true);
        }
      }),
      { numRuns: 500 },
    );
  });
});
