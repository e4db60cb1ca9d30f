// One code-server: the workbench for any number of pages, and their extension hosts.
import { spawn, spawnSync } from "node:child_process";
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { timeLimit } from "../time-limits.mjs";
import { cleanEnvironment } from "./environment.mjs";
import { serverEntry, serverNode, temporaryRoot } from "./install.mjs";

/** Disables all prompts, downloads and start pages of VS Code. */
export const QUIET_SETTINGS = {
  "security.workspace.trust.enabled": false,
  "workbench.startupEditor": "none",
  "telemetry.telemetryLevel": "off",
  "update.mode": "none",
  "extensions.autoCheckUpdates": false,
  "extensions.autoUpdate": false,
  "extensions.ignoreRecommendations": true,
  "workbench.enableExperiments": false,
  "workbench.welcomePage.walkthroughs.openOnInstall": false,
  "workbench.tips.enabled": false,
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  "workbench.editor.useModal": "off",
  "window.titleBarStyle": "custom",
  "remote.autoForwardPorts": false, // its notification for a server of an agent covers the prompt
  "git.autofetch": false,
  "git.openRepositoryInParentFolders": "never",
  "github.gitAuthentication": false,
};

const groups = new Set();
process.on("exit", () => {
  for (const pid of groups) signal(pid, "SIGKILL");
});

/**
 * Starts a server on a free port of the loopback interface.
 *
 * `home` contains all files of the server and is the parent of its TMPDIR. If omitted, `home` is created and removed at
 * the end. `ownHome` also makes it HOME, so that no user files are read. `settings` are the user settings. `env` is
 * added to the environment of server, extension hosts and agents.
 */
export async function startServer({
  home,
  ownHome = true,
  settings = {},
  userData,
  extensionsDir,
  env = {},
  args = [],
  restricted = false,
  graceSeconds = 5,
  password,
} = {}) {
  const folder = home ?? mkdtempSync(path.join(temporaryRoot(), "symposium-"));
  const server = {
    home: folder,
    userData: userData ?? path.join(folder, "user-data"),
    extensions: extensionsDir ?? path.join(folder, "extensions"),
    logFile: path.join(folder, "server.log"),
    port: 0,
    authority: "",
    pid: 0,
    settingsFile: "",
    writeSettings: added => {
      const all = { ...QUIET_SETTINGS, ...settings, ...added };
      writeWhole(server.settingsFile, all);
      // Settings of the scope "machine" are read only on the extension host's machine, which is remote for the page.
      writeWhole(
        machineSettings,
        Object.fromEntries(Object.entries(all).filter(([name]) => name.startsWith("symposium."))),
      );
    },
    install: vsix => installExtension(server, vsix),
    stop: async () => {},
  };
  server.settingsFile = path.join(server.userData, "User", "settings.json");
  const machineSettings = path.join(server.userData, "Machine", "settings.json");
  const temporary = path.join(folder, "t");
  for (const folder of [path.dirname(server.settingsFile), path.dirname(machineSettings), server.extensions, temporary])
    mkdirSync(folder, { recursive: true });
  if (!existsSync(server.settingsFile)) server.writeSettings({});

  const log = openSync(server.logFile, "w");
  const child = spawn(
    serverNode,
    [
      serverEntry,
      "--auth",
      password === undefined ? "none" : "password",
      "--bind-addr",
      "127.0.0.1:0",
      "--config",
      path.join(folder, "config.yaml"),
      "--session-socket",
      path.join(folder, "s.sock"),
      "--user-data-dir",
      server.userData,
      "--extensions-dir",
      server.extensions,
      "--disable-telemetry",
      "--disable-update-check",
      "--disable-getting-started-override",
      "--ignore-last-opened",
      "--reconnection-grace-time",
      String(graceSeconds),
      ...(restricted ? [] : ["--disable-workspace-trust"]),
      ...args,
    ],
    {
      stdio: ["ignore", log, log],
      detached: true,
      env: {
        ...cleanEnvironment(),
        ...(ownHome ? { HOME: folder, TMPDIR: temporary, XDG_RUNTIME_DIR: temporary } : {}),
        ...(password === undefined ? {} : { PASSWORD: password }),
        ...env,
      },
    },
  );
  closeSync(log);
  const ended = new Promise(resolve => {
    child.on("error", error => resolve(error.message));
    child.on("exit", (code, by) => resolve(`code ${code ?? by}`));
  });
  if (child.pid !== undefined) groups.add(child.pid);
  server.pid = child.pid ?? 0;
  server.stop = async () => {
    signal(child.pid, "SIGTERM");
    await Promise.race([ended, delay(5000, undefined, { ref: false })]);
    signal(child.pid, "SIGKILL");
    groups.delete(child.pid);
    // A sidecar ends by itself after its extension host, and writes until then. The waits add up to 30 s.
    if (home === undefined) rmSync(folder, { recursive: true, force: true, maxRetries: 24, retryDelay: 100 });
  };
  try {
    server.port = await listening(server.logFile, ended);
  } catch (error) {
    await server.stop();
    throw error;
  }
  server.authority = `127.0.0.1:${server.port}`;
  return server;
}

async function listening(logFile, ended) {
  const deadline = Date.now() + timeLimit(120_000);
  for (;;) {
    const why = await Promise.race([ended, delay(100)]);
    const log = readFileSync(logFile, "utf8");
    const port = /server listening on http:\/\/127\.0\.0\.1:(\d+)/.exec(log)?.[1];
    if (port !== undefined && why === undefined) return Number(port);
    if (why !== undefined) throw new Error(`code-server did not start (${why}):\n${log}`);
    if (Date.now() > deadline) throw new Error(`code-server did not start in time:\n${log}`);
  }
}

/** Replaces the file atomically, so that a window watching it never reads a part. */
function writeWhole(file, value) {
  writeFileSync(`${file}.new`, JSON.stringify(value, null, 2));
  renameSync(`${file}.new`, file);
}

function installExtension(server, vsix) {
  const result = spawnSync(
    serverNode,
    [
      serverEntry,
      "--user-data-dir",
      server.userData,
      "--extensions-dir",
      server.extensions,
      "--config",
      path.join(server.home, "config.yaml"),
      "--install-extension",
      vsix,
      "--force",
    ],
    { encoding: "utf8", env: { ...cleanEnvironment(), HOME: server.home } },
  );
  if (result.status !== 0) throw new Error(`${vsix} could not be installed:\n${result.stdout}${result.stderr}`);
}

function signal(pid, name) {
  try {
    if (pid !== undefined) process.kill(-pid, name);
  } catch {
    /* The process has exited. */
  }
}
