// Installs the dependencies of package-lock.json. Does nothing and prints nothing if they are installed.
//   node scripts/setup.mjs
// Uses Node's own modules only, because it runs before the installation.
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { progress } from "./progress.mjs";

// The version check runs first and uses no newer features.
const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`Node 20.19 or newer is required. This is ${process.version}.`);
  process.exit(1);
}

const root = fileURLToPath(new URL("..", import.meta.url));
const packages = file => JSON.parse(readFileSync(path.join(root, file), "utf8")).packages;

/** npm writes its own lockfile last, so it is the stamp. It does not list packages for other platforms. */
function installed() {
  const note = "node_modules/.package-lock.json";
  if (!existsSync(path.join(root, note))) return false;
  const present = packages(note);
  return Object.entries(packages("package-lock.json")).every(
    ([folder, { version, optional }]) =>
      folder === "" || (present[folder] === undefined ? optional === true : present[folder].version === version),
  );
}

if (!installed()) {
  console.log("Installing the dependencies (npm ci)…");
  // Without install scripts, because no used feature needs them. (esbuild's script only replaces its launcher, which
  // works without it.)
  const code = await progress(
    "npm ci",
    () =>
      new Promise(resolve => {
        const args = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
        spawn("npm", args, {
          cwd: root,
          stdio: ["ignore", "inherit", "inherit"],
          shell: process.platform === "win32",
        })
          .on("error", error => resolve(error.message))
          .on("close", resolve);
      }),
  );
  if (code !== 0) {
    console.error("The dependencies could not be installed. See npm's message above.");
    process.exit(1);
  }
}
