import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** Runs the set-up on a Node that reports this version and lacks newer features. */
const onNode = (version: string) => {
  const pretend = `data:text/javascript,Object.defineProperty(process, "versions", { value: { ...process.versions, node: "${version}" } }); Object.defineProperty(process, "version", { value: "v${version}" });`;
  const { status, stdout, stderr } = spawnSync(process.execPath, ["--import", pretend, "scripts/setup.mjs"], {
    encoding: "utf8",
  });
  return { status, text: stdout + stderr };
};

suite("setup", () => {
  test("rejects an older Node with one sentence", () => {
    for (const version of ["14.21.3", "18.20.0", "20.9.0", "20.18.3"]) {
      assert.deepEqual(onNode(version), { status: 1, text: `Node 20.19 or newer is required. This is v${version}.\n` });
    }
  });

  test("prints nothing for a supported Node", () => {
    for (const version of ["20.19.0", "22.0.0", "100.1.0"]) assert.deepEqual(onNode(version), { status: 0, text: "" });
  });

  test("uses no newer Node features before the version check", () => {
    for (const file of ["setup", "start", "test", "test-agents"])
      assert.ok(!readFileSync(`scripts/${file}.mjs`, "utf8").includes("import.meta.dirname"), file);
  });
});
