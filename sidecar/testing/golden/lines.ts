/**
 * Lines of a golden transcript (CONTRIBUTING.md, "Golden transcripts"): the components that a message passed, and the
 * message.
 *
 * - `A → B  method#id {params}`: a request. Without `#id`: a notification.
 * - `A → B  #id = {result}` and `A → B  #id ! {error}`: its responses.
 * - `A → B → C  …`: B forwarded the message unchanged.
 * - `mcp` before the method: an MCP message inside an ACP message.
 */
import type { TraceEvent } from "../../conductor/trace";

export type TracedMessage = Exclude<TraceEvent, { readonly type: "dropped" }>;

/** The message without its sender and receiver. */
export function traceText(event: TraceEvent): string {
  switch (event.type) {
    case "request":
    case "notification": {
      const { protocol, method, params } = event,
        id = event.type === "request" ? `#${event.id}` : "";
      return `${protocol === "mcp" ? "mcp " : ""}${method}${id}${json(params)}`;
    }
    case "response":
      return `#${String(event.id)} ${event.is_error ? "!" : "="}${json(event.payload)}`;
    case "dropped":
      return `${event.count} messages are missing`;
  }
}

export const json = (value: unknown): string =>
  value === undefined || value === null ? "" : ` ${JSON.stringify(value)}`;

/** Lines in order of their first hop. A message that a component forwards unchanged extends the line of its arrival. */
export class TranscriptLines {
  readonly #lines: { readonly path: string[]; readonly text: string }[] = [];
  /** Lines by text and last component, oldest first. Each hop keeps the order of its messages. */
  readonly #arrived = new Map<string, { readonly path: string[]; readonly text: string }[]>();

  add(from: string, to: string, text: string): void {
    const forwarded = this.#arrived.get(`${from}\n${text}`)?.shift(),
      line = forwarded ?? { path: [from], text };
    line.path.push(to);
    if (!forwarded) this.#lines.push(line);
    const key = `${to}\n${text}`;
    this.#arrived.set(key, [...(this.#arrived.get(key) ?? []), line]);
  }

  get all(): readonly string[] {
    return this.#lines.map(({ path, text }) => `${path.join(" → ")}  ${text}`);
  }
}

/** Replaces values that differ from run to run: each distinct value gets the next number of its kind. */
export class StableNames {
  readonly #names = new Map<string, string>();
  readonly #counts = new Map<string, number>();

  /** `fixed`: texts and their replacements, longest first. */
  constructor(private readonly fixed: readonly (readonly [text: string, name: string])[] = []) {}

  /** The name of this value. The first call determines its kind. */
  of(value: string, kind: string): string {
    const known = this.#names.get(value);
    if (known !== undefined) return known;
    const n = (this.#counts.get(kind) ?? 0) + 1,
      name = `${kind}-${n}`;
    this.#counts.set(kind, n);
    this.#names.set(value, name);
    return name;
  }

  /** Also names UUIDs, tokens, the sidecar's prefixes of ids, and addresses of MCP servers. */
  in(text: string): string {
    return this.fixed
      .reduce((replaced, [value, name]) => replaced.replaceAll(value, name), text)
      .replace(/\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/g, uuid => this.of(uuid, "uuid"))
      .replace(/\b[0-9a-f]{32}\b/g, token => this.of(token, "token"))
      .replace(
        /"([0-9a-f]{8})-(?=[a-z]?\d+(?:t\d+|-tool|\/\w*)?")/g,
        (_, prefix: string) => `"${this.of(prefix, "entries")}-`,
      )
      .replace(/-[0-9a-f]{8}-(?=\d+")/g, "-RUN-")
      .replace(/\b127\.0\.0\.1:\d+(?:\/[\w-]{22}\b)?/g, "127.0.0.1:PORT");
  }
}
