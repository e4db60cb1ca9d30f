/**
 * Derives the cause of a failed agent start, a sentence and a fix from an observation. Pure.
 *
 * Output is matched before the exit code, because npx, uvx and shells use codes 1 and 127 for many reasons.
 */
import * as l10n from "@vscode/l10n";
import type { Cause, Diagnosis, Fix } from "../../../src/protocol/agents/diagnosis";
import { redactText } from "../../../src/protocol/redaction/redact";
import { assertNever } from "../../../src/protocol/wire/wire";

export interface Observed {
  /** Name of the agent, for messages. */
  readonly name: string;
  readonly command: string;
  /** `errno`: the system's error code, such as ENOENT. */
  readonly start:
    | { readonly kind: "started" }
    | { readonly kind: "failed"; readonly errno: string }
    | { readonly kind: "noFolder"; readonly folder: string };
  /** Exit status, such as `exit code 1`. Undefined: the agent was running at the end of the probe. */
  readonly exit: string | undefined;
  /** The end of stderr. */
  readonly stderr: string;
  /** Number of stdout lines that are not JSON-RPC, and the first of them. */
  readonly garbage: { readonly lines: number; readonly first: string };
  readonly initialize:
    | {
        readonly kind: "answered";
        readonly version: unknown;
        /** Name and version from the `initialize` response. */
        readonly program?: string;
      }
    | { readonly kind: "error"; readonly message: string }
    | { readonly kind: "none"; readonly seconds: number };
  /** Result of `session/new`, if it was sent. */
  readonly session:
    | { readonly kind: "opened" }
    | { readonly kind: "signIn" }
    | { readonly kind: "error"; readonly message: string }
    | undefined;
  /** Path of the command on the PATH of the login shell, if it is missing on the PATH used for the start. */
  readonly elsewhere: string | undefined;
}

export function diagnose(observed: Observed): Diagnosis {
  const { name, command, start, exit, stderr, garbage, initialize, session } = observed,
    text = outputTail(stderr);
  const is = (cause: Cause, sentence: string, fix?: Fix): Diagnosis => ({
    cause,
    sentence: redactText(sentence),
    ...(fix === undefined ? {} : { fix }),
    ...(text === "" ? {} : { detail: text }),
  });
  switch (start.kind) {
    case "noFolder":
      return is("noFolder", l10n.t`The start folder “${start.folder}” of ${name} does not exist.`, SETTINGS);
    case "failed":
      return notStarted(observed, start.errno, is);
    case "started":
      break;
    default:
      return assertNever(start, "start");
  }
  if (initialize.kind === "answered") {
    if (initialize.version !== 1 && initialize.version !== 2)
      return is(
        "protocolVersion",
        l10n.t`${name} uses version ${String(initialize.version)} of ACP. Symposium supports versions 1 and 2.`,
        UPDATE,
      );
    if (session?.kind === "signIn")
      return is("signIn", l10n.t`${name} works and requires a sign-in.`, {
        action: "signIn",
        label: l10n.t("Sign In"),
      });
    if (session?.kind === "error")
      return is("refused", l10n.t`${name} starts but does not open a session: ${session.message}`, LOGS);
    return is("fine", l10n.t`${name} starts and responds.`);
  }
  if (exit !== undefined) {
    const known = causeInOutput(observed, is);
    if (known) return known;
    if (garbage.lines > 0)
      return is(
        "garbage",
        l10n.t`${name} writes output that is not ACP and then exits (${exit}): “${shortened(garbage.first)}”. Check that its command starts it as an ACP agent.`,
        SETTINGS,
      );
    return is("exited", l10n.t`${name} exits (${exit}) before it responds.`, LOGS);
  }
  if (initialize.kind === "error")
    return is("refused", l10n.t`${name} rejected initialize: ${initialize.message}`, LOGS);
  if (garbage.lines > 0)
    return is(
      "garbage",
      l10n.t`${name} writes output that is not ACP: “${shortened(garbage.first)}”. Check that its command starts it as an ACP agent.`,
      SETTINGS,
    );
  return is(
    "hung",
    l10n.t`${name} runs but does not respond within ${initialize.seconds} seconds. Check whether “${program(command)}” waits for input or is not an ACP agent.`,
    RETRY,
  );
}

type CreateDiagnosis = (cause: Cause, sentence: string, fix?: Fix) => Diagnosis;

function notStarted({ name, command, elsewhere }: Observed, errno: string, is: CreateDiagnosis): Diagnosis {
  if (errno === "EACCES" || errno === "EPERM")
    return is(
      "noPermission",
      l10n.t`“${command}” cannot be run: it is not executable, or you have no access to its folder.`,
      SETTINGS,
    );
  if (errno !== "ENOENT")
    return is("refused", l10n.t`The operating system cannot start “${command}” (${errno}).`, SETTINGS);
  if (elsewhere !== undefined)
    return is(
      "notOnPath",
      l10n.t`“${command}” is not on the PATH of this editor, but your shell finds it at ${elsewhere}.`,
      SETTINGS,
    );
  return (
    missingTool(program(command), name, is) ??
    is("notFound", l10n.t`“${command}” does not exist, or is not on your PATH.`, SETTINGS)
  );
}

