import { deepEqual, equal, rejects } from "node:assert/strict";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { ConfigurationFile } from "./configuration-file";
import { configurationOf } from "./known-configurations";

const PROGRAM = { command: "/usr/bin/node", script: "/opt/sidecar.js", electron: false };

suite("ConfigurationFile", () => {
  let folder: string;
  setup(() => {
    folder = mkdtempSync(path.join(tmpdir(), "symposium-"));
  });
  teardown(() => rmSync(folder, { recursive: true, force: true }));
  const at = (name: string, program = PROGRAM) =>
    new ConfigurationFile({ file: path.join(folder, name), format: "mcpServers" }, program);
  const kind = async (file: ConfigurationFile) => (await file.state()).entry.kind;

  test("adds the entry with a backup and removes both completely", async () => {
    const file = at("settings.json"),
      text = '\uFEFF{\r\n\t"theme": "dark", // mine\r\n}';
    writeFileSync(file.file, text, { mode: 0o640 });
    const { backup, text: lines } = await file.plan();
    deepEqual(
      [backup, lines.includes("--attach"), await kind(file), readdirSync(folder)],
      [`${file.file}.before-symposium`, true, "absent", ["settings.json"]],
    );
    await file.add();
    await file.add();
    deepEqual(
      [await kind(file), readFileSync(`${file.file}.before-symposium`, "utf8"), statSync(file.file).mode & 0o777],
      ["added", text, 0o640],
    );
    await file.remove();
    await file.remove();
    deepEqual(
      [readFileSync(file.file, "utf8"), readdirSync(folder), statSync(file.file).mode & 0o777],
      [text, ["settings.json"], 0o640],
    );
  });

  test("creates a missing file and deletes it", async () => {
    const file = at("new/folder/settings.json");
    deepEqual(await file.plan().then(({ backup }) => backup), undefined);
    await file.add();
    equal(statSync(file.file).mode & 0o777, 0o600);
    await file.remove();
    equal(existsSync(file.file), false);
  });

  test("keeps later edits and replaces the entry of another version", async () => {
    const file = at("settings.json"),
      moved = at("settings.json", { ...PROGRAM, script: "/opt/new/sidecar.js" });
    writeFileSync(file.file, '{ "a": 1 }');
    await file.add();
    equal(await kind(moved), "outdated");
    await moved.add();
    writeFileSync(file.file, readFileSync(file.file, "utf8").replace('"a": 1', '"a": 2'));
    await moved.remove();
    deepEqual(JSON.parse(readFileSync(file.file, "utf8")), { a: 2, mcpServers: {} });
  });

  test("replaces the target of a symbolic link", async () => {
    const file = at("link.json");
    writeFileSync(path.join(folder, "target.json"), "{}");
    symlinkSync("target.json", file.file);
    await file.add();
    equal(
      await at("target.json")
        .state()
        .then(({ entry }) => entry.kind),
      "added",
    );
    await file.remove();
    deepEqual(
      [readFileSync(path.join(folder, "target.json"), "utf8"), readdirSync(folder).sort()],
      ["{}", ["link.json", "target.json"]],
    );
  });

  test("rejects unwritable or invalid files without changing them", async () => {
    const files: readonly (readonly [name: string, why: RegExp])[] = [
      ["unfinished.json", /cannot be changed: line 1 is not valid JSON\.$/],
      ["binary.json", /not UTF-8 text\.$/],
      ["folder.json", /it is not a file\.$/],
      ["huge.json", /larger than 16 MB\.$/],
      ["readonly.json", /it is read-only\.$/],
      ["dangling.json", /a link to a file that does not exist\.$/],
    ];
    writeFileSync(path.join(folder, "unfinished.json"), "{");
    writeFileSync(path.join(folder, "binary.json"), Buffer.from([0xff, 0xfe, 0]));
    mkdirSync(path.join(folder, "folder.json"));
    writeFileSync(path.join(folder, "huge.json"), " ".repeat(16 * 1024 * 1024 + 1));
    writeFileSync(path.join(folder, "readonly.json"), "{}");
    chmodSync(path.join(folder, "readonly.json"), 0o444);
    symlinkSync("nowhere.json", path.join(folder, "dangling.json"));
    const before = readdirSync(folder);
    for (const [name, why] of files) {
      await rejects(at(name).plan(), why, name);
      await rejects(at(name).add(), why, name);
    }
    await rejects(
      new ConfigurationFile({ file: "relative.json", format: "codex" }, PROGRAM).add(),
      /its path is not absolute\.$/,
    );
    deepEqual([readdirSync(folder), readFileSync(path.join(folder, "readonly.json"), "utf8")], [before, "{}"]);
  });

  test("keeps an edited entry", async () => {
    const file = at("settings.json");
    await file.add();
    const text = readFileSync(file.file, "utf8").replace('"mcp"', '"my-mcp"');
    writeFileSync(file.file, text);
    await rejects(file.remove(), /its entry “symposium” is not as Symposium writes it/);
    deepEqual([await kind(file), readFileSync(file.file, "utf8")], ["edited", text]);
  });
});

suite("known configurations", () => {
  test("uses the agents' environment variables and the user's setting", () => {
    const of = (id: string, overrides = {}, env = {}) =>
      configurationOf({ id, name: id, distribution: { local: { command: "x" } }, ...overrides }, "/home/ada", env);
    deepEqual(
      [
        of("zed-claude-code"),
        of("zed-claude-code", {}, { CLAUDE_CONFIG_DIR: "/c" }),
        of("codex", {}, { CODEX_HOME: "/x" }),
        of("gemini"),
        of("opencode"),
        of("mine"),
        of("gemini", { ownConfiguration: { file: "~/mine.json", format: "mcpServers" } }),
      ],
      [
        { format: "claude", file: "/home/ada/.claude.json" },
        { format: "claude", file: "/c/.claude.json" },
        { format: "codex", file: "/x/config.toml" },
        { format: "gemini", file: "/home/ada/.gemini/settings.json" },
        { format: "opencode", file: "/home/ada/.config/opencode/opencode.json" },
        undefined,
        { format: "mcpServers", file: "/home/ada/mine.json" },
      ],
    );
  });
});
