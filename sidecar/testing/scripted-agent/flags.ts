/** Process-level faults and options of the scripted agent, from its command line. `../README.md` documents them. */
import { parseArgs } from "node:util";
import { arrayOr } from "../../rpc/json";

export interface Flags {
  readonly ignoreSigterm: boolean;
  readonly ignoreStdinEnd: boolean;
  readonly withChild: boolean;
  readonly setsidChild: boolean;
  readonly slowInit: number;
  readonly hangInit: boolean;
  readonly failInit: boolean;
  readonly failNewSession: string | undefined;
  readonly authRequired: boolean;
  /** Authentication methods in the form of the protocol, in place of the default. */
  readonly authMethods: readonly unknown[] | undefined;
  /** This file, or this variable, marks a signed-in user. */
  readonly authFile: string | undefined;
  readonly authVariable: string | undefined;
  readonly signIn: boolean;
  /**
   * Undefined: the agent does not support logout. Otherwise the error message of its response, or an empty string for
   * success.
   */
  readonly logout: string | undefined;
  readonly exitAtStart: number | undefined;
  readonly exitAfterInit: number | undefined;
  readonly earlyCommands: boolean;
  readonly models: boolean;
  readonly options: boolean;
  readonly plan: boolean;
  readonly textOnly: boolean;
  readonly ignoreMcp: boolean;
  /** JSON file whose `mcpServers` replace those of the sessions. */
  readonly ownConfiguration: string | undefined;
  /** File with the prompts of all sessions, with which a later process resumes them. */
  readonly memory: string | undefined;
  /** File with the sessions that the agent stores; see `stored-sessions.ts`. */
  readonly sessions: string | undefined;
  readonly log: string | undefined;
}

/** Throws for unknown flags. */
export function parseFlags(argv: readonly string[]): Flags {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      "ignore-sigterm": { type: "boolean" },
      "ignore-stdin-end": { type: "boolean" },
      "with-child": { type: "boolean" },
      "setsid-child": { type: "boolean" },
      "slow-init": { type: "string" },
      "hang-init": { type: "boolean" },
      "fail-init": { type: "boolean" },
      "fail-new-session": { type: "string" },
      "auth-required": { type: "boolean" },
      "auth-methods": { type: "string" },
      "auth-file": { type: "string" },
      "auth-variable": { type: "string" },
      "sign-in": { type: "boolean" },
      logout: { type: "string" },
      "exit-at-start": { type: "string" },
      "exit-after-init": { type: "string" },
      "early-commands": { type: "boolean" },
      models: { type: "boolean" },
      options: { type: "boolean" },
      plan: { type: "boolean" },
      "text-only": { type: "boolean" },
      "ignore-mcp": { type: "boolean" },
      "own-configuration": { type: "string" },
      memory: { type: "string" },
      sessions: { type: "string" },
      log: { type: "string" },
    },
  });
  const number = (text: string | undefined): number | undefined => (text === undefined ? undefined : Number(text));
  return {
    ignoreSigterm: values["ignore-sigterm"] ?? false,
    ignoreStdinEnd: values["ignore-stdin-end"] ?? false,
    withChild: values["with-child"] ?? false,
    setsidChild: values["setsid-child"] ?? false,
    slowInit: number(values["slow-init"]) ?? 0,
    hangInit: values["hang-init"] ?? false,
    failInit: values["fail-init"] ?? false,
    failNewSession: values["fail-new-session"],
    authRequired: values["auth-required"] ?? false,
    authMethods: values["auth-methods"] === undefined ? undefined : arrayOr(JSON.parse(values["auth-methods"])),
    authFile: values["auth-file"],
    authVariable: values["auth-variable"],
    signIn: values["sign-in"] ?? false,
    logout: values.logout,
    exitAtStart: number(values["exit-at-start"]),
    exitAfterInit: number(values["exit-after-init"]),
    earlyCommands: values["early-commands"] ?? false,
    models: values.models ?? false,
    options: values.options ?? false,
    plan: values.plan ?? false,
    textOnly: values["text-only"] ?? false,
    ignoreMcp: values["ignore-mcp"] ?? false,
    ownConfiguration: values["own-configuration"],
    memory: values.memory,
    sessions: values.sessions,
    log: values.log,
  };
}
