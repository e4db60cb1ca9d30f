/** The tools of the MCP server `cargo-mcp` for one session. */
import type { JsonObject } from "../../rpc/json";
import type { GatedAction, Consent } from "../consent";
import type { ArgumentSchema, Tool } from "../tool";
import { commandFor, JSON_MESSAGES, NO_FAIL_FAST, SUBCOMMANDS, typed, type Subcommand } from "./command";
import { cwdIn, runCargo, type CargoSession } from "./run";

type Arguments = Readonly<Record<string, ArgumentSchema>>;

interface ToolDefinition {
  readonly description: string;
  readonly properties: Arguments;
  readonly required?: readonly string[];
  /**
   * MCP annotations. The tools have the effects of the user's cargo, which downloads crates and runs the workspace's
   * build scripts, tests and programs.
   */
  readonly hints: { readonly destructiveHint: boolean; readonly idempotentHint: boolean };
}

const CWD: ArgumentSchema = {
  type: "string",
  description: "Folder to run in, relative to the session's folder. Required only for several projects.",
};
const PACKAGE: ArgumentSchema = { type: "string", description: "Only this package of the workspace." };
const FEATURES: ArgumentSchema = { type: "array", items: { type: "string" }, description: "Features to turn on." };
const RELEASE: ArgumentSchema = { type: "boolean", description: "With optimisations (--release)." };
const TIMEOUT: ArgumentSchema = {
  type: "integer",
  minimum: 1,
  description:
    "Stop the program after this number of seconds and return its output. Use it for a program that does not exit by itself.",
};
const EXTRA: ArgumentSchema = {
  type: "array",
  items: { type: "string" },
  description: "More options and names, one per item.",
};
const SELECTED = { cwd: CWD, package: PACKAGE, features: FEATURES };

const HARMLESS = { destructiveHint: false, idempotentHint: true };
const DESTRUCTIVE = { destructiveHint: true, idempotentHint: false };

const DEFINITIONS: Readonly<Record<Subcommand, ToolDefinition>> = {
  check: {
    description:
      "Checks the project for errors without building it (cargo check). Returns errors first, each once, then the first warnings.",
    properties: SELECTED,
    hints: HARMLESS,
  },
  build: {
    description: "Builds the project (cargo build). Returns errors first, each once, then the first warnings.",
    properties: { ...SELECTED, release: RELEASE },
    hints: HARMLESS,
  },
  test: {
    description:
      "Runs all tests (cargo test), even if some fail. Returns the number of passed tests and the output of failed tests.",
    properties: {
      ...SELECTED,
      test_arg: {
        type: "string",
        description:
          "Only tests whose names contain this text, or one option of the test programs, such as --nocapture or --ignored.",
      },
      timeout_seconds: TIMEOUT,
    },
    hints: DESTRUCTIVE,
  },
  run: {
    description:
      "Builds and runs a program of the project (cargo run). Returns its output and its exit status. Its stdin is empty.",
    properties: {
      ...SELECTED,
      release: RELEASE,
      bin: { type: "string", description: "Name of the program, if the package has several." },
      args: {
        type: "array",
        items: { type: "string" },
        description: "Arguments for the program, one per item. No shell interprets them.",
      },
      timeout_seconds: TIMEOUT,
    },
    hints: DESTRUCTIVE,
  },
  add: {
    description: "Adds a dependency to Cargo.toml (cargo add), the newest version unless one is given.",
    properties: {
      cwd: CWD,
      package: { type: "string", description: "The crate: “serde”, or with a version “serde@1.0”." },
      extra_args: {
        ...EXTRA,
        description:
          'Options of cargo add, one per item: ["--features", "derive", "--dev"]; --package selects the package of the workspace.',
      },
    },
    required: ["package"],
    hints: { destructiveHint: false, idempotentHint: true },
  },
  remove: {
    description: "Removes a dependency from Cargo.toml (cargo remove).",
    properties: {
      cwd: CWD,
      package: { type: "string", description: "The crate." },
      extra_args: {
        ...EXTRA,
        description:
          'Options of cargo remove, one per item: ["--dev"]; --package selects the package of the workspace.',
      },
    },
    required: ["package"],
    hints: { destructiveHint: true, idempotentHint: true },
  },
  update: {
    description: "Updates dependencies in Cargo.lock (cargo update): all, or one.",
    properties: {
      cwd: CWD,
      package: { type: "string", description: "Only this dependency." },
      extra_args: {
        ...EXTRA,
        description: 'Options of cargo update, one per item: ["--precise", "1.2.3"], ["--dry-run"].',
      },
    },
    hints: { destructiveHint: true, idempotentHint: true },
  },
  clean: {
    description: "Deletes what cargo has built (cargo clean): the target folder, or one package's part of it.",
    properties: { cwd: CWD, package: PACKAGE, release: RELEASE },
    hints: { destructiveHint: true, idempotentHint: true },
  },
};

