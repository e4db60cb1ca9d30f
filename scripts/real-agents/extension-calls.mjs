// Calls each tool of each built-in extension once. Defines the calls, the expected answers, and the expected files
// afterwards.
import { ok } from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

const RESEARCH = "own-research";

/** Creates a Rust workspace with a local dependency, and TypeScript for a language server. */
export function makeProject(workspace) {
  const files = {
    "Cargo.toml": `[package]\nname = "app"\nversion = "0.1.0"\nedition = "2021"\n\n[dependencies]\ninner = { path = "inner" }\n\n[workspace]\nmembers = ["inner", "spare"]\n`,
    "src/main.rs": `fn main() {\n    let unused = 1;\n    println!("the answer is {}", inner::answer());\n}\n\n#[test]\nfn passes() {}\n\n#[test]\nfn fails() {\n    assert_eq!(inner::answer(), 43, "it is not 43");\n}\n`,
    "inner/Cargo.toml": `[package]\nname = "inner"\nversion = "1.2.3"\nedition = "2021"\n`,
    "inner/src/lib.rs": `/// The answer to everything.\npub fn answer() -> u32 { 42 }\n`,
    "spare/Cargo.toml": `[package]\nname = "spare"\nversion = "0.3.0"\nedition = "2021"\n`,
    "spare/src/lib.rs": "",
    "tsconfig.json": `{ "compilerOptions": { "strict": true, "noEmit": true }, "include": ["ts"] }\n`,
    "ts/sum.ts": `export function sum(a: number, b: number): number { return a + b; }\n`,
    "ts/use.ts": `import { sum } from "./sum";\n\nexport const three: string = sum(1, 2);\n`,
  };
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(workspace, name)), { recursive: true });
    writeFileSync(path.join(workspace, name), text);
  }
}

const call = (server, tool, args, shows) => ({ server, tool, args, shows });
const read = (stage, name) => readFileSync(path.join(stage.workspace, name), "utf8");
/** A file below the home of the chain. */
const savedFile = (stage, name) => readFileSync(path.join(stage.home, ".sparkle", name), "utf8");
const cargo = (tool, args, shows) => call("cargo-mcp", tool, args, shows);
const sparkle = (tool, args, shows) => call("sparkle", tool, args, shows);
const ide = (args, shows) => call("ide-operations", "ide_operation", args, shows);

/**
 * `asks`: number of permission requests of the extension, one for each call that runs or changes something. `after`
 * checks the files.
 */
