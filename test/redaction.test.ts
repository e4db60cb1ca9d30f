/** A planted secret occurs in no text for users: lines of both logs, traces, reports, errors. */
import { equal, ok } from "node:assert/strict";
import { PassThrough } from "node:stream";
import fc from "fast-check";
import { diagnose, type Observed } from "../sidecar/agents/doctor/diagnose";
import { report } from "../sidecar/agents/doctor/report";
import { InstallError } from "../sidecar/agents/install/store/install-error";
import { RegistryError } from "../sidecar/http/fetch-document";
import { failureNotice } from "../sidecar/chat/agent/failure-notice";
import { readCommand } from "../sidecar/cli/command";
import { openLog } from "../sidecar/cli/runtime/log";
import { traceEvent } from "../sidecar/conductor/trace";
import { agentReturnedError, agentExited } from "../sidecar/errors";
import { McpFailure } from "../sidecar/mcp/client";
import { Frame } from "../sidecar/rpc/frame";
import { diagnosticsReport } from "../src/diagnostics/report";
import { formatted, Log as HostLog } from "../src/log";
import { redactText, redactValue } from "../src/protocol/redaction/redact";
import { readSettings } from "../src/settings/store/settings";
import { embeddings, nestings, PLACES, spellings, STRUCTURES, TOKENS, type Planted } from "./planted-secrets";

function absent(secret: string, shown: string, given: string): void {
  for (const spelling of spellings(secret))
    ok(!shown.includes(spelling), `${spelling}\n  is in ${shown}\n  of    ${given}`);
  // Also excludes parts of the secret with a useful length.
  for (let at = 0; at + 12 <= secret.length; at += 4)
    ok(!shown.includes(secret.slice(at, at + 12)), `${secret.slice(at, at + 12)}\n  is in ${shown}\n  of    ${given}`);
}

suite("redacted text", () => {
  const plant = (arbitrary: fc.Arbitrary<Planted>, around: fc.Arbitrary<(text: string) => string>): void =>
    fc.assert(
      fc.property(arbitrary, around, ({ text, secret }, embed) => {
        const given = embed(text),
          shown = redactText(given);
        absent(secret, shown, given);
        equal(redactText(shown), shown, "redacting twice changes nothing");
      }),
    );
  for (const [rule, token] of Object.entries(TOKENS)) test(rule, () => plant(token, embeddings));
  for (const [place, planted] of Object.entries(PLACES)) test(place, () => plant(planted, nestings));
});

suite("redacted value", () => {
  const nested = (value: unknown, depth: number): unknown =>
    depth === 0 ? value : { list: [1, nested(value, depth - 1)] };
  for (const [structure, planted] of Object.entries(STRUCTURES))
    test(structure, () =>
      fc.assert(
        fc.property(planted, fc.nat(5), ({ value, secret }, depth) => {
          absent(secret, JSON.stringify(redactValue(nested(value, depth))), secret);
        }),
      ),
    );
  for (const [rule, token] of Object.entries(TOKENS))
    test(rule, () =>
      fc.assert(
        fc.property(token, fc.nat(3), ({ text, secret }, depth) => {
          absent(secret, JSON.stringify(redactValue(nested({ text, [text]: 1 }, depth))), text);
        }),
      ),
    );
});

/** The diagnostics, with the text in each setting, answer of the sidecar and line of the log. */
function diagnosticsWith(text: string): string {
  const local = { command: text, args: ["--acp", text], env: { PLACE: text } },
    lastError = { sentence: text, at: 0 },
    values = {
      "symposium.agents": [{ id: "ada", name: text, distribution: { local } }],
      "symposium.extensions": [
        { id: "bob", name: text, _enabled: true, _source: "custom", distribution: { local }, settings: { note: text } },
        { id: "docs", kind: "mcp", distribution: { http: { url: "https://docs", headers: { "X-Place": text } } } },
      ],
      "symposium.traceDir": text,
    } as const,
    install = { kind: "missing" } as const;
  return diagnosticsReport({
    version: "1",
    editor: { name: "VS Code", version: "1.104.0", place: "desktop", remote: undefined, language: "en" },
    host: { node: "22.1.0", platform: "linux", arch: "x64", release: "6.8" },
    home: "/home/ada",
    isTrusted: true,
    folders: 1,
    phase: { kind: "failed", run: 1, message: text },
    settings: readSettings(name => (name in values ? values[name as keyof typeof values] : undefined)),
    values,
    sidecar: {
      kind: "known",
      agents: { ada: { install, missing: text, lastError, running: 1 } },
      extensions: { bob: { install, missing: text, lastError } },
      computer: text,
    },
    log: text.split("\n").map(line => redactText(line)),
  });
}

