import { deepEqual } from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { skipped } from "../sidecar/testing/skipped";
import { stepScript } from "./workflow-step.mjs";

const WORKFLOW = ".github/workflows/package-extension.yml";

suite("workflow that packages extensions", () => {
  test("compares the tag with the version", function () {
    if (process.platform === "win32") skipped(this, "The workflow runs its steps on Linux");
    const script = stepScript(WORKFLOW, "Compare the tag with the version"),
      env = { ...process.env, VERSION: "0.1.0" };
    const codes = (tags: readonly string[]) =>
      tags.map(tag => spawnSync("bash", ["-e", "-c", script], { env: { ...env, TAG: tag } }).status);
    deepEqual(
      codes(["0.1.0", "v0.1.0", "my-ext-v0.1.0", "my-ext-0.1.0", "my-ext/v0.1.0", "my-ext@0.1.0"]),
      [0, 0, 0, 0, 0, 0],
    );
    deepEqual(codes(["v0.2.0", "main", "v10.1.0", "v0.1.0-beta", "", "v0x1x0"]), [1, 1, 1, 1, 1, 1]);
  });
});