export const EXTENSIONS = [
  {
    id: "sparkle",
    needs: [],
    asks: 7,
    calls: [
      sparkle("setup_sparkle", { name: "Ada" }, /was created/),
      sparkle("list_sparklers", {}, /"isCurrent":true/),
      sparkle("fetch_profile_data", { profile_sources: [{ type: "file", value: "seed.txt" }] }, /line two/),
      sparkle("update_collaborator_profile", { content: "# Ada\n\nLikes short answers.\n" }, /Saved as/),
      sparkle(
        "save_insight",
        { insight_type: "PatternAnchor", content: "First the test, then the code.", tags: ["tests"] },
        /Saved in/,
      ),
      sparkle("create_sparkler", { name: "Robin" }, /Robin was created\./),
      sparkle(
        "update_sparkler_identity",
        { sparkler: "Robin", content: "I ask before I act.\n" },
        /identity of Robin is saved/,
      ),
      sparkle("rename_sparkler", { old_name: "Robin", new_name: "Wren" }, /Robin is now Wren\./),
      sparkle("load_evolution", {}, /First the test, then the code\./),
      sparkle(
        "session_checkpoint",
        { working_memory: "The tests are half written.", checkpoint_content: "We began with the tests." },
        /Saved in/,
      ),
    ],
    after: stage => {
      const space = readFileSync(path.join(stage.workspace, ".sparkle-space", "working-memory.md"), "utf8");
      ok(space.includes("The tests are half written."), space);
      ok(existsSync(path.join(stage.home, ".sparkle")));
    },
  },
  {
    id: "ferris",
    needs: ["cargo"],
    asks: 2,
    calls: [
      call("ferris", "crate_sources", { crate_name: "inner" }, /1\.2\.3[^]*inner/),
      call(
        "ferris",
        "rust_crate_query",
        { crate_name: "inner", prompt: `Which number does answer() return? @@scenario:${RESEARCH}` },
        /The number is 42|last message of its agent/,
      ),
    ],
    after: () => undefined,
  },
  {
    id: "cargo",
    needs: ["cargo"],
    asks: 8,
    calls: [
      cargo("set_cwd", {}, /session's folder|"cwd":"\."/),
      cargo("cargo_check", {}, /unused/),
      cargo("cargo_build", {}, /unused|warning/),
      cargo("cargo_test", {}, /it is not 43/),
      cargo("cargo_run", {}, /the answer is 42/),
      cargo("cargo_add", { package: "spare", extra_args: ["--path", "spare"] }, /spare/),
      cargo("cargo_update", {}, /cargo update/),
      cargo("cargo_remove", { package: "spare" }, /spare/),
      cargo("cargo_clean", {}, /cargo clean/),
    ],
    after: stage => {
      ok(!read(stage, "Cargo.toml").includes("spare = "), "the dependency was removed");
      ok(!existsSync(path.join(stage.workspace, "target", "debug", "app")), "what was built is gone");
    },
  },
  {
    id: "workspace",
    needs: [],
    asks: 3,
    calls: [
      call("workspace-tools", "read_file", { path: "seed.txt", startLine: 2, endLine: 2 }, /line two/),
      call(
        "workspace-tools",
        "write_file",
        { path: "made/new.txt", content: "made by a tool\n" },
        /Made made\/new\.txt/,
      ),
      call(
        "workspace-tools",
        "edit_file",
        { path: "seed.txt", old_string: "line two", new_string: "line 2" },
        /seed\.txt/,
      ),
      call("workspace-tools", "run_terminal", { command: "echo $((40 + 2)) > ran.txt && cat ran.txt" }, /42/),
      call("workspace-tools", "search_files", { pattern: "*.ts" }, /ts\/sum\.ts/),
      call("workspace-tools", "search_content", { pattern: "sum\\(1", filePattern: "*.ts" }, /ts\/use\.ts:3/),
    ],
    after: stage => {
      ok(
        read(stage, "made/new.txt") === "made by a tool\n" &&
          read(stage, "seed.txt") === "line one\nline 2\nline three\n" &&
          read(stage, "ran.txt") === "42\n",
      );
    },
  },
  {
    id: "ide",
    needs: [],
    asks: 0,
    calls: [
      ide({ operation: "diagnostics", path: "ts/use.ts" }, /not assignable/),
      ide({ operation: "definition", path: "ts/use.ts", line: 3, symbol: "sum" }, /ts\/sum\.ts/),
      ide({ operation: "references", path: "ts/sum.ts", line: 1, symbol: "sum" }, /ts\/use\.ts/),
      ide({ operation: "hover", path: "ts/use.ts", line: 3, symbol: "sum" }, /a: number, b: number/),
      ide({ operation: "document_symbols", path: "ts/use.ts" }, /three/),
      ide({ operation: "workspace_symbols", query: "three" }, /three/),
      ide({ operation: "rename", path: "ts/sum.ts", line: 1, symbol: "sum", new_name: "total" }, /total/),
      ide({ operation: "code_actions", path: "ts/sum.ts", line: 1, symbol: "sum" }, /./),
      ide({ operation: "format", path: "ts/sum.ts" }, /./),
    ],
    after: stage => ok(read(stage, "ts/sum.ts").startsWith("export function sum("), "previews change nothing"),
  },
];

/** Scenarios of concurrent sessions; each writes a separate file. */
export const SESSIONS = ["one", "other"].map(name => ({
  scenario: `own-${name}-session`,
  file: `${name}.txt`,
  text: `by the ${name} session\n`,
}));

/**
 * The scripted model's actions for each extension, and in Ferris's research. `calls`: one per step, so that they are
 * sequential.
 */
export const SCENARIOS = {
  ...Object.fromEntries(EXTENSIONS.map(({ id, calls }) => [`own-${id}`, steps(calls)])),
  ...Object.fromEntries(
    SESSIONS.map(({ scenario, file: path, text: content }) => [
      scenario,
      steps([call("workspace-tools*", "write_file", { path, content })]),
    ]),
  ),
  "own-all": steps(EXTENSIONS.map(({ calls: [first] }) => first)),
  [RESEARCH]: [
    ...steps([call("ferris-research*", "get_rust_crate_source", { crate_name: "inner" })]).slice(0, 1),
    { calls: [{ kind: "read", path: "$FOLDER/inner/src/lib.rs" }] },
    ...steps([call("ferris-research*", "return_response_to_user", { response: "The number is 42." })]).slice(0, 1),
    { text: "It is answered." },
  ],
};

function steps(calls) {
  return [
    ...calls.map(({ server, tool, args }) => ({ calls: [{ kind: "mcp", server, tool, args }] })),
    { text: "They gave «{{results}}». END-OF-CALLS" },
  ];
}
