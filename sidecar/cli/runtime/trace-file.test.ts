import { deepEqual, equal, ok } from "node:assert/strict";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Frame } from "../../rpc/frame";
import { temporaryFolder } from "../../testing/drive";
import { openTrace } from "./trace-file";

const frame = Frame.of({ jsonrpc: "2.0", method: "session/update", params: { text: "x".repeat(200) } });

suite("trace folder", () => {
  test("keeps the newest files of all runs and all other files", async () => {
    using folder = temporaryFolder();
    for (const name of ["notes.jsons", "symposium-acp-agent-2026-01-01T00-00-00-000Z-1.log"])
      writeFileSync(path.join(folder.path, name), "");
    writeFileSync(path.join(folder.path, "symposium-acp-agent-2026-01-01T00-00-00-000Z-1.jsons"), "old");
    let time = Date.parse("2026-11-23T12:00:00Z");
    for (let run = 0; run < 20; run++)
      await openTrace(
        folder.path,
        () => undefined,
        {},
        () => ++time,
      )[Symbol.asyncDispose]();
    const names = readdirSync(folder.path).sort(),
      traces = names.filter(name => name.startsWith("symposium-acp-agent-2026-11-23") && name.endsWith(".jsons"));
    equal(traces.length, 16);
    deepEqual(
      names.filter(name => !traces.includes(name)),
      ["notes.jsons", "symposium-acp-agent-2026-01-01T00-00-00-000Z-1.log"],
    );
    ok(traces.at(-1)?.includes("12-00-00-020Z"));
  });

  test("has a bounded size", async () => {
    using folder = temporaryFolder();
    let time = Date.parse("2026-11-23T12:00:00Z");
    const trace = openTrace(
      folder.path,
      () => undefined,
      { fileBytes: 1000 },
      () => ++time,
    );
    for (let n = 0; n < 500; n++) {
      trace.message("a", "b", frame);
      await new Promise(resolve => {
        setImmediate(resolve);
      });
    }
    await trace[Symbol.asyncDispose]();
    const files = readdirSync(folder.path).sort();
    ok(files.length > 1 && files.length <= 16, `${files.length} files`);
    for (const name of files)
      for (const line of readFileSync(path.join(folder.path, name), "utf8").trim().split("\n")) JSON.parse(line);
    if (process.platform !== "win32")
      for (const name of files) equal(statSync(path.join(folder.path, name)).mode & 0o777, 0o600);
  });
});
