/**
 * Contract of a built-in agent extension: a proxy built with our own kit (proxies/proxy.ts), created per chain. The
 * proxy runs in the sidecar, in `run-with`, or alone on stdio (`symposium-acp-agent proxy NAME`). All access to the
 * computer is injected.
 */
import { settingValues, type ValuesOf } from "../../src/protocol/agents/extension-settings";
import type { SettingsSchema } from "../../src/protocol/agents/setting-schema";
import type { ProcessSpec, Started } from "../process/child";
import type { Environment } from "../process/login-shell-environment";
import type { ToolOptions, ToolResult } from "../process/tool-run";
import type { ProxyDefinition } from "../proxies/proxy";
import type { Clock } from "../rpc/clock";
import type { JsonObject } from "../rpc/json";

export interface ExtensionDeps {
  /** Symposium's version, reported to clients. */
  readonly version: string;
  readonly clock: Clock;
  /** Current date, for timestamps in files. */
  readonly date: () => Date;
  readonly platform: string;
  /** The user's home folder. */
  readonly home: string;
  /** Environment of the user's login shell. `run` and `start` pass it to the processes that they start. */
  readonly environment: () => Promise<Environment>;
  /** Resolves the path of an installed program. Never searches the current folder. */
  readonly find: (program: string) => Promise<string | undefined>;
  /**
   * Runs a program until it exits (process/tool-run.ts). Its whole process group has ended when the promise settles.
   */
  readonly run: (spec: ProcessSpec, options: ToolOptions) => Promise<ToolResult>;
  /** Starts a long-running program, such as a language server. The caller stops it. */
  readonly start: (spec: ProcessSpec) => Promise<Started>;
  /** Writes to the log. */
  readonly log: (level: "info" | "warn", message: string, detail: JsonObject) => void;
}

/** `cwd`: folder of the session, absolute, or empty without one. */
export interface PreviewDeps extends Pick<ExtensionDeps, "clock" | "date" | "home" | "log"> {
  readonly cwd: string;
}

/** The user's settings for this extension. Invalid values are logged and treated as absent. */
export type ExtensionSettings = JsonObject;

export interface BuiltInExtension {
  /** Id in the settings, on the command line and in the documentation. */
  readonly id: string;
  /** Display name. */
  readonly name: string;
  define(settings: ExtensionSettings, deps: ExtensionDeps): ProxyDefinition;
  /** The text that it would add to the first prompt of a session; undefined for none. Absent: it never adds text. */
  preview?(settings: ExtensionSettings, deps: PreviewDeps): Promise<string | undefined>;
}

/** Reads the values of `schema`. Logs each invalid value and uses its default. */
export function readValues<const S extends SettingsSchema>(
  extension: string,
  schema: S,
  settings: ExtensionSettings,
  { log }: Pick<ExtensionDeps, "log">,
): ValuesOf<S> {
  return settingValues(schema, settings, (setting, { label: _, description: __, ...expected }) =>
    log("warn", `The setting “${setting}” of the extension ${extension} is invalid; its default is used`, {
      setting,
      expected,
    }),
  );
}
