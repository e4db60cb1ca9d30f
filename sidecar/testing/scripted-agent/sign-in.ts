/** Sign-in of the scripted agent as a separate program in a terminal. */
import { writeFileSync } from "node:fs";
import { createInterface } from "node:readline/promises";

/** Resolves with the exit code. */
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
