/**
 * bzip2, in a thread of its own: what there is for it in JavaScript decodes a block (up to 900 kB) in one go, and a
 * sidecar that does so stands still meanwhile.
 *
 *   source ══▶ stdin of our own program (`bunzip2`), in a worker ══▶ its stdout ══▶ who unpacks
 */
import { once } from "node:events";
import { PassThrough, type Readable, type Writable } from "node:stream";
import { Worker } from "node:worker_threads";
import bunzip2 from "unbzip2-stream";

/** What was compressed; a stream that fails for what was not, or not as a whole. The source ends with it. */
export type Bunzip = (source: Readable) => Readable;

/** In this thread. */
export const bunzipHere: Bunzip = source => {
  const through = new PassThrough(),
    plain = source.pipe(bunzip2());
  source.on("error", error => through.destroy(error));
  through.once("close", () => source.destroy());
  plain.on("error", error => through.destroy(error)); // a stream of the oldest kind, which cannot be iterated
  return plain.pipe(through);
};

/** `program`: the file of our own program. Whoever destroys the stream ends the thread. */
export function bunzipElsewhere(program: string): Bunzip {
  return source => {
    const worker = new Worker(program, { argv: ["bunzip2"], stdin: true, stdout: true, stderr: true }),
      through = new PassThrough();
    const said: Buffer[] = [],
      read = once(worker.stdout, "end");
    worker.stderr.on("data", (text: Buffer) => {
      said.push(text);
    });
    read.catch(() => undefined);
    source.on("error", error => through.destroy(error));
    if (worker.stdin) source.pipe(worker.stdin).on("error", () => undefined); // it is gone, and says why
    worker.stdout.pipe(through, { end: false });
    worker.once("error", error => through.destroy(error));
    worker.once("exit", code => {
      if (code !== 0)
        through.destroy(new Error(Buffer.concat(said).toString().split("\n", 1)[0] || `its thread ended with ${code}`));
      else
        read.then(
          () => through.end(),
          error => through.destroy(error instanceof Error ? error : new Error(String(error))),
        );
    });
    through.once("close", () => {
      source.destroy();
      void worker.terminate();
    });
    return through;
  };
}

/** The other side. Rejects for what is not whole. */
export async function bunzipInput(source: Readable, sink: Writable): Promise<void> {
  for await (const chunk of bunzipHere(source))
    await new Promise<void>((resolve, reject) => {
      sink.write(chunk, error => {
        if (error) reject(error);
        else resolve();
      });
    });
}
