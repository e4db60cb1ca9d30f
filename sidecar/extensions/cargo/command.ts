/**
 * Builds cargo's argument list for a tool call. No shell ever parses an argument. Pure.
 *
 * With the user's consent, a model may run the workspace's code. An argument must not make cargo execute or write
 * anything outside of the workspace. `--config` and `-Z` can name programs, and `--manifest-path`, `--target-dir` or
 * `-C` name other folders. Therefore only the options listed here are accepted, and a name is never parsed as an
 * option.
 */
import { arrayOr, textIn, type JsonObject } from "../../rpc/json";
import { quoted } from "../shell-words";
import { ToolFailure } from "../tool";
import type { OutputFormat } from "./output";

export interface CargoCommand {
  /** Subcommand and options: `["test", "--no-fail-fast", …]`. */
  readonly words: readonly string[];
  readonly reads: OutputFormat;
  /** Folders named by the arguments, as given. The caller must check that they are inside the session's folders. */
  readonly folders: readonly string[];
  readonly wanted?: string;
}

export const SUBCOMMANDS = ["check", "build", "test", "run", "add", "remove", "update", "clean"] as const;
export type Subcommand = (typeof SUBCOMMANDS)[number];

interface Extra {
  /** Options without a value. */
  readonly flags: readonly string[];
  /** Options with a value, and how the value is validated. */
  readonly values: Readonly<Record<string, "name" | "folder" | "repository">>;
  readonly short: Readonly<Record<string, string>>;
  /** Accepted positional arguments. */
  readonly names: RegExp;
}

const LOCKED = ["--locked", "--offline", "--frozen", "--dry-run"];
/** A crate name with an optional version requirement: `serde@1`. */
const CRATE = /^[A-Za-z_][\w-]*(@\S[^\n]*)?$/;
const EXTRA: Readonly<Record<"add" | "remove" | "update", Extra>> = {
  add: {
    flags: [
      ...LOCKED,
      "--dev",
      "--build",
      "--optional",
      "--no-optional",
      "--default-features",
      "--no-default-features",
      "--public",
      "--no-public",
      "--ignore-rust-version",
    ],
    values: {
      "--features": "name",
      "--rename": "name",
      "--target": "name",
      "--package": "name",
      "--registry": "name",
      "--branch": "name",
      "--tag": "name",
      "--rev": "name",
      "--path": "folder",
      "--git": "repository",
    },
    short: { "-F": "--features", "-p": "--package", "-n": "--dry-run" },
    names: CRATE,
  },
  remove: {
    flags: [...LOCKED, "--dev", "--build"],
    values: { "--target": "name", "--package": "name" },
    short: { "-p": "--package", "-n": "--dry-run" },
    names: CRATE,
  },
  update: {
    flags: [...LOCKED, "--recursive", "--workspace", "--ignore-rust-version"],
    values: { "--precise": "name", "--package": "name" },
    short: { "-p": "--package", "-n": "--dry-run", "-w": "--workspace" },
    names: /^[^-\s]\S*$/,
  },
};

/** The `--logfile` option of test programs, including its abbreviations. */
const LOGFILE_OPTION = /^--?l(o(g(f(i(l(e)?)?)?)?)?)?(=|$)/;

export const JSON_MESSAGES = "--message-format=json",
  NO_FAIL_FAST = "--no-fail-fast";

/** Throws a `ToolFailure` for rejected arguments. `args` conform to the tool's schema. */
export function commandFor(subcommand: Subcommand, args: JsonObject): CargoCommand {
  const command = unchecked(subcommand, args);
  if (command.words.some(word => word.includes("\0")))
    throw new ToolFailure("An argument of a program cannot contain a NUL character.");
  return command;
}

