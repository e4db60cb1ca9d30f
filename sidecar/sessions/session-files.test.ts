import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { emptyConversation, type Conversation } from "../../src/protocol/chat/chat";
import { Journal } from "../journal/journal";
import { skipped } from "../testing/skipped";
import { filesInThread } from "./session-files";

const idOf = (digit: number) => `0b6e2a3c-5a52-4a43-9f3b-0c1d2e3f4a5${digit}`;
const SESSION: Conversation = {
  ...emptyConversation({ id: "ada", name: "Ada" }, "/w"),
  entries: [{ kind: "user", id: "u", text: "Größe 函数 🙂\r\n".repeat(10_000) }],
};

suite("session files", () => {
  let folder = "";
  setup(() => {
    folder = mkdtempSync(path.join(tmpdir(), "sessions-"));
  });
  teardown(() => rmSync(folder, { recursive: true, force: true }));

  const file = (name: string): string => path.join(folder, name);
  function started(limit?: number) {
    const journal = new Journal(file("storage"), { warn: () => ok(false) });
    if (journal.files().length === 0) journal.import(idOf(1), SESSION);
    const { export: exportTo, import: importFrom } = filesInThread(journal, limit);
    return {
      journal,
      exportTo: (name: string, format: "json" | "markdown" = "json") =>
        exportTo({ conversation: idOf(1), format, path: file(name) }),
      importFrom: (name: string) => importFrom({ conversation: idOf(2), path: file(name) }),
    };
  }
  const names = (): readonly string[] => readdirSync(folder).filter(name => name !== "storage");

  test("replace an existing file, and keep its mode and a symbolic link to it", async function () {
    if (process.platform === "win32") skipped(this, "Windows has no permission bits of this kind");
    const { exportTo } = started();
    writeFileSync(file("one.json"), "earlier");
    chmodSync(file("one.json"), 0o600);
    symlinkSync("one.json", file("link.json"));
    await exportTo("link.json");
    await exportTo("two.json");
    equal(readFileSync(file("one.json"), "utf8"), readFileSync(file("two.json"), "utf8"));
    deepEqual([statSync(file("one.json")).mode & 0o777, lstatSync(file("link.json")).isSymbolicLink()], [0o600, true]);
    deepEqual(names(), ["link.json", "one.json", "two.json"]);
  });

  test("are refused if they could not be imported, and leave an existing file unchanged", async () => {
    await started().exportTo("one.json");
    const { size } = statSync(file("one.json"));
    const { exportTo } = started(size - 1);
    writeFileSync(file("two.json"), "earlier");
    await rejects(exportTo("two.json"), /larger than 0 MB as JSON\. Export it as Markdown/);
    equal(readFileSync(file("two.json"), "utf8"), "earlier");
    await exportTo("two.md", "markdown");
    await rejects(started(size - 1).importFrom("one.json"), /larger than 0 MB/);
    deepEqual(await started(size).importFrom("one.json"), { agentId: "ada", cwd: "/w" });
    deepEqual(names(), ["one.json", "two.json", "two.md"]);
  });

  test("leave no temporary file if the file cannot be replaced", async () => {
    mkdirSync(file("folder.json/inside"), { recursive: true });
    await rejects(started().exportTo("folder.json"), /could not be written/);
    deepEqual(names(), ["folder.json"]);
  });
});
