/**
 * The log of all programs. Listeners such as the output channel receive every line at every level; tests assert on
 * events. `symposium.logLevel` and `symposium.agentLogLevel` filter only the channel.
 *
 * Invariant: a secret never reaches a listener (`protocol/redaction/redact.ts`). The size of a line is bounded.
 */
import { isEntryLogged, type LogCategory, type LogEvent, type LogLevel, type LogLevels } from "./protocol/wire/log";
import { redactFields, redactText, type Limits } from "./protocol/redaction/redact";

/** Approximate maximum characters of a text, of a name, and of all fields of a line. */
const MAX_LENGTH = 4_000,
  LIMITS: Limits = { text: MAX_LENGTH, name: 200, items: 100, depth: 6, total: 16_000 };

export type Listener = (event: LogEvent) => void;
type Fields = Readonly<Record<string, unknown>>;

export class Log {
  readonly #listeners = new Set<Listener>();

  readonly onLog = (listener: Listener): { dispose(): void } => {
    this.#listeners.add(listener);
    return {
      dispose: () => {
        this.#listeners.delete(listener);
      },
    };
  };

  emit({ timestamp, level, category, message, data }: LogEvent): void {
    const event = {
      timestamp,
      level,
      category,
      message: redactText(message, MAX_LENGTH),
      ...(data === undefined ? {} : { data: redactFields(data, LIMITS) }),
    };
    for (const listener of this.#listeners) listener(event);
  }

  error(category: LogCategory, message: string, data?: Fields): void {
    this.#log("error", category, message, data);
  }
  warn(category: LogCategory, message: string, data?: Fields): void {
    this.#log("warn", category, message, data);
  }
  info(category: LogCategory, message: string, data?: Fields): void {
    this.#log("info", category, message, data);
  }
  debug(category: LogCategory, message: string, data?: Fields): void {
    this.#log("debug", category, message, data);
  }

  #log(level: LogLevel, category: LogCategory, message: string, data: Fields | undefined): void {
    this.emit({ timestamp: new Date(), level, category, message, ...(data === undefined ? {} : { data }) });
  }
}

/** Writes one line of text per logged event. Creates the channel with the first line. */
export function channelListener(channel: () => { appendLine(line: string): void }, levels: () => LogLevels): Listener {
  return event => {
    if (isEntryLogged(event, levels())) channel().appendLine(formatted(event));
  };
}

export function formatted({ timestamp, level, category, message, data }: LogEvent): string {
  const fields = data === undefined || Object.keys(data).length === 0 ? "" : ` ${JSON.stringify(data)}`;
  return `${timestamp.toISOString()} [${level}] ${category}: ${message}${fields}`;
}
