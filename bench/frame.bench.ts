import { Frame } from "../sidecar/rpc/frame";
import { compare, type Bench } from "./measure";

/** Measures how the conductor forwards a request or a response: it replaces the id and keeps all other bytes. */
const bench: Bench = async () => [
  await measureFrame("a 300-byte message", 300, 4000),
  await measureFrame("a 20 kB message", 20_000, 100),
  await measureFrame("a 1 MB message", 1_000_000, 2),
];
export default bench;

function measureFrame(what: string, characters: number, times: number) {
  const line = Buffer.from(
    JSON.stringify({
      jsonrpc: "2.0",
      id: 41,
      method: "session/prompt",
      params: { sessionId: "s", prompt: [{ type: "text", text: "wörd ".repeat(characters / 5) }] },
    }),
  );
  const repeat = (work: () => unknown) => () => {
    for (let i = 0; i < times; i++) work();
  };
  return compare(
    `${what} forwarded under another id`,
    repeat(() => Frame.raw(line).withId(7).bytes),
    "parsed and serialised again",
    repeat(() => Buffer.from(JSON.stringify({ ...(JSON.parse(line.toString()) as object), id: 7 }))),
  );
}