export const INSTRUCTIONS =
  "Runs cargo in this session's Rust project. Prefer these tools to cargo in a terminal: errors come first and once, only failed tests are shown, and progress lines are omitted.";

export function cargoTools(session: CargoSession, consent: Consent): readonly Tool[] {
  return [
    setCwd(session),
    ...SUBCOMMANDS.map(subcommand => tool(subcommand, DEFINITIONS[subcommand], session, consent)),
  ];
}

function tool(
  subcommand: Subcommand,
  { description, properties, required, hints }: ToolDefinition,
  session: CargoSession,
  consent: Consent,
): Tool {
  return {
    name: `cargo_${subcommand}`,
    title: `cargo ${subcommand}`,
    description,
    inputSchema: { type: "object", properties, ...(required ? { required } : {}) },
    annotations: { readOnlyHint: false, ...hints, openWorldHint: subcommand !== "clean" },
    call: async (args, call) => {
      // Resolved before the permission request, because `set_cwd` may change the folder while the request is pending.
      const cwd = await session.folder.of(cwdIn(args));
      return await consent.carryOut(actOf(subcommand, args, cwd), call, async card => {
        const answer = await runCargo(subcommand, { ...args, cwd }, call, session);
        if (typeof answer === "object" && answer.isError === true) card.failed();
        return answer;
      });
    },
  };
}

/** Cargo executes workspace code (build scripts, tests, programs) even for `check`. */
const RUNS: ReadonlySet<Subcommand> = new Set(["check", "build", "test", "run"]);

function actOf(subcommand: Subcommand, args: JsonObject, cwd: string): GatedAction {
  const { words } = commandFor(subcommand, args),
    title = typed(words.filter(word => word !== JSON_MESSAGES && word !== NO_FAIL_FAST));
  const standing = RUNS.has(subcommand)
    ? { key: "run", name: "Always Allow Cargo to Build and Run This Code (This Session)" }
    : { key: "change", name: "Always Allow Cargo to Change Dependencies and Clean (This Session)" };
  return {
    title,
    kind: RUNS.has(subcommand) ? "execute" : "edit",
    content: [],
    rawInput: { command: typed(words), cwd },
    standing,
  };
}

function setCwd({ folder }: CargoSession): Tool {
  return {
    name: "set_cwd",
    title: "Set the folder for cargo",
    description:
      "Sets the folder in which the cargo tools run from now on, relative to the session's folder. Without cwd: the folder of the project.",
    inputSchema: {
      type: "object",
      properties: { cwd: { ...CWD, description: "A folder inside the session's folder." } },
    },
    annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
    call: async (args: JsonObject) => {
      const cwd = await folder.shown(await folder.set(cwdIn(args)));
      return { structured: { cwd }, text: `The cargo tools run in ${cwd === "." ? "the session's folder" : cwd}.` };
    },
  };
}
