// The version, the channel and the notes of a release. The release workflow runs it.
//   node scripts/release.mjs [--tag vX.Y.Z] [--out FILE]
// Prints `name=value` lines for a workflow's outputs, and writes the notes to FILE. Exits with a sentence if the tag,
// package.json, package-lock.json and the changelog disagree. Without a tag, as in a dry run, the section "Unreleased"
// replaces a missing section.
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fail, manifest, options, root } from "./project.mjs";
import { releaseOf } from "./release-notes.mjs";

const { tag, out } = options(process.argv.slice(2), { one: ["tag", "out"] });
const read = file => readFileSync(path.join(root, file), "utf8");
try {
  const { notes, ...outputs } = releaseOf({
    version: manifest.version,
    lockedVersion: JSON.parse(read("package-lock.json")).version,
    tag,
    changelog: read("CHANGELOG.md"),
    repository: manifest.repository.url.replace(/\.git$/, ""),
  });
  if (out !== undefined) writeFileSync(out, `${notes}\n`);
  for (const [name, value] of Object.entries(outputs)) console.log(`${name}=${value}`);
} catch (error) {
  fail(error.message);
}
