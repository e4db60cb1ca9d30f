// The part of `npm start` that runs after the dependencies are installed.
import { applyEdits, modify } from "jsonc-parser";
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { build } from "./build.mjs";
import { fail, killGroup, manifest, options, root } from "./project.mjs";
import { progress } from "./progress.mjs";
import { smoke } from "./smoke.mjs";
import { cleanEnvironment } from "./vscode-box/environment.mjs";
import { cacheFolder, installBox, which } from "./vscode-box/install.mjs";
import { QUIET_SETTINGS, startServer } from "./vscode-box/server.mjs";

const WORKSPACE = path.join(root, "test-workspace");
const HINT = "To open the chat, run “Symposium: Open Chat” (F1).";

export async function start(argv) {
  const parsed = options(argv, {
    flags: ["smoke", "browser", "development"],
    one: ["agent", "screenshot", "timeout", "permission", "folder", "stop"],
    many: ["prompt"],
  });
  if (parsed.rest.length > 0)
    fail(
      `Unexpected argument "${parsed.rest.join(" ")}". ` +
        "Pass an agent's command as one argument: npm start -- --agent 'my-agent --acp'",
    );
  if (
    !parsed.smoke &&
    (parsed.prompt.length > 0 || parsed.screenshot || parsed.timeout || parsed.permission || parsed.stop)
  )
    fail("--prompt, --permission, --stop, --screenshot and --timeout require --smoke.");
  if (!["allow", "reject", undefined].includes(parsed.permission))
    fail(`--permission must be allow or reject, not "${parsed.permission}".`);
  const seconds = Number(parsed.timeout ?? 120);
  if (!(seconds > 0)) fail(`--timeout must be a number of seconds, not "${parsed.timeout}".`);
  try {
    await build(parsed.development ? "development" : "production");
    const settings = agentSettings(parsed.agent);
    const workspace = parsed.folder === undefined ? WORKSPACE : path.resolve(caller(), parsed.folder);
    if (parsed.smoke)
      process.exitCode = await progress("VS Code", () =>
        smoke({
          prompts: parsed.prompt,
          settings,
          screenshot: path.resolve(caller(), parsed.screenshot ?? path.join(root, "out/smoke.png")),
          seconds,
          workspace,
          permission: parsed.permission,
          stop: parsed.stop,
        }),
      );
    else if (!parsed.browser && desktop()) await openDesktop(desktop(), settings, workspace);
    else await openBrowser(settings, workspace);
  } catch (error) {
    fail(error.message);
  }
}

/** The folder in which the user ran the command; npm runs scripts in the project's folder. */
const caller = () => process.env.INIT_CWD ?? process.cwd();

/** The settings that select the agent: a shell command, run in the user's folder, or Eliza. */
function agentSettings(command) {
  if (command === undefined) return { "symposium.agents": [], "symposium.currentAgentId": "elizacp" };
  const local =
    process.platform === "win32"
      ? { command: "cmd", args: ["/d", "/s", "/c", `cd /d "${caller()}" && ${command}`] }
      : { command: "/bin/sh", args: ["-c", `cd ${quoted(caller())} && ${command}`] };
  return {
    "symposium.agents": [{ id: "start-agent", name: nameOf(command), distribution: { local } }],
    "symposium.currentAgentId": "start-agent",
  };
}

/** The agent's name in the chat: the program, without its runner and options. */
function nameOf(command) {
  const parts = command
    .trim()
    .split(/\s+/)
    .filter(word => !/^-|^\w+=/.test(word) && !["env", "exec", "node", "npx", "uvx"].includes(path.basename(word)));
  return path.basename(parts[0]?.replaceAll(/["']/g, "") ?? "") || "Agent";
}

const quoted = text => `'${text.replaceAll("'", "'\\''")}'`;

const desktop = () => process.env.SYMPOSIUM_CODE || which("code");

/** A separate profile, isolated from the user's settings and extensions. Changes in VS Code persist. */
function profile(name, settings) {
  const folder = path.join(cacheFolder, "profiles", name);
  const userData = path.join(folder, "user-data"),
    extensionsDir = path.join(folder, "extensions");
  mkdirSync(extensionsDir, { recursive: true });
  const fresh = !existsSync(settingsFile(userData, "User"));
  edit(settingsFile(userData, "User"), { ...(fresh ? QUIET_SETTINGS : {}), ...settings });
  // For VS Code in the browser, the extension host runs on a remote machine. It reads settings of the scope "machine"
  // from this file.
  edit(settingsFile(userData, "Machine"), settings);
  return { folder, userData, extensionsDir };
}

const settingsFile = (userData, whose) => path.join(userData, whose, "settings.json");

function edit(file, settings) {
  mkdirSync(path.dirname(file), { recursive: true });
  let text = existsSync(file) ? readFileSync(file, "utf8") : "{}";
  for (const [key, value] of Object.entries(settings)) {
    text = applyEdits(text, modify(text, [key], value, { formattingOptions: { insertSpaces: true, tabSize: 2 } }));
  }
  writeFileSync(file, text);
}

async function openDesktop(code, settings, workspace) {
  const { userData, extensionsDir } = profile("desktop", settings);
  console.log(`Opening VS Code (${code}). ${HINT}`);
  const child = spawn(
    code,
    [
      "--new-window",
      "--wait",
      "--user-data-dir",
      userData,
      "--extensions-dir",
      extensionsDir,
      "--disable-workspace-trust",
      `--extensionDevelopmentPath=${root}`,
      workspace,
    ],
    { stdio: "inherit", env: cleanEnvironment(), shell: process.platform === "win32" },
  );
  process.exitCode =
    (await new Promise((resolve, reject) => {
      child.on("error", error => reject(new Error(`VS Code could not be started with ${code}: ${error.message}`)));
      child.on("exit", resolve);
    })) ?? 1;
}

async function openBrowser(settings, workspace) {
  await installBox({ browser: false });
  const { folder, userData, extensionsDir } = profile("browser", settings);
  // Registers this folder as an installed extension, because a page opened by hand has no development options.
  const where = { $mid: 1, path: root, scheme: "file" };
  writeFileSync(
    path.join(extensionsDir, "extensions.json"),
    JSON.stringify([
      { identifier: { id: `${manifest.publisher}.${manifest.name}` }, version: manifest.version, location: where },
    ]),
  );
  // The page gives access to a shell, so a password excludes other users of this computer.
  const password = randomBytes(9).toString("base64url");
  const server = await progress("VS Code", () =>
    startServer({
      home: folder,
      ownHome: false,
      userData,
      extensionsDir,
      graceSeconds: 300,
      password,
    }),
  );
  const url = `http://${server.authority}/?folder=${encodeURIComponent(workspace)}`;
  console.log(`\n  VS Code is at ${url}\n  Password: ${password}\n  ${HINT}\n  Press Ctrl+C to stop it.\n`);
  const opener =
    process.platform === "darwin"
      ? "open"
      : process.env.DISPLAY || process.env.WAYLAND_DISPLAY
        ? which("xdg-open")
        : undefined;
  if (opener !== undefined)
    spawn(opener, [url], { stdio: "ignore", detached: true })
      .on("error", () => {})
      .unref();
  const interval = setInterval(() => {}, 1_000_000);
  process.on("exit", () => {
    clearInterval(interval);
    killGroup(server.pid, "SIGTERM");
  });
}
