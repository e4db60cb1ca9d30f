// Installed language servers with the extension for IDE operations, without an editor. Missing servers are skipped.
import { deepEqual, equal, match } from "node:assert/strict";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { run } from "../project.mjs";
import { works } from "./tools.mjs";

const PROGRAM = path.resolve("out/installs/real-language-server.mjs");

const FILES = {
  "Cargo.toml": `[workspace]\nmembers = ["shapes", "app"]\nresolver = "2"\n`,
  "shapes/Cargo.toml": `[package]\nname = "shapes"\nversion = "0.1.0"\nedition = "2021"\n`,
  "shapes/src/lib.rs": `/// A rectangle.\npub struct Rectangle { pub width: u32, pub height: u32 }\n\nimpl Rectangle {\n    /// Its area.\n    pub fn area(&self) -> u32 { self.width * self.height }\n}\n`,
  "app/Cargo.toml": `[package]\nname = "app"\nversion = "0.1.0"\nedition = "2021"\n\n[dependencies]\nshapes = { path = "../shapes" }\n`,
  "app/src/main.rs": `use shapes::Rectangle;\n\nfn main() {\n    let r = Rectangle { width: 2, height: 3 };\n    let wrong: String = r.area();\n    println!( "{}", wrong);\n}\n`,
};

suite("rust-analyzer", () => {
  let answers;
  const folder = mkdtempSync(path.join(tmpdir(), "rust-"));
  const OPERATIONS = [
    { operation: "diagnostics", path: "app/src/main.rs" },
    { operation: "definition", path: "app/src/main.rs", symbol: "r.area" },
    { operation: "references", path: "shapes/src/lib.rs", line: 6, symbol: "area" },
    { operation: "hover", path: "app/src/main.rs", symbol: "area" },
    { operation: "document_symbols", path: "shapes/src/lib.rs" },
    { operation: "workspace_symbols", query: "Rectang" },
    { operation: "rename", path: "shapes/src/lib.rs", line: 6, symbol: "area", new_name: "surface" },
    { operation: "code_actions", path: "app/src/main.rs", line: 4, symbol: "r" },
    { operation: "format", path: "app/src/main.rs" },
  ];

  suiteSetup(async function () {
    if (!works("rust-analyzer")) {
      this.skipReason = "there is no rust-analyzer here that starts";
      this.skip();
    }
    for (const [file, text] of Object.entries(FILES)) {
      mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
      writeFileSync(path.join(folder, file), text);
    }
    const { code, text } = await run(
      process.execPath,
      ["--enable-source-maps", PROGRAM, folder, JSON.stringify(OPERATIONS)],
      { output: "hold", limit: 15 * 60_000 },
    );
    equal(code, 0, text);
    answers = Object.fromEntries(
      JSON.parse(text.trim().split("\n").at(-1)).map((answer, i) => [OPERATIONS[i].operation, answer]),
    );
    deepEqual(
      Object.keys(answers),
      OPERATIONS.map(({ operation }) => operation),
    );
  });

  test("returns diagnostics", () =>
    match(answers.diagnostics, /^\d errors?.*\n[^]*app\/src\/main\.rs:5:\d+ error .*E0308/));
  test("returns definitions and references in another crate", () => {
    match(answers.definition, /^1 definition:\nshapes\/src\/lib\.rs:6:12 {2}pub fn area/);
    equal(
      answers.references,
      "2 references in 2 files:\napp/src/main.rs:5:27  let wrong: String = r.area();\nshapes/src/lib.rs:6:12  pub fn area(&self) -> u32 { self.width * self.height }",
    );
  });
  test("returns hovers", () => match(answers.hover, /pub fn area\(&self\) -> u32[^]*Its area\./));
  test("returns symbols of a file and the workspace", () => {
    match(answers.document_symbols, /Rectangle[^]*area/);
    match(answers.workspace_symbols, /shapes\/src\/lib\.rs:2:\d+ .*Rectangle/);
  });
  test("previews renames, actions and formatting", () => {
    match(answers.rename, /^Renaming to “surface” would change 2 places in 2 files\./);
    match(answers.code_actions, /code actions?; ask again with “action”/);
    match(answers.format, /-\s+println!\( "\{\}", wrong\);\n\+\s+println!\("\{\}", wrong\);/);
  });
});
