import { deepEqual } from "node:assert/strict";
import type { Recording } from "../../review/review-service";
import { RecordedModelTurns } from "./recorded-turns";

suite("RecordedModelTurns", () => {
  test("names a turn by the user's text, without the blocks of VS Code's chat", async () => {
    const titles: string[] = [];
    const recording: Recording = {
      summary: undefined,
      begin: async (_prompt, title) => void titles.push(title),
      announced: async () => undefined,
      toolEnded: () => undefined,
      writing: async (_file, write) => void (await write()),
      end: async () => undefined,
      [Symbol.asyncDispose]: async () => undefined,
    };
    const turns = new RecordedModelTurns(recording, "/w");
    await turns.begin("<context>\nThe date\n</context>\n<userRequest>\nSplit  it\n</userRequest>");
    await turns.begin("Plain text");
    deepEqual(titles, ["Split it", "Plain text"]);
  });
});
