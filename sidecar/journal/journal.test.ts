import { deepEqual, equal } from "node:assert/strict";
import { constants } from "node:buffer";
import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { RECORD as ADA } from "../testing/sessions/session-record";
import { skipped } from "../testing/skipped";
import { applyEvent, emptyConversation } from "../../src/protocol/chat/chat";
import { restored } from "./stored-conversation";
import { Journal, UNPROTECTED } from "./journal";
import { lineOf, newestRecord, type SessionRecord } from "./session-record";

const CONVERSATION = "0b6e2a3c-5a52-4a43-9f3b-0c1d2e3f4a5b",
  RECORD: SessionRecord = { ...ADA, extensions: ["sparkle"] };

const EMPTY = emptyConversation({ id: "ada", name: "Ada" }, "/w");

suite("journal of a chat session", () => {
  let storage = "";
  const warnings: string[] = [],
    journal = (append?: (file: string, text: string) => void): Journal =>
      new Journal(storage, { warn: message => warnings.push(message), ...(append ? { append } : {}) }),
    fileOf = (conversation: string): string => path.join(storage, "sessions", `${conversation}.jsonl`);
  setup(() => {
    storage = mkdtempSync(path.join(tmpdir(), "symposium-"));
    warnings.length = 0;
  });
  teardown(() => rmSync(storage, { recursive: true, force: true }));

  test("returns the newest record of a conversation to a later process", () => {
    const first = journal();
    equal(first.read(CONVERSATION).record, undefined);
    first.keep(CONVERSATION, RECORD);
    first.keep(CONVERSATION, { ...RECORD, agentSession: "s2" });
    deepEqual(journal().read(CONVERSATION).record, { ...RECORD, agentSession: "s2" });
  });

  test("is readable by the user only", function () {
    if (process.platform === "win32") skipped(this, "Windows has no permission bits of this kind");
    journal().keep(CONVERSATION, RECORD);
    deepEqual(
      [fileOf(CONVERSATION), path.dirname(fileOf(CONVERSATION))].map(file => statSync(file).mode & 0o777),
      [0o600, 0o700],
    );
  });

  test("never writes a journal that is too long to be read", () => {
    journal().keep(CONVERSATION, RECORD);
    truncateSync(fileOf(CONVERSATION), constants.MAX_STRING_LENGTH + 1); // a sparse file
    const { record, text } = journal().read(CONVERSATION);
    deepEqual([record, text.version], [undefined, undefined]);
    journal().writer(CONVERSATION, text, UNPROTECTED)(EMPTY);
    equal(statSync(fileOf(CONVERSATION)).size, constants.MAX_STRING_LENGTH + 1);
  });

  test("skips torn, damaged and unknown lines", () => {
    const text = `${lineOf(RECORD)}\u0000\u0000{"type":"other"}\n{"type":"session","format":2}\n${lineOf(RECORD).slice(0, 30)}`;
    deepEqual(newestRecord(text), RECORD);
    equal(newestRecord(""), undefined);
    const next = { ...RECORD, agentSession: "s2" };
    deepEqual(newestRecord(lineOf(RECORD).slice(0, 30) + lineOf(next)), next, "a record after a torn line");
  });

  test("stores nothing outside its folder", () => {
    for (const conversation of ["../../evil", "a/b", "", "one", `${CONVERSATION}/..`]) {
      journal().keep(conversation, RECORD);
      equal(journal().read(conversation).record, undefined);
    }
    deepEqual(readdirSync(storage), []);
  });

  test("warns once per failure until a write succeeds", () => {
    let isFull = true;
    const full = journal((file, text) => {
      if (isFull) throw Object.assign(new Error("ENOSPC: no space"), { code: "ENOSPC" });
      writeFileSync(file, text);
    });
    full.keep(CONVERSATION, RECORD);
    full.keep(CONVERSATION, RECORD);
    deepEqual(warnings, [
      `Symposium cannot store conversations, because the disk is full (${path.join(storage, "sessions")}). ` +
        "They continue, but are lost after a restart. Free some disk space.",
    ]);
    isFull = false;
    full.keep(CONVERSATION, RECORD);
    equal(readFileSync(fileOf(CONVERSATION), "utf8"), lineOf(RECORD));
    isFull = true;
    full.keep(CONVERSATION, RECORD);
    equal(warnings.length, 2);
  });

  test("continues with a new record after a torn line", () => {
    journal().keep(CONVERSATION, RECORD);
    const torn = { ...RECORD, agentSession: "s2" },
      next = { ...RECORD, agentSession: "s3" };
    appendFileSync(fileOf(CONVERSATION), lineOf(torn).slice(0, -9));
    deepEqual(journal().read(CONVERSATION).record, RECORD);
    journal().keep(CONVERSATION, next);
    deepEqual(journal().read(CONVERSATION).record, next);
  });

  test("contains no conversation whose id is no UUID, because the id becomes a file name", () => {
    const open = journal();
    for (const id of ["../escaped", "", "one", undefined as unknown as string]) {
      open.keep(id, RECORD);
      const write = open.writer(id, open.read(id).text, UNPROTECTED);
      write(EMPTY);
      write(applyEvent(EMPTY, { type: "title", title: "x" }));
    }
    deepEqual([existsSync(path.join(storage, "sessions")), warnings], [false, []]);
  });

  const LIMITS = { days: 30, megabytes: 1 };

  test("keeps the time of a turn until a write succeeds", () => {
    let isFull = true;
    const full = journal((file, text) => {
        if (isFull) throw new Error("disk full");
        appendFileSync(file, text);
      }),
      write = full.writer(CONVERSATION, full.read(CONVERSATION).text, UNPROTECTED),
      stored = () => full.read(CONVERSATION).text.activeAt;
    write(EMPTY, 7);
    isFull = false;
    write(applyEvent(EMPTY, { type: "title", title: "One" }));
    equal(stored(), 7);
    write(applyEvent(EMPTY, { type: "title", title: "Two" }));
    equal(stored(), 7);
  });

  test("is deleted after its number of days", async () => {
    const day = 24 * 3600,
      other = CONVERSATION.replace("0", "1");
    for (const conversation of [CONVERSATION, other]) journal().keep(conversation, RECORD);
    utimesSync(fileOf(CONVERSATION), 0, 0);
    utimesSync(fileOf(other), 2 * day, 2 * day);
    await journal().cleanUp(31 * day * 1000, LIMITS);
    deepEqual(readdirSync(path.join(storage, "sessions")), [path.basename(fileOf(other))]);
    await new Journal(path.join(storage, "missing"), { warn: message => warnings.push(message) }).cleanUp(0, LIMITS);
    deepEqual(warnings, []);
  });

  test("is deleted above the size of all journals, those changed least recently first", async () => {
    const ids = ["1", "2", "3"].map(digit => CONVERSATION.replace("0", digit));
    ids.forEach((conversation, i) => {
      journal().keep(conversation, RECORD);
      writeFileSync(fileOf(conversation), "x".repeat(500_000));
      utimesSync(fileOf(conversation), 1_000 + i, 1_000 + i);
    });
    await journal().cleanUp(2_000_000, LIMITS);
    deepEqual(
      readdirSync(path.join(storage, "sessions")).sort(),
      ids
        .slice(1)
        .map(id => path.basename(fileOf(id)))
        .sort(),
    );
  });

  test("counts the index of a journal to its size", async () => {
    journal().keep(CONVERSATION, RECORD);
    writeFileSync(journal().indexFile(CONVERSATION), "x".repeat(1_100_000));
    await journal().cleanUp(2_000_000, LIMITS);
    deepEqual(readdirSync(path.join(storage, "sessions")), []);
  });

  test("stores an open conversation completely after all journals were deleted", async () => {
    const open = journal(),
      write = open.writer(CONVERSATION, open.read(CONVERSATION).text, UNPROTECTED),
      first = applyEvent(EMPTY, { type: "upsert", entry: { kind: "agent", id: "a", text: "One" } });
    write(first);
    equal(await open.deleteAll(), 1);
    equal(restored(open.read(CONVERSATION).text, "").entries.length, 0);
    write(applyEvent(first, { type: "append", id: "a", offset: 3, text: " two" }));
    deepEqual(restored(open.read(CONVERSATION).text, "").entries, [{ kind: "agent", id: "a", text: "One two" }]);
  });
});
