// A real VS Code for a machine without a desktop: code-server, the Node that it needs, and a Chromium to display it.
// These programs are in a cache folder outside the checkout, because they are large and independent of Symposium's
// releases.
import { spawn } from "node:child_process";
import { accessSync, constants, existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import path from "node:path";
import { progress } from "../progress.mjs";
import { cleanEnvironment } from "./environment.mjs";

const CODE_SERVER_VERSION = "4.139.1";
const NODE_VERSION = "24.21.0";
const nodePackage = `node-${process.platform}-${process.arch}`;

export const cacheFolder = process.env.SYMPOSIUM_VSCODE_CACHE || path.join(homedir(), ".cache", "symposium-vscode");
const nodeFolder = path.join(cacheFolder, "node24", "node_modules", nodePackage);
export const serverNode = path.join(nodeFolder, "bin", "node");
const serverFolder = path.join(cacheFolder, "cs");
export const serverEntry = path.join(serverFolder, "node_modules", "code-server", "out", "node", "entry.js");
const serverStamp = path.join(serverFolder, `.ok-${CODE_SERVER_VERSION}`);

const BROWSERS = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "microsoft-edge"];
const MAC_BROWSERS = ["Google Chrome", "Chromium", "Microsoft Edge"].map(
  name => `/Applications/${name}.app/Contents/MacOS/${name}`,
);

/** The full path of a program on PATH. */
export function which(program) {
  const endings = process.platform === "win32" ? [".exe", ".cmd"] : [""];
  return (process.env.PATH ?? "")
    .split(path.delimiter)
    .flatMap(folder => endings.map(ending => path.join(folder, program + ending)))
    .find(executable);
}

function executable(file) {
  try {
    accessSync(file, constants.X_OK);
    return path.isAbsolute(file);
  } catch {
    return false;
  }
}

/** A Chromium of the system, or the one that SYMPOSIUM_CHROMIUM names. */
export function findBrowser() {
  if (process.env.SYMPOSIUM_CHROMIUM) return process.env.SYMPOSIUM_CHROMIUM;
  return BROWSERS.map(which).find(Boolean) ?? MAC_BROWSERS.find(executable);
}

/**
 * Installs missing parts of the server, and with `browser` the other requirements of the tests. Passes progress
 * messages of installations to `print`. Rejects with instructions for the user if an installation is impossible.
 */
export async function installBox({ browser = true, print = text => console.log(text) } = {}) {
  if (process.platform === "win32")
    throw new Error(
      "VS Code in the browser does not run on Windows itself: use WSL, or put the desktop `code` on PATH.",
    );
  const needServer = !existsSync(serverStamp);
  await installSystemPackages(
    [
      ...(browser && findBrowser() === undefined
        ? [{ debian: "chromium", what: "Chromium or Chrome (or set SYMPOSIUM_CHROMIUM)" }]
        : []),
      ...(needServer ? buildTools() : []),
    ],
    print,
  );
  if (!existsSync(serverNode)) {
    print(`Installing Node ${NODE_VERSION} for VS Code into ${cacheFolder}…`);
    await npmInstall("node24", `${nodePackage}@${NODE_VERSION}`, {}, print);
  }
  if (needServer) {
    print(`Installing VS Code (code-server ${CODE_SERVER_VERSION}) into ${cacheFolder}: once, 1 to 5 minutes, 0.8 GB…`);
    // Its install script compiles native modules against this Node's headers. Optimised code would only take longer to
    // compile.
    await npmInstall(
      "cs",
      `code-server@${CODE_SERVER_VERSION}`,
      {
        PATH: `${path.join(nodeFolder, "bin")}${path.delimiter}${process.env.PATH}`,
        npm_config_nodedir: nodeFolder,
        npm_config_jobs: "2",
        MAKEFLAGS: "-j2",
        CXXFLAGS: "-O0",
        CFLAGS: "-O0",
      },
      print,
    );
    writeFileSync(serverStamp, "");
  }
}

/** Missing build requirements of the server's native modules. */
function buildTools() {
  if (process.platform !== "linux") return [];
  const missing = (program, debian) => (which(program) ? [] : [{ debian, what: debian }]);
  return [
    ...(existsSync("/usr/include/gssapi/gssapi.h")
      ? []
      : [{ debian: "libkrb5-dev", what: "the Kerberos headers (libkrb5-dev, krb5-devel)" }]),
    ...missing("g++", "g++"),
    ...missing("make", "make"),
    ...missing("python3", "python3"),
  ];
}

async function installSystemPackages(missing, print) {
  if (missing.length === 0) return;
  const names = missing.map(({ debian }) => debian);
  if (!which("apt-get") || process.getuid?.() !== 0) {
    const how = which("apt-get") ? `: sudo apt-get install ${names.join(" ")}` : "";
    throw new Error(`Please install ${missing.map(({ what }) => what).join(", ")}${how}. Then run this again.`);
  }
  print(`Installing Debian packages: ${names.join(", ")}…`);
  const environment = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  await finish("apt-get", ["update", "-qq"], { env: environment }, print);
  await finish("apt-get", ["install", "-y", "-qq", "--no-install-recommends", ...names], { env: environment }, print);
}

/** Installs one package into the folder `name` of a cache. The folder is renamed to `name` when it is complete. */
export async function npmInstall(name, specification, environment, print, cache = cacheFolder) {
  mkdirSync(cache, { recursive: true });
  // Remains of killed installations.
  for (const folder of readdirSync(cache))
    if (folder.startsWith(`${name}.`) && !isAlive(Number(folder.slice(name.length + 1))))
      rmSync(path.join(cache, folder), { recursive: true, force: true });
  const staging = path.join(cache, `${name}.${process.pid}`);
  mkdirSync(staging, { recursive: true });
  writeFileSync(path.join(staging, "package.json"), JSON.stringify({ name, private: true, version: "1.0.0" }));
  try {
    await finish(
      "npm",
      ["install", "--no-audit", "--no-fund", "--foreground-scripts", "--loglevel=error", specification],
      { cwd: staging, env: { ...cleanEnvironment(), ...environment } },
      print,
    );
    rmSync(path.join(cache, name), { recursive: true, force: true });
    renameSync(staging, path.join(cache, name));
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

function isAlive(pid) {
  try {
    return Number.isInteger(pid) && process.kill(pid, 0);
  } catch (error) {
    return error.code === "EPERM";
  }
}

/** Runs an installer to its end with progress messages. On failure, its last lines are the error. */
const finish = (command, args, options, print) =>
  progress(
    command,
    () =>
      new Promise((resolve, reject) => {
        let text = "";
        const keep = chunk => {
          text = (text + chunk).slice(-20_000);
        };
        const child = spawn(command, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
        child.stdout.setEncoding("utf8").on("data", keep);
        child.stderr.setEncoding("utf8").on("data", keep);
        const end = (code, why) => {
          const lines = text.split("\n").slice(-40).join("\n");
          if (code === 0) resolve();
          else reject(new Error(`${lines}\n${command} ${args.join(" ")} failed (${why}).`));
        };
        child.on("error", error => end(1, error.message));
        child.on("close", (code, signal) => end(code ?? 1, signal ?? `code ${code}`));
      }),
    print,
  );

/** A folder for one run below the system's temporary folder. Short, because it contains sockets. */
export const temporaryRoot = () => process.env.SYMPOSIUM_TEST_ROOT || tmpdir();
