/**
 * An agent extension that is part of Symposium: a proxy of our own kit (proxies/proxy.ts), made for one chain. It runs
 * in the sidecar, behind `run-with`, and alone on stdio (`symposium-acp-agent proxy NAME`): what it needs of the
 * computer is given to it.
 */
import type { ProcessSpec, Started } from "../process/child";
import type { Environment } from "../process/login-shell-environment";
import type { ToolOptions, ToolResult } from "../process/tool-run";
import type { ProxyDefinition } from "../proxies/proxy";
import type { Clock } from "../rpc/clock";
import type { JsonObject } from "../rpc/json";

export interface ExtensionDeps {
  /** Ours, for what is told of us. */
  readonly version: string;
  readonly clock: Clock;
  /** Now, for what is written into files. */
  readonly date: () => Date;
  readonly platform: string;
  /** The user's home folder. */
  readonly home: string;
  /** Of the user's login shell; what `run` and `start` give to what they start. */
  readonly environment: () => Promise<Environment>;
  /** Where a program of the user's is; never in the current folder. */
  readonly find: (program: string) => Promise<string | undefined>;
  /** A program to its end (process/tool-run.ts): its group and all it started are gone when this is settled. */
  readonly run: (spec: ProcessSpec, options: ToolOptions) => Promise<ToolResult>;
  /** A program that goes on, a language server; whoever starts it stops it. */
  readonly start: (spec: ProcessSpec) => Promise<Started>;
  /** For the log. */
  readonly log: (level: "info" | "warn", message: string, detail: JsonObject) => void;
}

/** What the user configured for this extension; what cannot be read counts as absent, and is said to `log`. */
export type ExtensionSettings = JsonObject;

export interface BuiltInExtension {
  /** As in the settings, on the command line, and in the docs. */
  readonly id: string;
  /** As the user knows it. */
  readonly name: string;
  define(settings: ExtensionSettings, deps: ExtensionDeps): ProxyDefinition;
}
