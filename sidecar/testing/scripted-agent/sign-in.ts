/** The scripted agent as a program of its own, in a terminal: what a person does there to sign in. */
import { writeFileSync } from "node:fs";
import { createInterface } from "node:readline/promises";

/** Resolves to its exit code. */
export async function signIn(file: string | undefined): Promise<number> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    if ((await terminal.question("Sign in to the scripted agent? ")) !== "yes" || file === undefined) return 3;
    writeFileSync(file, "");
    return 0;
  } finally {
    terminal.close();
  }
}
