import { deepEqual, ok } from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

const FOLDERS = [".github/workflows", "docs/templates/rust/.github/workflows"],
  WORKFLOWS = FOLDERS.flatMap(folder => readdirSync(folder).map(name => path.join(folder, name)));

suite("GitHub workflows", () => {
  const uses = (file: string): readonly string[] =>
    [...readFileSync(file, "utf8").matchAll(/^\s*(?:- )?uses: (.+)$/gm)].map(([, used = ""]) => used);

  test("pin actions by the hash of a commit, with its version as a comment", () => {
    const actions = WORKFLOWS.flatMap(uses).filter(used => used.startsWith("actions/"));
    ok(actions.length > 0);
    deepEqual(
      actions.filter(used => !/^actions\/[a-z-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(used)),
      [],
    );
    deepEqual(new Set(actions).size, new Set(actions.map(used => used.split("@")[0])).size, "one version of each");
  });

  test("use no other actions than GitHub's and this project's, and no branch", () => {
    const others = WORKFLOWS.flatMap(uses).filter(used => !used.startsWith("actions/"));
    deepEqual(
      others.filter(used => !/^(\.\/|symposium-dev\/symposium-vscode\/.+@v\d+\.\d+\.\d+$)/.test(used)),
      [],
    );
  });
});
