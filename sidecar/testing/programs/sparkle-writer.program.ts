/**
 * Simulates another window with longer timeouts: saves COUNT insights into the ~/.sparkle of HOME and the
 * .sparkle-space of CWD. Arguments: HOME CWD NAME COUNT.
 */
import { realFiles } from "../../agents/install/store/files";
import { Memory } from "../../extensions/sparkle/memory";
import { hurriedClock } from "../accelerated-clock";

const [home = "", cwd = "", name = "", count = "0"] = process.argv.slice(2);

async function main(): Promise<void> {
  const memory = new Memory(home, cwd, undefined, {
    clock: hurriedClock(0.25),
    date: () => new Date(),
    files: realFiles,
    log: (_, message) => {
      throw new Error(message);
    },
  });
  const { signal } = new AbortController();
  process.stdout.write("ready\n");
  await new Promise<void>(resolve => process.stdin.once("data", () => resolve()));
  for (let i = 0; i < Number(count); i++)
    await memory.saveInsight(
      i % 2 === 0 ? "PatternAnchor" : "WorkspaceInsight",
      { content: `${name} ${i}`, context: "", tags: [], sparkler: undefined },
      signal,
    );
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(String(error));
    process.exit(1);
  },
);
