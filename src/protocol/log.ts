/**
 * One line of the log, from any of the three programs. The host owns the output channel; tests listen to the events.
 */
export type LogLevel = "error" | "warn" | "info" | "debug";
export type LogCategory = "webview" | "agent" | "sidecar" | "lm" | "registry" | "approval";

export interface LogEvent {
  readonly timestamp: Date;
  readonly level: LogLevel;
  readonly category: LogCategory;
  readonly message: string;
  readonly data?: Readonly<Record<string, unknown>>;
}

/** The same on a wire, where a time is milliseconds since 1970. */
export type LogLine = Omit<LogEvent, "timestamp"> & { readonly timestamp: number };

export const LOG_LEVELS: readonly LogLevel[] = ["error", "warn", "info", "debug"];

export function isLogged(level: LogLevel, threshold: LogLevel): boolean {
  return LOG_LEVELS.indexOf(level) <= LOG_LEVELS.indexOf(threshold);
}
