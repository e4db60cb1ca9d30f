/** A program under test in memory: two streams and a function that serves them. */
import { PassThrough } from "node:stream";
import type { Subject } from "../../conform/driver";

export interface Served {
  /** A line that arrived on stdin. */
  line(text: string): void;
  /** Stdin was closed. */
  inputClosed(): void;
}

export interface Serving {
  /** Writes a line to stdout. */
  readonly write: (text: string) => void;
  readonly exit: (status: string) => void;
}

export function memorySubject(serve: (serving: Serving) => Served): Subject {
  const input = new PassThrough(),
    output = new PassThrough();
  let exit: (status: string) => void = () => undefined;
  const exited = new Promise<string>(resolve => {
    exit = resolve;
  });
  const leave = (status: string): void => {
    output.end();
    exit(status);
  };
  const served = serve({
    write: text => {
      if (output.writable) output.write(`${text}\n`);
    },
    exit: leave,
  });
  let rest = "";
  const take = (text: string): void => {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) served.line(line);
  };
  // Not at once: between two processes there is always a turn of the event loop.
  input.setEncoding("utf8").on("data", (text: string) => {
    setImmediate(take, text);
  });
  input.on("end", () => {
    setImmediate(() => served.inputClosed());
  });
  return { input, output, exited, stop: async () => leave("signal SIGKILL") };
}
