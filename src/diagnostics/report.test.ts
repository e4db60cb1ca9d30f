import { doesNotMatch, equal, match } from "node:assert/strict";
import type { SettingName } from "../names";
import { readSettings } from "../settings/store/settings";
import { diagnosticsReport, type DiagnosticsFacts } from "./report";

const VALUES: Readonly<Partial<Record<SettingName, unknown>>> = {
  "symposium.agents": [
    {
      id: "ada",
      name: "Ada",
      distribution: { local: { command: "/home/lovelace/ada", args: ["--token", "abc"], env: { PLACE: "London" } } },
    },
  ],
  "symposium.currentAgentId": "ada",
  "symposium.extensions": [{ id: "cargo", _source: "built-in", _enabled: false }],
  "symposium.agentLogLevel": "debug",
  "symposium.logLevel": "info",
};

const FACTS: DiagnosticsFacts = {
  version: "1.2.3",
  editor: { name: "VS Code", version: "1.104.0", place: "desktop", remote: undefined, language: "en" },
  host: { node: "22.1.0", platform: "linux", arch: "x64", release: "6.8" },
  home: "/home/lovelace",
  isTrusted: true,
  folders: 2,
  phase: { kind: "running", run: 1, node: "own", deaths: [] },
  settings: readSettings(name => VALUES[name]),
  values: VALUES,
  sidecar: {
    kind: "known",
    agents: {
      ada: { install: { kind: "ready" }, running: 2, signIn: "in", lastError: { sentence: "It exited.", at: 0 } },
      codex: { install: { kind: "installed", version: "0.9.1" }, kind: "npx", running: 0 },
      gemini: { install: { kind: "missing" }, missing: "Gemini needs npm.", running: 0 },
    },
    extensions: { cargo: { install: { kind: "ready" } } },
    computer: "Tools:\n  npm    /home/lovelace/bin/npm",
  },
  log: ["2026-01-01T00:00:00.000Z [info] sidecar: Sidecar ready"],
};

suite("diagnostics report", () => {
  const text = diagnosticsReport(FACTS);

  test("contains versions and the state of the programs", () => {
    for (const part of [
      /^Symposium diagnostics\n\nSymposium 1\.2\.3\nEditor: VS Code 1\.104\.0, desktop, remote: no, language: en\n/,
      /\nExtension host: Node 22\.1\.0, linux x64, kernel 6\.8\nWorkspace: trusted, folders: 2\nSidecar: running\n/,
      /\nComputer:\n {2}Tools:\n {4}npm {4}~\/bin\/npm\n/,
      /\nLog, last lines: 1:\n {2}2026-01-01T00:00:00\.000Z \[info\] sidecar: Sidecar ready\n$/,
    ])
      match(text, part);
  });

  test("contains the kind of a remote connection, but no host", () => {
    const remote = (name: string) => diagnosticsReport({ ...FACTS, editor: { ...FACTS.editor, remote: name } });
    match(remote("ssh-remote"), /, remote: ssh-remote, /);
    for (const host of ["127.0.0.1:8080", "ada.example.org"]) match(remote(host), /, remote: yes, /);
  });

  test("contains changed settings without secrets", () => {
    match(text, /\n {2}symposium\.agentLogLevel: "debug"\n/);
    match(text, /\n {2}symposium\.agents: .*"args":\["--token","…"\],"env":\{"PLACE":"…"\}/);
    doesNotMatch(text, /symposium\.logLevel|abc|London|lovelace/);
  });

  test("contains agents and extensions with version, state and last error", () => {
    for (const part of [
      /\n {2}\* Ada \(ada\): ready, 2 running, signed in, program ~\/ada --token …\n {4}Last error, 1970-01-01T00:00:00\.000Z: It exited\.\n/,
      /\(codex\): installed 0\.9\.1, npm package \S+\n/,
      /\(gemini\): not installed, npm package \S+\n {4}Gemini needs npm\.\n/,
      /\n {2}Cargo \(cargo\): off, ready, part of Symposium, cargo\n/,
    ])
      match(text, part);
  });

  test("contains the reason for missing answers of the sidecar", () => {
    const without = diagnosticsReport({
      ...FACTS,
      sidecar: { kind: "failed", error: new Error("It failed.") },
      log: [],
    });
    match(without, /\nComputer:\n {2}unknown: It failed\.\n\nLog, last lines: 0:\n {2}none\n$/);
    match(without, /\* Ada \(ada\): state unknown, program ~\/ada --token …\n/);
    equal(diagnosticsReport({ ...FACTS, values: {} }).includes("their defaults:\n  none\n"), true);
  });
});
