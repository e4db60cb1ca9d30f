// The templates for authors in docs/templates, built as an author builds them, and the steps of the workflow that
// packages Rust extensions. SYMPOSIUM_TEMPLATES: a folder in which cargo keeps its build output for the next run.
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { run } from "../project.mjs";
import { stepScript } from "../workflow-step.mjs";

const TEMPLATES = path.resolve("docs/templates"),
  WORKFLOW = path.resolve(".github/workflows/package-extension.yml"),
  SIDECAR = path.resolve("out/installs/symposium-acp-agent.mjs");
const FOLDER = mkdtempSync(path.join(tmpdir(), "templates-")),
  TARGET = process.env.SYMPOSIUM_TEMPLATES ?? path.join(FOLDER, "target"),
  isWindows = process.platform === "win32";
const BUILD_MS = 20 * 60_000;

const works = (...command) =>
  spawnSync(command[0], command.slice(1), { stdio: "ignore", shell: isWindows }).status === 0;
function copyOf(template) {
  const copy = path.join(FOLDER, template);
  cpSync(path.join(TEMPLATES, template), copy, {
    recursive: true,
    filter: file => !/[\\/](node_modules|dist|target)$/.test(file),
  });
  return copy;
}
/** Runs a program, and returns its output. */
async function output(command, args, options = {}) {
  const { code, text } = await run(command, args, { output: "hold", limit: BUILD_MS, ...options });
  equal(code, 0, `${command} ${args.join(" ")}\n${text}`);
  return text;
}
const ours = (...args) => output(process.execPath, [SIDECAR, ...args]);
async function checkProxy(...command) {
  match(await ours("proxy", "check", "--", ...command), /, 0 failed, /);
}
function skipUnless(condition, test, reason) {
  if (condition) return;
  test.skipReason = reason;
  test.skip();
}

suite("template in TypeScript", function () {
  this.timeout(BUILD_MS);

  test("installs, builds and passes its tests and proxy check", async function () {
    skipUnless(works("npm", "--version"), this, "there is no npm here");
    const cwd = copyOf("typescript"),
      npm = isWindows ? "npm.cmd" : "npm";
    await output(npm, ["install", "--no-package-lock", "--no-audit", "--no-fund"], { cwd });
    match(await output(npm, ["test"], { cwd }), /^. pass 4$/m);
    await checkProxy(process.execPath, path.join(cwd, "dist/src/main.js"));
  });
});

suite("template in Rust", function () {
  this.timeout(BUILD_MS);
  const program = path.join(TARGET, "debug", isWindows ? "my-extension.exe" : "my-extension");
  let folder;
  suiteSetup(async function () {
    skipUnless(works("cargo", "--version"), this, "there is no cargo here");
    folder = copyOf("rust");
    const text = await output("cargo", ["test", "--locked"], { cwd: folder, env: { CARGO_TARGET_DIR: TARGET } });
    deepEqual(text.match(/(?<=test result: ok\. )\d+ passed/g), ["2 passed", "1 passed"], text);
  });

  test("passes proxy check", () => checkProxy(program));

  test("is packaged by the steps of the workflow, with a document that has no finding", async function () {
    const tools = [works("bash", "--version"), works("jq", "--version"), works("zip", "--version")];
    skipUnless(!isWindows && tools.every(Boolean), this, "bash, jq or zip is missing");
    const outputs = path.join(FOLDER, "outputs"),
      platform = "linux-x86_64",
      target = "x86_64-unknown-linux-musl";
    /** Runs a step, and returns its outputs. */
    const step = async (name, env, cwd = folder) => {
      writeFileSync(outputs, "");
      await output("bash", ["-eo", "pipefail", "-c", stepScript(WORKFLOW, name)], {
        cwd,
        env: { GITHUB_OUTPUT: outputs, ...env },
      });
      return Object.fromEntries(
        readFileSync(outputs, "utf8")
          .trim()
          .split("\n")
          .map(line => line.split(/=(.*)/s)),
      );
    };
    const git = (...args) =>
      output("git", ["-c", "user.name=a", "-c", "user.email=a@example.com", ...args], { cwd: folder });
    await git("init", "-q");
    await git("commit", "-q", "--allow-empty", "-m", "Release");
    const read = await step("Read Cargo.toml", { MANIFEST: "./Cargo.toml", TAG: "v0.1.0" }),
      { package: described, tag, commit } = read;
    equal(commit, (await git("rev-parse", "HEAD")).trim());
    const { name, version, binary, args, publish } = JSON.parse(described);
    deepEqual([name, version, binary, args, publish], ["my-extension", "0.1.0", "my-extension", [], []]);

    const built = path.join(folder, "target", target, "release");
    mkdirSync(built, { recursive: true });
    cpSync(program, path.join(built, "my-extension"));
    const env = { BINARY: binary, VERSION: version, PLATFORM: platform, TARGET: target };
    const { archive } = await step("Package", env);
    equal(archive, "my-extension-linux-x86_64-0.1.0.zip");

    const release = path.join(FOLDER, "release");
    mkdirSync(release);
    cpSync(path.join(folder, archive), path.join(release, archive));
    writeFileSync(path.join(release, "my-extension-macos-aarch64-0.1.0.zip"), "");
    writeFileSync(path.join(release, "my-extension-windows-x86_64-0.1.0.zip"), "");
    const published = { PACKAGE: described, TAG: tag, REPOSITORY: "https://github.com/you/my-extension" };
    await step("Write extension.json", published, release);
    const file = path.join(release, "extension.json"),
      { distribution, ...entry } = JSON.parse(readFileSync(file, "utf8"));
    deepEqual(entry, {
      id: "my-extension",
      name: "my-extension",
      version: "0.1.0",
      description: "Counts words and lines for coding agents",
      repository: "https://github.com/you/my-extension",
      license: "MIT",
      kind: "proxy",
    });
    deepEqual(Object.keys(distribution.binary), ["linux-x86_64", "darwin-aarch64", "windows-x86_64"]);
    equal(distribution.binary["windows-x86_64"].cmd, "./my-extension.exe");
    const { archive: url, cmd, sha256 } = distribution.binary["linux-x86_64"];
    equal(url, `https://github.com/you/my-extension/releases/download/v0.1.0/${archive}`);
    match(sha256, /^[0-9a-f]{64}$/);
    equal(await ours("registry", "check", file), "0 errors, 0 warnings.\n");

    const unpacked = path.join(FOLDER, "unpacked");
    await output("unzip", ["-q", path.join(release, archive), "-d", unpacked]);
    ok(existsSync(path.join(unpacked, "README.md")));
    equal(statSync(path.join(unpacked, cmd)).mode & 0o111, 0o111);
    await checkProxy(path.join(unpacked, cmd));
  });
});
