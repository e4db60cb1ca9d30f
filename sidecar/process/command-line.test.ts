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

suite("a command line", () => {
  test("is a command and its arguments", () =>
    deepEqual(parsed("  node  --version\t-x \n"), [{}, "node", "--version", "-x"]));
  test("has variables before the command, and arguments with = after it", () =>
    deepEqual(parsed("A=1 B_2='x y' C= node D=4"), [{ A: "1", B_2: "x y", C: "" }, "node", "D=4"]));
  test("a quoted name is no variable", () => deepEqual(parsed("'A'=1 x"), [{}, "A=1", "x"]));
  test("nor is an escaped = or a name with other characters", () => {
    deepEqual(parsed("A\\=1"), [{}, "A=1"]);
    deepEqual(parsed("a-b=1 x"), [{}, "a-b=1", "x"]);
  });
  test("single quotes keep everything", () =>
    deepEqual(parsed("e 'a \"b\" $c \\ `d` | e'"), [{}, "e", 'a "b" $c \\ `d` | e']));
  test("double quotes keep all but four escapes", () =>
    deepEqual(parsed('e "a \'b\' \\"c\\" \\$d \\\\ \\x | e"'), [{}, "e", "a 'b' \"c\" $d \\ \\x | e"]));
  test("parts in different quotes are one word", () =>
    deepEqual(parsed("a'b c'\"d e\"\\ f ''"), [{}, "ab cd e f", ""]));
  test("a backslash at a line's end joins the lines", () =>
    deepEqual(parsed('a \\\n b\\\nc "d\\\ne"'), [{}, "a", "bc", "de"]));
  test("on Windows a backslash is part of a path, in quotes and without", () => {
    deepEqual(
      parsed(
        "A=C:\\x C:\\tools\\agent.cmd --dir \\\\server\\share\\ \"C:\\Program Files\\n.exe\" 'C:\\a b\\'",
        "win32",
      ),
      [{ A: "C:\\x" }, "C:\\tools\\agent.cmd", "--dir", "\\\\server\\share\\", "C:\\Program Files\\n.exe", "C:\\a b\\"],
    );
    deepEqual(parsed('a "say \\"hi\\"" \\"b', "win32"), [{}, "a", 'say "hi"', '"b']);
  });
  test("nothing is expanded", () => deepEqual(parsed("~/a *.ts #x ?"), [{}, "~/a", "*.ts", "#x", "?"]));
  test("without a command it is refused", () => {
    refused("", "empty");
    refused("  ", "empty");
    refused("A=1", "empty");
    refused("''", "empty");
  });
  test("an open quote is refused", () => {
    refused("a 'b", "quote");
    refused('a "b\\"', "quote");
  });
  test("a last backslash is refused", () => refused("a \\", "escape"));
  for (const text of ["a | b", "a & b", "a;b", "a > f", "a < f", "(a)", "a `b`", "a $B", 'a "$B"', 'a "`b`"', "a\nb"]) {
    test(`what needs a shell is refused: ${JSON.stringify(text)}`, () => refused(text, "shell"));
  }

  test("every list of words survives single quotes", () => {
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
  test("any text is parsed or refused with a reason", () => {
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
