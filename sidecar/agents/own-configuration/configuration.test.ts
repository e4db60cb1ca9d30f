import { deepEqual, equal, throws } from "node:assert/strict";
import fc from "fast-check";
import { parse } from "jsonc-parser";
import { CONFIGURATION_FORMATS } from "../../../src/protocol/agents/own-configuration";
import { entryText, programOfEntry, withEntry, withoutEntry } from "./configuration";
import { ConfigurationError } from "./symposium-entry";

const PROGRAM = { command: "/usr/bin/node", script: "/opt/it's “here”/sidecar.js", electron: false },
  ELECTRON = { ...PROGRAM, electron: true };
const UPDATED = { command: "C:\\Program Files\\Code.exe", script: "C:\\new\\sidecar.js", electron: true };
const JSON_FORMATS = CONFIGURATION_FORMATS.filter(format => format !== "codex");
const listOf = (format: string): string => (format === "opencode" ? "mcp" : "mcpServers");

const eols = fc.constantFrom("\n", "\r\n"),
  boms = fc.constantFrom("", "\uFEFF"),
  indents = fc.constantFrom("", "  ", "    ", "\t");
const programs = fc.constantFrom(PROGRAM, ELECTRON, UPDATED);
const names = fc.stringMatching(/^[a-z]{1,5}$/).filter(name => name !== "mcp" && name !== "symposium");
const values = fc.oneof(
  fc.string(),
  fc.integer(),
  fc.constantFrom({}, [], { a: [1, { b: null }] }, { command: "x", args: ["{", "// no comment"] }),
);

