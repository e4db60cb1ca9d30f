import { deepEqual, equal } from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { SessionTools } from "../../mcp/delivery/session-tools";
import { EvidenceFile } from "./evidence-file";

suite("EvidenceFile", () => {
  let folder: string;
  setup(() => {
    folder = mkdtempSync(path.join(tmpdir(), "symposium-"));
  });
  teardown(() => rmSync(folder, { recursive: true, force: true }));
  const opened = (file = path.join(folder, "cache", "agent-tools.json"), warnings: string[] = []) =>
    new EvidenceFile({ file, date: () => 1, onWarning: message => warnings.push(message) });
  const HTTP = { transport: "http", isListed: true, lists: "beforePrompt" } as const,
    STDIO = { transport: "stdio", isListed: false, lists: "never" } as const;

  test("stores evidence for the next process, per program and version, and merges other processes' data", async () => {
    const file = opened(),
      two = opened();
    file.set("ada 1.0", HTTP);
    await file.written();
    two.set("ada 1.1", STDIO);
    await two.written();
    deepEqual(
      ["ada 1.0", "ada 1.1", "ada 2.0"].map(program => opened().of(program)),
      [HTTP, STDIO, undefined],
    );
  });

  test("prefers a newer entry of another process", async () => {
    const file = path.join(folder, "evidence.json");
    const at = (date: number) => new EvidenceFile({ file, date: () => date, onWarning: () => undefined });
    const older = at(1),
      newer = at(2);
    older.set("ada 1.0", HTTP);
    await older.written();
    newer.set("ada 1.0", STDIO);
    await newer.written();
    older.set("bob 1.0", HTTP);
    await older[Symbol.asyncDispose]();
    deepEqual([older.of("ada 1.0"), at(3).of("ada 1.0"), at(3).all().get("bob 1.0")?.at], [STDIO, STDIO, 1]);
  });

  test("stores the tools of the newest session beside the evidence", async () => {
    const tools = (calls: number): SessionTools => ({
      servers: [
        {
          owner: "Sparkle",
          delivery: { server: "sparkle", transport: "http", stage: "called", connections: 1, listed: 9, calls },
          isMissing: false,
        },
      ],
      direct: [{ server: "docs" }],
      retry: "otherTransport",
    });
    const evidenceFile = opened();
    evidenceFile.setTools("bob 1.0", tools(1));
    evidenceFile.set("ada 1.0", HTTP);
    evidenceFile.setTools("ada 1.0", tools(1));
    evidenceFile.setTools("ada 1.0", tools(2));
    await evidenceFile.written();
    deepEqual(
      [opened().of("ada 1.0"), opened().tools("ada 1.0"), opened().of("bob 1.0"), opened().tools("bob 1.0")],
      [HTTP, tools(2), undefined, tools(1)],
    );
  });

  test("cuts the name of a program to 200 characters", async () => {
    const store = opened(),
      name = "x".repeat(1_000);
    store.set(name, HTTP);
    await store.written();
    deepEqual([[...opened().all().keys()].map(key => key.length), opened().of(name)?.transport], [[200], "http"]);
  });

  test("reads a damaged file as empty and drops invalid entries", () => {
    const file = path.join(folder, "evidence.json");
    for (const text of ["{", "[]", "null"]) {
      writeFileSync(file, text);
      equal(opened(file).all().size, 0);
    }
    writeFileSync(
      file,
      JSON.stringify({ a: { ...HTTP, at: 2 }, b: { ...HTTP, transport: "smoke" }, c: { ...HTTP, lists: 1 }, d: 7 }),
    );
    deepEqual([...opened(file).all().keys()], ["a"]);
    writeFileSync(
      file,
      JSON.stringify({
        a: { tools: { retry: "never", servers: [] } },
        b: { tools: { retry: "inVain", servers: [1, { delivery: { server: "s", stage: "lost" } }] } },
      }),
    );
    deepEqual([...opened(file).all()], [["b", { at: 0, tools: { servers: [], direct: [], retry: "inVain" } }]]);
  });

  test("warns once about a failed write and keeps the evidence in memory", async () => {
    const file = path.join(folder, "not-a-folder", "evidence.json"),
      warnings: string[] = [];
    writeFileSync(path.join(folder, "not-a-folder"), "");
    const store = opened(file, warnings);
    store.set("a", HTTP);
    store.set("b", STDIO);
    await store.written();
    deepEqual([warnings.length, store.of("b")?.transport], [1, "stdio"]);
  });
});
