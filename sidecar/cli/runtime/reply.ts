/** Result of a command that answers once, and its output. */

/** `notes`: sentences for stderr. */
export interface CommandReply {
  readonly code: 0 | 1;
  readonly out: string;
  readonly notes: readonly string[];
}

/** Resolves with the exit code when everything is written. */
export async function printReply({ code, out, notes }: CommandReply): Promise<number> {
  await Promise.all([written(process.stderr, notes.map(note => `${note}\n`).join("")), written(process.stdout, out)]);
  return code;
}

/** Resolves when the text is written, or when the reader has closed the pipe. */
function written(stream: NodeJS.WriteStream, text: string): Promise<void> {
  return new Promise(resolve => {
    stream.once("error", () => resolve());
    stream.write(text, () => resolve());
  });
}
