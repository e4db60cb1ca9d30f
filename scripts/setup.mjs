// The set-up: the dependencies that package-lock.json names. Does nothing, and says nothing, when they are there.
//   node scripts/setup.mjs
// Uses Node's own modules only: it runs before anything is installed.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

// First of all, and with nothing that an older Node lacks.
const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`Node 20.19 or newer is needed; this is ${process.version}.`);
  process.exit(1);
}

const root = fileURLToPath(new URL("..", import.meta.url));
const packages = file => JSON.parse(readFileSync(path.join(root, file), "utf8")).packages;

/**
 * npm's own note of what it installed is written last, so it is the stamp. Packages for other platforms are not in it.
 */
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
  // Without install scripts: nothing that we use needs them. (esbuild's only replaces its launcher, which works as it
  // is.)
  const npm = spawnSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: root,
    stdio: ["ignore", "inherit", "inherit"],
    shell: process.platform === "win32",
  });
  if (npm.status !== 0) {
    console.error("The dependencies could not be installed; npm's message is above.");
    process.exit(1);
  }
}
