/** Examines whether an agent is available and starts. Installs nothing. */
import * as l10n from "@vscode/l10n";
import path from "node:path";
import type { AgentConfig } from "../../../src/protocol/agents/agents";
import type { InstallState } from "../../../src/protocol/agents/agent-service";
import type { Diagnosis } from "../../../src/protocol/agents/diagnosis";
import { KnownSecrets, redactArguments } from "../../../src/protocol/redaction/redact";
import { errorMessage } from "../../../src/protocol/wire/errors";
import type { CommandOf } from "../distributions/stored-keys";
import type { ProcessDeps } from "../../process/child";
import type { AgentCommand } from "../distributions/agent-command";
import { InstallError } from "../install/store/install-error";
import type { ResolvedEnvironment } from "../../process/login-shell-environment";
import { diagnose, type Observed } from "./diagnose";
import { probe } from "./probe";
import type { Examined, ReportFacts } from "./report";

export interface ExamineDeps {
  readonly version: string;
  readonly processes: ProcessDeps;
  /** Resolves a program on the PATH of the login shell. */
  readonly find: (program: string) => Promise<string | undefined>;
  readonly state: (agent: AgentConfig) => Promise<Pick<InstallState, "install" | "missing">>;
  readonly command: CommandOf;
  /** Aborts the examination. */
  readonly signal: AbortSignal;
}

/** Resolves regardless of the agent's behaviour. `cwd`: the agent's working folder. */
export async function examine(agent: AgentConfig, cwd: string, deps: ExamineDeps): Promise<Examined> {
  const { name } = agent,
    state = await deps.state(agent).catch((error: unknown) => ({ name, diagnosis: commandUnavailable(error) }));
  if ("diagnosis" in state) return state;
  const { install, missing } = state;
  if (install.kind === "missing") return { name, diagnosis: notInstalled(name, missing) };
  if (install.kind === "installing")
    return { name, diagnosis: { cause: "halfInstalled", sentence: l10n.t`${name} is being installed.` } };
  let command: AgentCommand;
  try {
    command = await deps.command(agent, deps.signal);
  } catch (error) {
    return { name, diagnosis: commandUnavailable(error) };
  }
  return examineCommand(name, command, cwd, deps);
}

export async function examineCommand(
  name: string,
  command: AgentCommand,
  cwd: string,
  { processes, version, find, signal }: Pick<ExamineDeps, "processes" | "version" | "find" | "signal">,
): Promise<Examined> {
  if (command.kind === "eliza")
    return { name, diagnosis: { cause: "fine", sentence: l10n.t`${name} is built in and has no requirements.` } };
  const elsewhere = await find(command.command);
  const observed = withoutValues(
    await probe(
      { name, command: command.command, args: command.args, env: command.env, cwd },
      { processes, version, find: () => elsewhere, signal },
    ),
    command.env,
  );
  return { name, command: displayedCommand(command), observed, diagnosis: diagnose(observed) };
}

function notInstalled(name: string, missing: string | undefined): Diagnosis {
  return missing === undefined
    ? {
        cause: "halfInstalled",
        sentence: l10n.t`${name} is not installed yet. Its first tab in Symposium installs it.`,
        fix: { action: "install", label: l10n.t("Install") },
      }
    : { cause: "noPlatform", sentence: missing };
}

/** `error`: a failed installation, or no distribution that can be started. Its message is a sentence for the user. */
export function commandUnavailable(error: unknown): Diagnosis {
  const sentence = errorMessage(error);
  if (error instanceof InstallError && error.code === "offline")
    return { cause: "offline", sentence, fix: { action: "retry", label: l10n.t("Try Again") } };
  return error instanceof InstallError
    ? { cause: "halfInstalled", sentence, fix: { action: "reinstall", label: l10n.t("Install Again") } }
    : { cause: "refused", sentence, fix: { action: "settings", label: l10n.t("Edit the Agent") } };
}

function displayedCommand({ command, args }: Extract<AgentCommand, { kind: "process" }>): string {
  return redactArguments([command, ...args]).join(" ");
}

/** Removes values of the agent's environment from its output, also values that do not look like keys. */
export function withoutValues(observed: Observed, env: Readonly<Record<string, string>>): Observed {
  const secrets = new KnownSecrets(),
    clean = (text: string): string => secrets.hide(text);
  secrets.add(Object.values(env).sort((a, b) => b.length - a.length));
  const { stderr, garbage, initialize, session } = observed;
  return {
    ...observed,
    stderr: clean(stderr),
    garbage: { ...garbage, first: clean(garbage.first) },
    initialize: initialize.kind === "error" ? { ...initialize, message: clean(initialize.message) } : initialize,
    session: session?.kind === "error" ? { ...session, message: clean(session.message) } : session,
  };
}

const TOOLS = ["node", "npm", "uv", "pipx", "cargo"];

/** Collects versions, the shell's environment, and the paths of the tools that agents need. */
export async function factsOf({
  version,
  home,
  find,
  shell,
}: {
  readonly version: string;
  readonly home: string;
  readonly find: ExamineDeps["find"];
  readonly shell: () => Promise<ResolvedEnvironment>;
}): Promise<ReportFacts> {
  const { env, shell: userShell, problem } = await shell();
  const tools = Object.fromEntries(await Promise.all(TOOLS.map(async tool => [tool, await find(tool)] as const)));
  return {
    version,
    node: process.versions.node,
    platform: `${process.platform} ${process.arch}`,
    home,
    shell: userShell,
    shellProblem: problem,
    path: (env["PATH"] ?? "").split(path.delimiter),
    tools,
  };
}
