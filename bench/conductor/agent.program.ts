/**
 * The agent of the bench, with minimal cost. The agent answers requests from prepared bytes and streams notifications
 * on request.
 */
import { onLines } from "./lines";
import { answer, hasId, idAt, textIdAt, isKind, KINDS, notification, type Kind, type NumberedLine } from "./messages";

const INITIALIZED = { protocolVersion: 1, agentCapabilities: {}, authMethods: [] };
const BLOCK = 64 * 1024;

const answers = new Map<Kind, NumberedLine>(KINDS.map(kind => [kind, answer(kind)]));
let answered: NumberedLine | undefined;

process.stdin.on(
  "data",
  onLines((bytes, start, end) => {
    if (!hasId(bytes, start)) return onNotification(JSON.parse(bytes.toString("utf8", start, end)));
    const text = textIdAt(bytes, start),
      id = text === undefined ? idAt(bytes, start) : String(JSON.parse(text.toString()));
    if (answered) process.stdout.write(text === undefined ? answered.withId(Number(id)) : answered.withText(text));
    else process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, result: INITIALIZED })}\n`);
  }),
);
process.stdin.on("end", () => process.exit());

function onNotification({
  method,
  params,
}: {
  readonly method?: unknown;
  readonly params?: { readonly kind?: unknown; readonly count?: unknown };
}): void {
  const kind = params?.kind;
  if (!isKind(kind))
    throw new Error(`unexpected message to the agent of the bench: ${JSON.stringify({ method, params })}`);
  if (method === "_bench/answer") answered = answers.get(kind);
  else stream(kind, Number(params?.count));
}

/** Writes blocks that fill a pipe, and waits until they are read. */
function stream(kind: Kind, count: number): void {
  const line = notification(kind),
    lines = Math.max(1, Math.floor(BLOCK / line.length));
  const block = Buffer.concat(Array.from({ length: lines }, () => line));
  let remaining = count;
  const go = (): void => {
    while (remaining > 0) {
      const now = Math.min(remaining, lines);
      remaining -= now;
      if (!process.stdout.write(now === lines ? block : block.subarray(0, now * line.length)))
        return void process.stdout.once("drain", go);
    }
  };
  go();
}
