/** A log entry from any of the three programs. The host owns the output channel; tests subscribe to the events. */
export type LogLevel = "error" | "warn" | "info" | "debug";
export type LogCategory = "webview" | "agent" | "sidecar" | "lm" | "registry" | "approval";

export interface LogEvent {
  readonly timestamp: Date;
  readonly level: LogLevel;
  readonly category: LogCategory;
  readonly message: string;
  readonly data?: Readonly<Record<string, unknown>>;
}

/** Wire format of an entry; `timestamp` is milliseconds since 1970. */
export type LogLine = Omit<LogEvent, "timestamp"> & { readonly timestamp: number };

/** Minimum levels of logged entries. `agentLogLevel`: for the category `agent`, which includes the stderr of agents. */
export interface LogLevels {
  readonly logLevel: LogLevel;
  readonly agentLogLevel: LogLevel;
}

export const LOG_LEVELS: readonly LogLevel[] = ["error", "warn", "info", "debug"];

export function isLogged(level: LogLevel, threshold: LogLevel): boolean {
  return LOG_LEVELS.indexOf(level) <= LOG_LEVELS.indexOf(threshold);
}

export function isEntryLogged(
  { level, category }: Pick<LogEvent, "level" | "category">,
  { logLevel, agentLogLevel }: LogLevels,
): boolean {
  return isLogged(level, category === "agent" ? agentLogLevel : logLevel);
}