/** JSON configurations with other settings, comments, a trailing comma and other servers. */
const jsonTexts = fc
  .record({
    others: fc.dictionary(names, values, { maxKeys: 3 }),
    servers: fc.option(fc.dictionary(names, values, { maxKeys: 3 })),
    isFirst: fc.boolean(),
    eol: eols,
    bom: boms,
    indent: indents,
    comment: fc.boolean(),
    lastComma: fc.boolean(),
    end: fc.constantFrom("", "\n", "\n\n"),
    format: fc.constantFrom(...JSON_FORMATS),
  })
  .map(({ others, servers, isFirst, eol, bom, indent, comment, lastComma, end, format }) => {
    const list = servers === null ? {} : { [listOf(format)]: servers },
      value = isFirst ? { ...list, ...others } : { ...others, ...list };
    let text = JSON.stringify(value, undefined, indent);
    if (comment) text = text.replaceAll(/\{(?=\n)/g, "{ // of the user").replace(/,(?=\n)/, " /* kept */,");
    if (lastComma && indent !== "") text = text.replaceAll(/([^{[,\s])\n(\s*\})/g, "$1,\n$2");
    return {
      format,
      hasOthers: servers !== null && Object.keys(servers).length > 0,
      text: bom + (text + end).replaceAll("\n", eol),
      lastComma,
    };
  });

/** A Codex configuration. */
const tomlTexts = fc
  .record({
    lines: fc.array(
      fc.constantFrom(
        '# a comment with [brackets] and "quotes',
        'model = "gpt" # it\'s',
        '[profiles."a.b"]',
        "[mcp_servers.docs]",
        "command = 'C:\\x'",
        'args = [\n  "a]", # ]\n  "b",\n]',
        'text = """\n[mcp_servers.symposium]\n\\""""',
        "raw = '''\n# \"\n'''",
        "",
        "[[list]]",
        'a.b."c d" = { x = 1, y = [2] }',
        "when = 1979-05-27T07:32:00Z",
      ),
      { maxLength: 8 },
    ),
    eol: eols,
    bom: boms,
    isEnded: fc.boolean(),
  })
  .map(({ lines, eol, bom, isEnded }) => ({
    text:
      bom +
      (
        lines
          .filter((line, i) => !line.startsWith("[") || line.startsWith("[[") || lines.indexOf(line) === i)
          .join("\n") + (isEnded && lines.length > 0 ? "\n" : "")
      ).replaceAll("\n", eol),
    isEnded: isEnded || lines.length === 0,
  }));

suite("own configuration of an agent", () => {
  test("restores the original bytes after the entry is added and removed", () => {
    const texts = fc.oneof(
      jsonTexts.map(({ text, format }) => ({ text, format })),
      tomlTexts.map(({ text }) => ({ text, format: "codex" as const })),
    );
    fc.assert(
      fc.property(texts, programs, ({ text, format }, program) => {
        const added = withEntry(text, format, program);
        deepEqual(programOfEntry(added, format), program);
        equal(withEntry(added, format, program), added, "adding twice is adding once");
        equal(withoutEntry(added, format, text), text);
      }),
      { numRuns: 500 },
    );
  });

  test("keeps other changes made in between", () => {
    fc.assert(
      fc.property(jsonTexts, programs, ({ text, format, hasOthers }, program) => {
        const removed = withoutEntry(withEntry(text, format, program), format, undefined) ?? "";
        if (hasOthers) return equal(removed, text);
        const values = [removed, text].map(each => ({
          [listOf(format)]: {},
          ...(parse(each.replace("\uFEFF", ""), undefined, { allowTrailingComma: true }) as object),
        }));
        deepEqual(values[0], values[1]);
      }),
      { numRuns: 500 },
    );
    fc.assert(
      fc.property(tomlTexts, programs, ({ text, isEnded }, program) => {
        const removed = withoutEntry(`${withEntry(text, "codex", program)}[later]\nx = 1\n`, "codex", undefined);
        if (isEnded) equal(removed, `${text}[later]\nx = 1\n`);
      }),
      { numRuns: 500 },
    );
  });

  test("replaces the entry of another version in a file and as the whole file", () => {
    for (const format of CONFIGURATION_FORMATS)
      for (const text of [undefined, format === "codex" ? 'model = "x"\n' : '{ "theme": "dark" } // mine\n']) {
        const old = withEntry(text, format, PROGRAM),
          updated = withEntry(old, format, UPDATED);
        deepEqual([programOfEntry(updated, format), updated.includes("/opt/")], [UPDATED, false], format);
        equal(withoutEntry(updated, format, text), text, format);
      }
  });

  test("removes a moved entry without comments", () => {
    const entry = entryText("mcpServers", PROGRAM)
        .replace(/^"mcpServers": \{|\}$/g, "")
        .trim(),
      text = (end: string) => `{"mcpServers": {\n  "a": {}, // a's, first\n  // before\n  ${entry}${end}`;
    deepEqual(
      ["\n}}", ', // behind\n  "b": {}\n}}', ' /* x, y */, "b": {}}}'].map(end =>
        withoutEntry(text(end), "mcpServers", undefined),
      ),
      [
        '{"mcpServers": {\n  "a": {} // a\'s, first\n  // before\n}}',
        '{"mcpServers": {\n  "a": {}, // a\'s, first\n  // before\n   // behind\n  "b": {}\n}}',
        '{"mcpServers": {\n  "a": {}, // a\'s, first\n  // before\n   /* x, y */ "b": {}}}',
      ],
    );
  });

  test("rejects an invalid file or a foreign entry with a reason", () => {
    const no = (text: string, format: "mcpServers" | "codex"): string => {
      let why = "";
      for (const change of [() => withEntry(text, format, PROGRAM), () => withoutEntry(text, format, undefined)]) {
        throws(
          change,
          (error: unknown) => {
            why = String((error as Error).message);
            return error instanceof ConfigurationError;
          },
          text,
        );
      }
      return why;
    };
    const EDITED = "its entry “symposium” is not as Symposium writes it. Change or remove that entry yourself.";
    deepEqual(
      [
        '{\n  "a": 1,\n  "b": [',
        "[]",
        '{"mcpServers": []}',
        '{"mcpServers": {}, "mcpServers": {}}',
        '{"mcpServers": {"symposium": {}, "symposium": {}}}',
        '{"mcpServers": {"symposium": {"command": "mine"}}}',
        withEntry("{}", "mcpServers", PROGRAM).replace("--attach", "--attached"),
        withEntry("{}", "mcpServers", PROGRAM).replace('"args"', '"trust": true, "args"'),
      ].map(text => no(text, "mcpServers")),
      [
        "line 3 is not valid JSON.",
        "it does not contain a JSON object.",
        "“mcpServers” is not an object.",
        "it has “mcpServers” twice.",
        "it has “symposium” twice.",
        EDITED,
        EDITED,
        EDITED,
      ],
    );
    const form =
      "it defines mcp_servers in a form that Symposium does not change. Use a [mcp_servers.NAME] table for each server.";
    deepEqual(
      [
        'a = "unfinished\nb = 1\n',
        "a = 1\nb = [1,\n",
        "a = '''\n",
        "what is this",
        "]\n",
        "[a]\n[b]\n[a]\n",
        "mcp_servers = { symposium = {} }\n",
        "[mcp_servers]\nsymposium = {}\n",
        'mcp_servers.symposium.command = "x"\n',
        '[mcp_servers."symposium"]\ncommand = "mine"\n',
        withEntry("", "codex", PROGRAM).replace("env_vars", "env_var"),
        `${withEntry("", "codex", PROGRAM)}[mcp_servers.symposium.env]\nA = "1"\n`,
      ].map(text => no(text, "codex")),
      [
        "line 1 has a string that is not closed.",
        "line 2 has a bracket that is not closed.",
        "line 1 has a string that is not closed.",
        "line 1 is not valid TOML.",
        "line 1 is not valid TOML.",
        "it has the table a twice.",
        form,
        form,
        form,
        EDITED,
        EDITED,
        "it has more than one table for mcp_servers.symposium.",
      ],
    );
  });

  test("shows the lines that it adds", () => {
    equal(entryText("codex", PROGRAM).split("\n")[1], "[mcp_servers.symposium]");
    for (const format of JSON_FORMATS)
      deepEqual(parse(`{${entryText(format, PROGRAM)}}`), parse(withEntry(undefined, format, PROGRAM)), format);
  });
});
