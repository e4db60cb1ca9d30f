/**
 * The messages of the conductor's bench, created once. Every line starts with `{"jsonrpc":"2.0",` followed by its id or
 * its method, as nearly all programs write it. Client and agent therefore distinguish messages and read ids without
 * parsing.
 */

/** `small`: 200 bytes. `diff`: 100 kB of code with escapes. `many`: 100 kB of many small structures. */
export const KINDS = ["small", "diff", "many"] as const;
export type Kind = (typeof KINDS)[number];

export function isKind(value: unknown): value is Kind {
  return KINDS.some(kind => kind === value);
}

const SMALL = 200,
  LARGE = 100_000;
const SESSION = "sess_0123456789abcdef";

/** A `session/update` as an agent streams it, with its newline. */
export function notification(kind: Kind): Buffer {
  return lineOf(kind, update => ({ jsonrpc: "2.0", method: "session/update", params: { sessionId: SESSION, update } }));
}

/** A request with space for an id of ten digits. */
export function request(kind: Kind): NumberedLine {
  return new NumberedLine(
    lineOf(kind, update => ({
      jsonrpc: "2.0",
      id: 1e9,
      method: "_bench/echo",
      params: { sessionId: SESSION, update },
    })),
  );
}

/** A response of the same size. */
export function answer(kind: Kind): NumberedLine {
  return new NumberedLine(
    lineOf(kind, update => ({ jsonrpc: "2.0", id: 1e9, result: { sessionId: SESSION, update } })),
  );
}

const ID_AT = '{"jsonrpc":"2.0","id":'.length,
  ID_LENGTH = String(1e9).length,
  SPACE = 0x20,
  ZERO = 0x30;

/** Whether the line that starts at `start` is a request or a response. */
export function hasId(bytes: Buffer, start: number): boolean {
  return bytes[start + ID_AT - 4] === "i".charCodeAt(0);
}

export function idAt(bytes: Buffer, start: number): number {
  let id = 0,
    at = start + ID_AT;
  while (bytes[at] === SPACE) at++;
  for (let digit = (bytes[at] ?? 0) - ZERO; digit >= 0 && digit <= 9; digit = (bytes[++at] ?? 0) - ZERO)
    id = id * 10 + digit;
  return id;
}

/** An id that is text, with its quotes, as the native conductor sends it. */
export function textIdAt(bytes: Buffer, start: number): Buffer | undefined {
  const at = start + ID_AT;
  return bytes[at] === QUOTE ? bytes.subarray(at, bytes.indexOf(QUOTE, at + 1) + 1) : undefined;
}
const QUOTE = '"'.charCodeAt(0);

/** A line whose id is overwritten in place. Do not call `withId` while the line is being sent. */
export class NumberedLine {
  constructor(readonly bytes: Buffer) {}

  withText(id: Buffer): Buffer {
    return Buffer.concat([this.bytes.subarray(0, ID_AT), id, this.bytes.subarray(ID_AT + ID_LENGTH)]);
  }

  withId(id: number): Buffer {
    const { bytes } = this;
    let rest = id;
    for (let at = ID_AT + ID_LENGTH - 1; at >= ID_AT; at--) {
      bytes[at] = rest === 0 && at < ID_AT + ID_LENGTH - 1 ? SPACE : ZERO + (rest % 10);
      rest = Math.floor(rest / 10);
    }
    return bytes;
  }
}

/** Padded to the exact size. */
function lineOf(kind: Kind, message: (update: object) => object): Buffer {
  const text = (padding: number): string => JSON.stringify(message(updateOf(kind, padding))) + "\n";
  const size = kind === "small" ? SMALL : LARGE;
  const line = Buffer.from(text(size - Buffer.byteLength(text(0))));
  if (line.length !== size) throw new Error(`the line has ${line.length} bytes instead of ${size}`);
  return line;
}

function updateOf(kind: Kind, padding: number): object {
  switch (kind) {
    case "small":
      return { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "x".repeat(padding) } };
    case "diff":
      return {
        sessionUpdate: "tool_call_update",
        toolCallId: "call_1",
        status: "completed",
        kind: "edit",
        title: "Edit src/conductor/router.ts",
        locations: [{ path: "/home/someone/project/src/conductor/router.ts", line: 120 }],
        content: [
          {
            type: "content",
            content: {
              type: "text",
              text: 'The edit was applied.\n\n```ts\nroute("session/prompt");\n```\n' + "x".repeat(padding),
            },
          },
          {
            type: "diff",
            path: "/home/someone/project/src/conductor/router.ts",
            oldText: code(1, 620),
            newText: code(2, 640),
          },
        ],
        rawOutput: { exitCode: 0, changed: ["src/conductor/router.ts"], durationMs: 12.5 },
      };
    case "many":
      return {
        sessionUpdate: "tool_call_update",
        toolCallId: "call_2",
        status: "in_progress",
        content: Array.from({ length: 560 }, (_, i) => ({
          type: "content",
          content: {
            type: "text",
            text: `src/file-${i}.ts:${i * 7}: "match" no. ${i}`,
            annotations: { audience: ["user"], priority: (i % 10) / 10 },
          },
          _meta: { line: i, kept: i % 2 === 0 },
        })),
        _meta: { padding: "x".repeat(padding) },
      };
  }
}

/** Lines of source code with quotes, tabs and backslashes. */
function code(seed: number, lines: number): string {
  return Array.from({ length: lines }, (_, i) =>
    i % 4 === 0
      ? `\tif (name === "handler-${(i * seed) % 97}") return parse(text.replace(/\\s+/g, "\\n"));`
      : `\t\tconst value${i} = table.get("key-${i}") ?? fallback(${i * seed}); // as before`,
  ).join("\n");
}
