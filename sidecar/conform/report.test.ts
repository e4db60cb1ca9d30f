import { deepEqual, doesNotMatch, equal, match, ok } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { readEvents, recordFiles, writtenEvent } from "./record-files";
import { readLine, type Conversation, type RecordedEvent } from "./recording";
import { exitCode, reportJson, reportText, summaryOf } from "./report";
import {
  fail,
  judgeAll,
  judgeEach,
  notApplicable,
  notSeen,
  PASS,
  type Result,
  type Rule,
  type Severity,
  type Verdict,
} from "./rule";
import { RULES } from "./rules/catalogue";

function result(severity: Severity, verdict: Verdict, id = "agent/rule"): Result {
  const rule: Rule = {
    id,
    title: "Does it",
    program: "agent",
    section: { 1: "protocol/v1/x" },
    severity,
    remedy: "Do it",
    judge: () => verdict,
  };
  return { rule, version: 1, section: "protocol/v1/x", verdict };
}

suite("conformance report", () => {
  test("sets exit code 1 only for a failed rule of severity must", () => {
    equal(exitCode([result("must", PASS), result("should", fail("no")), result("must", notSeen("-"))]), 0);
    equal(exitCode([result("must", fail("no"))]), 1);
    deepEqual(
      summaryOf([result("must", fail("no")), result("should", fail("no")), result("must", notApplicable("-"))]),
      { passed: 0, failed: 1, warnings: 1, notApplicable: 1, notSeen: 0 },
    );
  });

  test("lists each rule as text with result, reason, section and message", () => {
    const text = reportText("agent", "my-agent", [
      result("must", fail("It did not.", `{"id":1}`)),
      result("should", fail("Nor this."), "agent/other"),
      result("must", PASS, "agent/good"),
    ]);
    equal(
      text,
      [
        "Conformance of the agent my-agent",
        "",
        "ACP version 1",
        "  FAIL  agent/rule                      https://agentclientprotocol.com/protocol/v1/x",
        "        Does it: It did not.",
        `        {"id":1}`,
        "        Remedy: Do it",
        "  warn  agent/other                     https://agentclientprotocol.com/protocol/v1/x",
        "        Does it: Nor this.",
        "        Remedy: Do it",
        "  ok    agent/good                      https://agentclientprotocol.com/protocol/v1/x",
        "        Does it.",
        "",
        "1 passed, 1 failed, 1 warning, 0 not applicable, 0 not seen.",
      ].join("\n"),
    );
  });

  test("summarizes an unsupported version in one line", () => {
    const text = reportText("agent", "a", [
      result("must", notApplicable("no"), "agent/initialize"),
      result("must", notApplicable("no")),
    ]);
    match(text, /The agent does not speak this version\. 2 rules do not apply\./);
  });

  test("contains the same data as JSON with the section's address", () => {
    const { summary, results } = JSON.parse(reportJson("agent", [result("must", fail("It did not.", "{}"))]));
    equal(summary.failed, 1);
    deepEqual(results, [
      {
        rule: "agent/rule",
        title: "Does it",
        severity: "must",
        version: 1,
        section: "https://agentclientprotocol.com/protocol/v1/x",
        result: "fail",
        why: "It did not.",
        excerpt: "{}",
        remedy: "Do it",
      },
    ]);
  });

  test("redacts and truncates a message", () => {
    const token = `ghp_${"a1B2".repeat(9)}`,
      verdict = fail("no", JSON.stringify({ token, text: "x".repeat(1000) }));
    ok(verdict.kind === "fail" && verdict.excerpt !== undefined && verdict.excerpt.length <= 401);
    doesNotMatch(verdict.excerpt, /ghp_a1/);
  });

  test("redacts a reason and shows it on one line without control characters", () => {
    const token = `ghp_${"a1B2".repeat(9)}`,
      why = `The agent returned ${token}\u001b[2J\nFAIL`;
    for (const verdict of [fail(why), notSeen(why), notApplicable(why)]) {
      const text = reportText("agent", "a\u001b", [result("must", verdict)]);
      doesNotMatch(text, /ghp_a1|\u001b|^FAIL/m);
      match(text, /The agent returned ghp_…⟦U\+001B⟧\[2J FAIL/);
    }
  });

  test("combines items: pass if any passes, else fail if any fails, else not seen", () => {
    const verdicts: Readonly<Record<string, Verdict>> = {
      p: PASS,
      f: fail("f"),
      n: notSeen("n"),
      a: notApplicable("a"),
    };
    const judged = (items: string): Verdict => judgeEach([...items], item => verdicts[item], notSeen("none"));
    deepEqual(
      ["", "n", "np", "nfp", "na"].map(items => judged(items).kind),
      ["notSeen", "notSeen", "pass", "fail", "notApplicable"],
    );
  });
});

suite("conformance rule catalogue", () => {
  test("has unique ids that name the kind of program", () => {
    deepEqual(
      RULES.filter(({ id }, i) => RULES.findIndex(rule => rule.id === id) !== i),
      [],
    );
    deepEqual(
      RULES.filter(({ id, program }) => !new RegExp(`^${program}/[a-z-]+$`).test(id)),
      [],
    );
  });

  test("links each rule to a page of the version, a proposal or the specification of MCP", () => {
    for (const { id, section } of RULES) {
      for (const [version, path] of Object.entries(section)) {
        const page = `(protocol/v${version}(/draft)?|rfds|https://modelcontextprotocol.io/specification/[\\d-]+/server)`;
        match(path, new RegExp(`^${page}/[a-z-]+(#[\\w-]+)?$`), id);
      }
    }
  });

  test("has a remedy for each rule for proxies", () => {
    deepEqual(
      RULES.filter(({ program, remedy }) => program === "proxy" && !/^[A-Z].*\.$/.test(remedy ?? "")).map(
        ({ id }) => id,
      ),
      [],
    );
  });

  test("is listed completely in the documentation", () => {
    const documentation = readFileSync("docs/conform.md", "utf8");
    for (const { id, program, section, severity, title, remedy } of RULES) {
      const advice = program === "proxy" ? ` ${remedy ?? ""} |` : "";
      const row = `| \`${id}\` | ${Object.keys(section).join(", ")} | ${severity} | ${title.charAt(0).toLowerCase()}${title.slice(1)} |${advice}`;
      ok(documentation.includes(row), row);
    }
  });

  test("returns neither pass nor fail without conversations", () => {
    for (const program of ["agent", "proxy", "client"] as const) {
      const kinds = new Set(judgeAll(RULES, program, []).map(({ verdict }) => verdict.kind));
      ok(!kinds.has("pass") && !kinds.has("fail"));
    }
  });
});

suite("recording file", () => {
  const line = (direction: "toProgram" | "fromProgram", message: object): RecordedEvent =>
    readLine(direction, JSON.stringify({ jsonrpc: "2.0", ...message }), 7, 1);
  const recorded = (...events: readonly RecordedEvent[]): Conversation => ({
    scenario: "session-v1",
    requested: 1,
    version: 1,
    events,
  });

  test("separates the two ends of a proxy", () => {
    const conversation = recorded(
      line("toProgram", { id: 1, method: "proxy/initialize" }),
      line("fromProgram", { id: 1, method: "proxy/successor", params: { method: "initialize" } }),
      line("toProgram", { id: 1, result: { successor: true } }),
      line("fromProgram", { id: 1, result: { client: true } }),
      { kind: "inputClosed", at: 9 },
    );
    const files = recordFiles("proxy", 3, conversation).map(({ name, text }) => [
      name,
      text
        .trimEnd()
        .split("\n")
        .map(each => JSON.parse(each).line ?? JSON.parse(each).event),
    ]);
    deepEqual(
      files.map(([name]) => name),
      ["03-session-v1.client.jsonl", "03-session-v1.successor.jsonl"],
    );
    match(JSON.stringify(files[0]), /proxy\/initialize.*client.*inputClosed/);
    match(JSON.stringify(files[1]), /proxy\/successor.*successor\\":true/);
  });

  test("is single and redacted for other programs", () => {
    const [file, ...more] = recordFiles(
      "agent",
      1,
      recorded(
        line("toProgram", {
          method: "m",
          params: { headers: [{ name: "Authorization", value: `Bearer ${"s3cr3t".repeat(6)}` }] },
        }),
      ),
    );
    deepEqual(more, []);
    equal(file?.name, "01-session-v1.jsonl");
    doesNotMatch(file.text, /s3cr3ts3cr3t/);
  });

  test("contains valid, redacted messages if written by the recording agent", () => {
    const token = `ghp_${"a1B2".repeat(9)}`;
    for (const params of [{ token }, { env: [{ name: "API_KEY", value: "s3cr3t-value" }] }, { apiKey: 1234567890 }]) {
      const text = writtenEvent(line("fromProgram", { id: 1, method: "m", params })),
        [event] = readEvents(text, 1);
      doesNotMatch(text, /ghp_a1|s3cr3t|1234567890/);
      ok(event?.kind === "line" && event.problem === undefined && event.messages.length === 1, text);
    }
  });

  test("round-trips up to an incomplete line if written by the recording agent", () => {
    const events = [
      line("toProgram", { id: 1, method: "m" }),
      { kind: "noResponse", at: 8, id: 1 } as const,
      { kind: "exited", at: 9, status: "closed" } as const,
    ];
    const text = events.map(event => `${writtenEvent(event)}\n`).join("");
    deepEqual(readEvents(text + `{"kind":"line","at"`, 1), events);
  });
});
