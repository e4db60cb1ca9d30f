/**
 * Decompresses bzip2 in a worker thread. The JavaScript library decodes a block (up to 900 kB) synchronously, which
 * would block the sidecar.
 *
 *   source ══▶ stdin of our own program (`bunzip2`), in a worker ══▶ its stdout ══▶ unpacker
 */
import { once } from "node:events";
import { PassThrough, type Readable, type Writable } from "node:stream";
import { Worker } from "node:worker_threads";
import bunzip2 from "unbzip2-stream";

/**
 * Returns the decompressed stream, which fails for invalid or incomplete input. Destroying the stream also destroys the
 * source.
 */
export type Bunzip = (source: Readable) => Readable;

/** Decompresses in this thread. */
export const bunzipInThread: Bunzip = source => {
  const through = new PassThrough(),
    plain = source.pipe(bunzip2());
  source.on("error", error => through.destroy(error));
  through.once("close", () => source.destroy());
  plain.on("error", error => through.destroy(error)); // an old-style stream, which is not iterable
  return plain.pipe(through);
};

/** `program`: path of our own program. Destroying the stream terminates the thread. */
export function bunzipInWorker(program: string): Bunzip {
  return source => {
    const worker = new Worker(program, { argv: ["bunzip2"], stdin: true, stdout: true, stderr: true }),
      through = new PassThrough();
    const stderr: Buffer[] = [],
      read = once(worker.stdout, "end");
    worker.stderr.on("data", (text: Buffer) => {
      stderr.push(text);
    });
    read.catch(() => undefined);
    source.on("error", error => through.destroy(error));
    if (worker.stdin) source.pipe(worker.stdin).on("error", () => undefined); // the worker's exit reports the error
    worker.stdout.pipe(through, { end: false });
    worker.once("error", error => through.destroy(error));
    worker.once("exit", code => {
      if (code !== 0)
        through.destroy(
          new Error(Buffer.concat(stderr).toString().split("\n", 1)[0] || `its thread exited with ${code}`),
        );
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

/** Runs in the worker thread. Rejects for incomplete input. */
export async function bunzipInput(source: Readable, sink: Writable): Promise<void> {
  for await (const chunk of bunzipInThread(source))
    await new Promise<void>((resolve, reject) => {
      sink.write(chunk, error => {
        if (error) reject(error);
        else resolve();
      });
    });
}