/** Returns undefined if `tool` is not a tool that starts agents. */
function missingTool(tool: string, name: string, is: CreateDiagnosis): Diagnosis | undefined {
  switch (tool) {
    case "npx":
    case "npm":
    case "node":
    case "bun":
      return is("noNode", l10n.t`${name} needs Node.js, but “${tool}” is not on your PATH.`, {
        action: "page",
        label: l10n.t("Get Node.js"),
        url: "https://nodejs.org/en/download",
      });
    case "uvx":
    case "uv":
    case "pipx":
    case "python":
    case "python3":
      return is("noPython", l10n.t`${name} needs ${tool === "uv" ? "uvx" : tool}, which is not on your PATH.`, {
        action: "page",
        label: l10n.t("Get uv"),
        url: "https://docs.astral.sh/uv/getting-started/installation/",
      });
    case "cargo":
      return is("noCargo", l10n.t`${name} needs Rust's cargo, which is not on your PATH.`, {
        action: "page",
        label: l10n.t("Get Rust"),
        url: "https://www.rust-lang.org/tools/install",
      });
    default:
      return undefined;
  }
}

/** The first match wins. Untranslated messages of npm, Node, uv, pip, cargo and shells. */
const OUTPUT_PATTERNS: readonly (readonly [
  cause: "path" | "noPermission" | "offline" | "noPackage" | "halfInstalled",
  pattern: RegExp,
])[] = [
  [
    "path",
    /env: [‘'"]?(\w[\w.-]*)[’'"]?: No such file|[‘'"](\w[\w.-]*)[’'"] is not recognized as an internal|(?:^|: )(?:line \d+: )?(\w[\w.-]*): (?:command )?not found/m,
  ],
  [
    "noPackage",
    /\bE404\b|404 Not Found|No matching version|ETARGET|not found in the package registry|No solution found when resolving|could not find `[^`]+` in registry|No matching distribution found/,
  ],
  [
    "offline",
    /\b(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ENETDOWN|ERR_SOCKET_TIMEOUT)\b|getaddrinfo|dns error|failed to resolve host|Could not resolve host|network (?:is unreachable|error)|Temporary failure in name resolution/i,
  ],
  [
    "halfInstalled",
    /\b(?:ERR_MODULE_NOT_FOUND|MODULE_NOT_FOUND)\b|Cannot find (?:module|package) |ModuleNotFoundError|No module named|ENOTEMPTY.*_npx|error while loading shared libraries/,
  ],
  ["noPermission", /\bEACCES\b|Permission denied/i],
];

function causeInOutput({ name, command, exit, stderr }: Observed, is: CreateDiagnosis): Diagnosis | undefined {
  for (const [cause, pattern] of OUTPUT_PATTERNS) {
    const found = pattern.exec(stderr);
    if (!found) continue;
    switch (cause) {
      case "path": {
        const missing = found.slice(1).find(group => group !== undefined) ?? program(command);
        return (
          missingTool(missing, name, is) ??
          is("notFound", l10n.t`${name} needs “${missing}”, which is not on your PATH.`, SETTINGS)
        );
      }
      case "noPackage":
        return is(
          "noPackage",
          l10n.t`The package of ${name} does not exist, or not in the requested version.`,
          SETTINGS,
        );
      case "offline":
        return is(
          "offline",
          l10n.t`${name} cannot be downloaded: the network or the registry is not reachable.`,
          RETRY,
        );
      case "halfInstalled":
        return is("halfInstalled", l10n.t`${name} is only partly installed.`, {
          action: "reinstall",
          label: l10n.t("Install Again"),
        });
      case "noPermission":
        return is("noPermission", l10n.t`${name} has no permission to open or run a file that it needs.`, LOGS);
      default:
        return assertNever(cause, "cause");
    }
  }
  // Every shell returns these codes for a missing or non-executable command (POSIX, "Exit Status for Commands").
  if (exit === "exit code 127")
    return is("notFound", l10n.t`The command of ${name}, or a command that it needs, was not found.`, SETTINGS);
  if (exit === "exit code 126") return is("noPermission", l10n.t`The command of ${name} is not executable.`, SETTINGS);
  return undefined;
}

const SETTINGS: Fix = { action: "settings", label: l10n.t("Edit the Agent") };
const LOGS: Fix = { action: "logs", label: l10n.t("Show Logs") };
const RETRY: Fix = { action: "retry", label: l10n.t("Try Again") };
const UPDATE: Fix = { action: "install", label: l10n.t("Update") };

/** Removes the folder and the Windows file extension. */
function program(command: string): string {
  return (
    command
      .split(/[\\/]/)
      .at(-1)
      ?.replace(/\.(exe|cmd|bat)$/i, "") ?? command
  );
}

const MAX_LINES = 5;
const MAX_LINE_LENGTH = 200;
function outputTail(stderr: string): string {
  return redactText(stderr.trim()).split("\n").slice(-MAX_LINES).map(shortened).join("\n");
}
function shortened(line: string): string {
  return line.length > MAX_LINE_LENGTH ? `${line.slice(0, MAX_LINE_LENGTH)}…` : line;
}
