import { deepEqual, equal, match } from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { timeLimit } from "../../scripts/time-limits.mjs";
import { program } from "../testing/programs/programs";
import { skipped } from "../testing/skipped";

interface Result {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

suite("symposium-acp-agent setup", () => {
  let home: string, zed: string, jetbrains: string;
  setup(() => {
    home = realpathSync(mkdtempSync(path.join(tmpdir(), "setup-")));
    zed = path.join(home, ".config/zed/settings.json");
    jetbrains = path.join(home, ".jetbrains/acp.json");
  });
  teardown(() => rmSync(home, { recursive: true, force: true }));

  const { command, args: script } = program("symposium-acp-agent"),
    entry = { command, args: [...script, "run"], env: {} };
  const run = (...args: readonly string[]): Promise<Result> => {
    const child = spawn(command, [...script, "setup", ...args], {
      env: { PATH: "", HOME: home, USERPROFILE: home },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let out = "",
      err = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      out += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      err += text;
    });
    return new Promise(resolve => {
      child.once("close", code => resolve({ code, out, err }));
    });
  };
  const given = (file: string, text: string): void => {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text, { mode: 0o640 });
  };
  const values = (file: string): unknown => JSON.parse(readFileSync(file, "utf8"));

  test("creates the file of each editor, once", async function () {
    this.timeout(timeLimit(120_000));
    for (const [option, file, expected] of [
      ["--zed", zed, { agent_servers: { Symposium: { type: "custom", ...entry } } }],
      ["--jetbrains", jetbrains, { agent_servers: { Symposium: entry } }],
    ] as const) {
      const first = await run(option);
      deepEqual([first.code, first.err], [0, ""]);
      match(first.out, /^Added Symposium to (Zed|JetBrains IDEs) in .*\.\nIn .*Symposium.*\.\n$/);
      deepEqual([values(file), readdirSync(path.dirname(file))], [expected, [path.basename(file)]]);
      const { mtimeNs } = statSync(file, { bigint: true }),
        second = await run(option);
      deepEqual([second.code, statSync(file, { bigint: true }).mtimeNs], [0, mtimeNs]);
      match(second.out, /^Symposium is already in /);
    }
  });

  test("keeps comments, other keys, the mode and the link, and backs up the text", async function () {
    this.timeout(timeLimit(120_000));
    const text =
      '{\r\n  // mine\r\n  "theme": "One",\r\n  "agent_servers": {\r\n    "Symposium": {\r\n' +
      '      "command": "symposium-acp-agent", // old\r\n      "default_mode": "ask",\r\n' +
      '      "env": { "KEY": "1" },\r\n    },\r\n  },\r\n}\r\n';
    const target = path.join(home, "dotfiles/settings.json");
    given(target, text);
    mkdirSync(path.dirname(zed), { recursive: true });
    symlinkSync(target, zed);
    const { code, out } = await run("--zed");
    equal(code, 0);
    match(out, new RegExp(`The previous text is in ${target}\\.before-symposium\\.\n`));
    equal(
      readFileSync(zed, "utf8"),
      text
        .replace(
          '"Symposium": {\r\n',
          `"Symposium": {\r\n      "type": "custom",\r\n      "args": [\r\n${entry.args
            .map(arg => `        ${JSON.stringify(arg)}`)
            .join(",\r\n")}\r\n      ],\r\n`,
        )
        .replace('"symposium-acp-agent"', JSON.stringify(command)),
    );
    deepEqual(
      [
        readFileSync(`${target}.before-symposium`, "utf8"),
        statSync(target).mode & 0o777,
        lstatSync(zed).isSymbolicLink(),
      ],
      [text, 0o640, true],
    );
  });

  test("shows the changes of a dry run and writes nothing", async function () {
    this.timeout(timeLimit(120_000));
    const missing = await run("--jetbrains", "--dry-run");
    deepEqual([missing.code, missing.err, readdirSync(home)], [0, "Nothing was written, because of --dry-run.\n", []]);
    match(missing.out, /^--- \/dev\/null\n\+\+\+ .*acp\.json\n@@ -0,0 \+1,\d+ @@\n\+\{\n\+ {2}"agent_servers": \{\n/);
    given(zed, '{\n  "theme": "One"\n}\n');
    const { code, out } = await run("--dry-run", "--zed");
    deepEqual([code, readFileSync(zed, "utf8")], [0, '{\n  "theme": "One"\n}\n']);
    deepEqual(readdirSync(path.dirname(zed)), ["settings.json"]);
    match(out, /\n {1}\{\n\+ {2}"agent_servers": \{\n[^]*\n {3}"theme": "One"\n \}\n$/);
  });

  test("refuses files that it cannot edit and leaves them unchanged", async function () {
    this.timeout(timeLimit(120_000));
    for (const [text, reason] of [
      ['{\n  "theme": ,\n}', /settings\.json cannot be changed: line 2 is not valid JSON\. Correct that and run/],
      ['{ "agent_servers": { "Symposium": "node" } }', /“Symposium” is not an object\./],
      ["[]", /it does not contain a JSON object\./],
    ] as const) {
      given(zed, text);
      const { code, out, err } = await run("--zed");
      deepEqual([code, out, readFileSync(zed, "utf8")], [1, "", text]);
      match(err, reason);
      match(err, /add these values to the file yourself:\n\{\n {2}"agent_servers"/);
    }
    given(jetbrains, "{}");
    chmodSync(jetbrains, 0o440);
    const readOnly = await run("--jetbrains");
    deepEqual([readOnly.code, readFileSync(jetbrains, "utf8")], [1, "{}"]);
    match(readOnly.err, /acp\.json cannot be changed: it is read-only\./);
    deepEqual(readdirSync(path.dirname(jetbrains)), ["acp.json"]);
  });

  test("prints only the configuration on stdout", async function () {
    this.timeout(timeLimit(120_000));
    for (const [option, start] of [
      ["--neovim", /^require\("codecompanion"\)\.setup\(\{\n/],
      ["--emacs", /^\(defun symposium-make-config/],
      ["--toad", /^toad acp '/],
    ] as const) {
      const { code, out, err } = await run(option);
      equal(code, 0);
      match(out, start);
      match(err, /^[A-Z].*\.\n$/);
      deepEqual(readdirSync(home), []);
    }
  });

  test("prints a command that a POSIX shell splits into the original words", async function () {
    if (process.platform === "win32") skipped(this, "It needs a POSIX shell");
    this.timeout(timeLimit(120_000));
    const { out } = await run("--toad"),
      words = (text: string): readonly string[] =>
        spawnSync("/bin/sh", ["-c", `printf '%s\\0' ${text}`], { encoding: "utf8" })
          .stdout.split("\0")
          .slice(0, -1);
    const [toad, acp, line, folder, ...title] = words(out);
    deepEqual([toad, acp, folder, title], ["toad", "acp", ".", ["--title", "Symposium"]]);
    deepEqual(words(line!), [command, ...script, "run"]);
  });
});