/** All texts of programs that users see, created by the production code of each. */
const SURFACES: Readonly<Record<string, (text: string) => string>> = {
  "a line of the editor's log": text => {
    const log = new HostLog(),
      lines: string[] = [];
    log.onLog(event => {
      lines.push(formatted(event));
    });
    log.warn("agent", text, { detail: text, nested: [{ text: text }], error: new Error(text) });
    return lines.join("\n");
  },
  "a line of the command's log": text => {
    const stderr = new PassThrough();
    using log = openLog({ level: "debug", folder: undefined }, stderr);
    log.notify("warn", text, { detail: text });
    log.notify("warn", text, text);
    log.notify("error", text, new Error(text));
    return String(stderr.read());
  },
  "a line of a trace": text =>
    [
      Frame.of({ jsonrpc: "2.0", id: 1, method: "session/prompt", params: { prompt: [{ type: "text", text }] } }),
      Frame.of({ jsonrpc: "2.0", id: 1, result: { text } }),
      Frame.of({ jsonrpc: "2.0", id: 1, error: { code: 1, message: text, data: { text } } }),
    ]
      .map(frame => JSON.stringify(traceEvent("client", "agent", frame, 0)))
      .join("\n"),
  "a report": text => {
    const observed: Observed = {
      name: "Ada",
      command: "ada",
      start: { kind: "started" },
      exit: "exit code 1",
      stderr: text,
      garbage: { lines: 1, first: text },
      initialize: { kind: "error", message: text },
      session: { kind: "error", message: text },
      elsewhere: undefined,
    };
    const diagnosis = diagnose(observed),
      facts = {
        version: "1",
        node: "22",
        platform: "linux",
        home: "/home/ada",
        shell: undefined,
        shellProblem: text,
        path: [],
        tools: {},
      };
    return `${report(facts, { name: "Ada", command: "ada", observed, diagnosis })}\n${JSON.stringify(diagnosis)}`;
  },
  "the diagnostics": diagnosticsWith,
  "an error of an agent": text => {
    const { failure, cause } = failureNotice(agentExited("Ada", text, text)),
      answered = agentReturnedError("Ada", text, undefined);
    return [
      failure.text,
      failure.detail,
      answered.message,
      answered.what,
      new InstallError("toolFailed", text).message,
      new RegistryError("wrong", text).message,
      new McpFailure("answered", text).message,
      ...(cause === undefined ? [] : [""]),
    ].join("\n");
  },
};

suite("redaction surfaces", () => {
  const planted = fc.oneof(...Object.values(TOKENS), ...Object.values(PLACES));
  for (const [surface, shownOn] of Object.entries(SURFACES))
    test(surface, () =>
      fc.assert(
        fc.property(planted, nestings, ({ text, secret }, embed) => {
          const given = embed(text);
          absent(secret, shownOn(given), given);
        }),
      ),
    );

  test("hides values of environments and headers in the diagnostics, also without a known format", () =>
    fc.assert(
      fc.property(fc.string({ minLength: 12, maxLength: 30, unit: fc.constantFrom(..."abcdefgh") }), secret => {
        const values = {
            "symposium.agents": [
              { id: "ada", distribution: { local: { command: "ada", args: [secret], env: { PLACE: secret } } } },
            ],
          },
          known = { kind: "known", extensions: {}, computer: `npm ${secret}` } as const,
          lastError = { sentence: `It printed ${secret}.`, at: 0 };
        const shown = diagnosticsReport({
          version: "1",
          editor: { name: "VS Code", version: "1.104.0", place: "desktop", remote: undefined, language: "en" },
          host: { node: "22.1.0", platform: "linux", arch: "x64", release: "6.8" },
          home: "/home/ada",
          isTrusted: true,
          folders: 1,
          phase: { kind: "idle", run: 0 },
          settings: readSettings(name => (name === "symposium.agents" ? values[name] : undefined)),
          values,
          sidecar: { ...known, agents: { ada: { install: { kind: "ready" }, lastError, running: 0 } } },
          log: [`started with ${secret}`],
        });
        absent(secret, shown, secret);
      }),
    ));

  test("includes the command's errors about invalid arguments", () =>
    fc.assert(
      fc.asyncProperty(fc.oneof(...Object.values(TOKENS)), async ({ text, secret }) => {
        for (const args of [
          ["doctor", "a", text],
          ["run-with", "--agent", `{"name":"${text}"}`],
          ["registry", text],
          ["--log", text, "eliza"],
          [text],
          ["eliza", text],
          ["doctor", "--agent", `a '${text}`],
        ]) {
          const command = await readCommand(args, "linux");
          absent(secret, command.kind === "wrong" ? command.message : "", args.join(" "));
        }
      }),
    ));
});
