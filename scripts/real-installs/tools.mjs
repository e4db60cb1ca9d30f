// The package tools of this machine, and networks without package registries.
import { spawnSync } from "node:child_process";
import { mkdtempSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

const windows = process.platform === "win32";

export const works = command => spawnSync(command, ["--version"], { stdio: "ignore", shell: windows }).status === 0;

/**
 * A PATH with the tool: the user's, or for uv and pipx that of a new virtual environment in which pip installs the
 * tool. Undefined: the tool is missing.
 */
export function pathWith(tool) {
  if (works(tool)) return process.env.PATH;
  const python = ["python3", "python"].find(name => works(name));
  if (python === undefined || (tool !== "uv" && tool !== "pipx")) return undefined;
  const folder = mkdtempSync(path.join(tmpdir(), `${tool}-`)),
    bin = path.join(folder, windows ? "Scripts" : "bin");
  const done = (command, ...args) =>
    spawnSync(command, args, { stdio: "ignore", timeout: 60_000, shell: windows && command === python }).status === 0;
  return done(python, "-m", "venv", folder) && done(path.join(bin, "python"), "-m", "pip", "install", "--quiet", tool)
    ? `${bin}${path.delimiter}${process.env.PATH}`
    : undefined;
}

/** A PATH without package tools. On Windows npm remains, because it is in the folder of Node. */
export function pathWithoutTools() {
  if (windows) return path.dirname(process.execPath);
  const folder = mkdtempSync(path.join(tmpdir(), "no-tools-"));
  symlinkSync(process.execPath, path.join(folder, "node"));
  return folder;
}

/** No server listens on this address. */
const NOWHERE = "http://127.0.0.1:9/";

/** Settings of package tools and HTTP clients that let every request fail. */
export const WITHOUT_REGISTRIES = Object.fromEntries(
  [
    "http_proxy",
    "https_proxy",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "npm_config_registry",
    "PIP_INDEX_URL",
    "UV_DEFAULT_INDEX",
    "CARGO_HTTP_PROXY",
  ].map(name => [name, NOWHERE]),
);

/** Enables loopback in a new network namespace and runs the following command. `$1`: the PATH with `ip`. */
const LOOPBACK_ONLY = [
  "/usr/bin/unshare",
  "--net",
  "/bin/sh",
  "-c",
  'PATH="$1" ip link set lo up && shift && exec "$@"',
  "sh",
  `/usr/sbin:/sbin:${process.env.PATH}`,
];

/** Whether `withoutNetwork` can remove the network: on Linux, as root. */
export const hidesNetwork =
  process.platform === "linux" &&
  process.getuid() === 0 &&
  spawnSync(LOOPBACK_ONLY[0], [...LOOPBACK_ONLY.slice(1), process.execPath, "--version"]).status === 0;

/** The command in a network namespace that has loopback only, if this machine supports it. */
export const withoutNetwork = command => (hidesNetwork ? [...LOOPBACK_ONLY, ...command] : command);
