import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { emptyConversation } from "../../src/protocol/chat/chat";
import { Journal } from "../journal/journal";
import { program } from "../testing/programs/programs";
import { filesInWorker } from "./session-files";

const idOf = (digit: number) => `0b6e2a3c-5a52-4a43-9f3b-0c1d2e3f4a5${digit}`;

suite("session files in a worker thread", () => {
  let folder = "";
  setup(() => {
    folder = mkdtempSync(path.join(tmpdir(), "sessions-"));
  });
  teardown(() => rmSync(folder, { recursive: true, force: true }));

  test("are exported and imported, and refused with the sentence of the thread", async () => {
    const file = (name: string): string => path.join(folder, name),
      files = filesInWorker(program("symposium-acp-agent").args[0] ?? "", folder);
    new Journal(folder, { warn: () => ok(false) }).import(idOf(1), {
      ...emptyConversation({ id: "ada", name: "Ada" }, "/w"),
      entries: [{ kind: "user", id: "u", text: "Hi" }],
    });
    await files.export({ conversation: idOf(1), format: "json", path: file("one.json") });
    deepEqual(await files.import({ conversation: idOf(2), path: file("one.json") }), { agentId: "ada", cwd: "/w" });
    await files.export({ conversation: idOf(2), format: "json", path: file("two.json") });
    equal(readFileSync(file("two.json"), "utf8"), readFileSync(file("one.json"), "utf8"));
    await rejects(
      files.export({ conversation: idOf(9), format: "json", path: file("x") }),
      /This session has no content/,
    );
  });
});
