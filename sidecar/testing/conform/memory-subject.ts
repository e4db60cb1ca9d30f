/** Program under test in memory: two streams and a function that serves them. */
import { PassThrough } from "node:stream";
import type { Subject } from "../../conform/driver";

export interface Served {
  /** Called for each line on stdin. */
  line(text: string): void;
  /** Called when stdin is closed. */
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
  const exitWith = (status: string): void => {
    output.end();
    exit(status);
  };
  const served = serve({
    write: text => {
      if (output.writable) output.write(`${text}\n`);
    },
    exit: exitWith,
  });
  let incomplete = "";
  const receive = (text: string): void => {
    const lines = (incomplete + text).split("\n");
    incomplete = lines.pop() ?? "";
    for (const line of lines) served.line(line);
  };
  // Delivered later, because two processes are always separated by a turn of the event loop.
  input.setEncoding("utf8").on("data", (text: string) => {
    setImmediate(receive, text);
  });
  input.on("end", () => {
    setImmediate(() => served.inputClosed());
  });
  return { input, output, exited, stop: async () => exitWith("signal SIGKILL") };
}