function unchecked(subcommand: Subcommand, args: JsonObject): CargoCommand {
  const selection = [
    ...option("--package", args.package),
    ...option("--features", list(args.features).join(",")),
    ...(args.release === true ? ["--release"] : []),
  ];
  switch (subcommand) {
    case "check":
    case "build":
      return { words: [subcommand, JSON_MESSAGES, ...selection], reads: "messages", folders: [] };
    case "test": {
      const wanted = textIn(args.test_arg);
      if (wanted !== undefined && LOGFILE_OPTION.test(wanted))
        throw new ToolFailure(
          `“${wanted}” is not allowed for test programs: it makes them write a file at any location.`,
        );
      return {
        words: [subcommand, NO_FAIL_FAST, JSON_MESSAGES, ...selection, ...(wanted === undefined ? [] : ["--", wanted])],
        reads: "tests",
        folders: [],
        ...(wanted === undefined || wanted.startsWith("-") ? {} : { wanted }),
      };
    }
    case "run": {
      const given = list(args.args);
      return {
        words: [
          subcommand,
          JSON_MESSAGES,
          ...selection,
          ...option("--bin", args.bin),
          ...(given.length > 0 ? ["--", ...given] : []),
        ],
        reads: "program",
        folders: [],
      };
    }
    case "add":
    case "remove": {
      const { words, folders } = extra(subcommand, list(args.extra_args)),
        name = textIn(args.package) ?? "";
      if (!CRATE.test(name))
        throw new ToolFailure(
          `“${name}” is not the name of a crate. Give “package” as in “serde” or “serde@1.0”, and options in “extra_args”.`,
        );
      return { words: [subcommand, name, ...words], reads: "text", folders };
    }
    case "update": {
      const { words, folders } = extra(subcommand, list(args.extra_args));
      return { words: [subcommand, ...option("--package", args.package), ...words], reads: "text", folders };
    }
    case "clean":
      return { words: [subcommand, ...selection], reads: "text", folders: [] };
  }
}

/** The command line as typed in a shell, for display. */
export function typed(words: readonly string[]): string {
  return ["cargo", ...words].map(quoted).join(" ");
}

/** A single argument, so that the value cannot become an option. */
function option(name: string, value: unknown): readonly string[] {
  const given = textIn(value);
  return given === undefined ? [] : [`${name}=${given}`];
}

function extra(
  subcommand: "add" | "remove" | "update",
  given: readonly string[],
): Pick<CargoCommand, "words" | "folders"> {
  const allowed = EXTRA[subcommand],
    words: string[] = [],
    folders: string[] = [];
  for (let i = 0; i < given.length; i++) {
    const word = given[i] ?? "";
    if (!word.startsWith("-")) {
      if (!allowed.names.test(word)) throw new ToolFailure(`“${word}” in “extra_args” is not the name of a package.`);
      words.push(word);
      continue;
    }
    const [, written = word, attached] = word.startsWith("--")
      ? (/^([^=]+)=(.*)$/s.exec(word) ?? [])
      : (/^(-\w)=?(.+)$/s.exec(word) ?? []);
    const name = allowed.short[written] ?? written,
      kind = allowed.values[name];
    if (kind === undefined) {
      if (attached !== undefined || !allowed.flags.includes(name)) throw refused(word, subcommand, allowed);
      words.push(name);
      continue;
    }
    const value = attached ?? given[++i];
    if (value === undefined || value === "") throw new ToolFailure(`“${word}” in “extra_args” needs a value after it.`);
    if (kind === "repository" && !/^(https:\/\/|ssh:\/\/|git@)/.test(value))
      throw new ToolFailure(
        `“${value}” is not allowed: “--git” takes a URL that starts with https://, ssh:// or git@.`,
      );
    if (kind === "folder") folders.push(value);
    words.push(`${name}=${value}`);
  }
  return { words, folders };
}

function refused(word: string, subcommand: keyof typeof EXTRA, { flags, values }: Extra): ToolFailure {
  return new ToolFailure(
    `“${word}” in “extra_args” is not allowed for cargo ${subcommand}. Allowed options: ${[...Object.keys(values), ...flags].join(", ")}. Others could make cargo run or write something outside of the workspace.`,
  );
}

function list(value: unknown): readonly string[] {
  return arrayOr(value).filter((item): item is string => typeof item === "string");
}
