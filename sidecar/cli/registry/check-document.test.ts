import { deepEqual, match } from "node:assert/strict";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { temporaryFolder } from "../../testing/drive";
import { checkDocument } from "./check-document";

const ENTRY = {
  id: "house-rules",
  name: "House rules",
  version: "1.0.0",
  description: "Keeps answers short",
  repository: "https://example.com",
  license: "MIT",
  distribution: { npx: { package: "house-rules" } },
};

suite("registry check", () => {
  test("exits with 0 and prints no finding for a valid document, also with a byte order mark", () => {
    using folder = temporaryFolder();
    const file = path.join(folder.path, "extension.json");
    writeFileSync(file, `\uFEFF${JSON.stringify(ENTRY)}`);
    deepEqual(checkDocument(file), { code: 0, out: "0 errors, 0 warnings.\n", notes: [] });
  });

  test("exits with 0 for warnings, and with 1 for an error, with file, line and column of each", () => {
    using folder = temporaryFolder();
    const file = path.join(folder.path, "extension.json"),
      write = (entry: object): void => writeFileSync(file, JSON.stringify(entry, undefined, 2));
    write({ ...ENTRY, license: undefined });
    const { code, out } = checkDocument(file);
    match(out, /extension\.json:1:1: warning: “license” is missing\. .*\n0 errors, 1 warning\.\nFormat: https:.*\n$/);
    write({ ...ENTRY, version: 1 });
    const failed = checkDocument(file);
    deepEqual([code, failed.code], [0, 1]);
    match(
      failed.out,
      /extension\.json:4:3: error: “house-rules” has no version\. Write it as a text.*\n1 error, 0 warnings\.\n/,
    );
  });

  test("checks agent.json as an agent", () => {
    using folder = temporaryFolder();
    const file = path.join(folder.path, "agent.json");
    writeFileSync(file, JSON.stringify({ ...ENTRY, id: "gemini" }));
    match(checkDocument(file).out, /has the id of an agent built into Symposium/);
  });

  test("exits with 1 and a sentence for a file that cannot be read", () => {
    const { code, out, notes } = checkDocument("no-such-folder/extension.json");
    deepEqual([code, out], [1, ""]);
    match(notes.join("\n"), /^no-such-folder\/extension\.json cannot be read: /);
  });
});
