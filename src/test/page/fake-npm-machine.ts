/**
 * Simulates a machine on which agents are installed. Only the login shell finds npm, as in an editor started from a
 * dock. This npm “installs” the scripted agent; requests to a real registry fail.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { ROOT } from "./harness";

const [AGENT, NPM] = ["scripted-agent", "fake-tool"].map(name =>
  path.join(ROOT, "out/programs", `${name}.program.mjs`),
) as [string, string];
export const PACKAGE = "scripted-acp-agent";
/** The package of a built-in agent. */
export const CODEX_PACKAGE = "@agentclientprotocol/codex-acp";

const SCRIPTED = {
  version: "1.2.3",
  bin: "agent.mjs",
  firstLine: `#!/usr/bin/env node\nimport ${JSON.stringify(pathToFileURL(AGENT).href)};`,
};

/** The input of fake-tool.program.ts. */
const WORKS = { packages: { [PACKAGE]: SCRIPTED, [CODEX_PACKAGE]: { ...SCRIPTED, unpackedSize: 99_600_000 } } };

export class InstallingMachine implements Disposable {
  readonly folder = mkdtempSync(path.join(tmpdir(), "installing-"));
  readonly #bin = path.join(this.folder, "bin");
  #waits = 0;

  constructor() {
    mkdirSync(this.#bin);
    this.npmWorks();
    writeFileSync(
      path.join(this.#bin, "npm"),
      `#!/bin/sh\nexec '${process.execPath}' '${NPM}' '${this.#plan}' npm "$@"\n`,
      { mode: 0o755 },
    );
    writeFileSync(path.join(this.#bin, "node"), `#!/bin/sh\nexec '${process.execPath}' "$@"\n`, { mode: 0o755 });
    // Behaves like a login shell: its start files extend PATH and print text.
    writeFileSync(
      this.#shell,
      `#!/bin/sh\necho Welcome\nPATH='${this.#bin}':$PATH\nexport PATH\nwhile [ "$1" != -c ]; do shift; done\nexec /bin/sh "$@"\n`,
      { mode: 0o755 },
    );
  }

  get #plan(): string {
    return path.join(this.#bin, "plan.json");
  }
  get #shell(): string {
    return path.join(this.folder, "sh");
  }

  /** The environment of the window's server. */
  get env(): Readonly<Record<string, string>> {
    return { SHELL: this.#shell, npm_config_registry: "http://127.0.0.1:9/", npm_config_fetch_retries: "0" };
  }

  /** Requested packages in order, including failed installations. */
  get installed(): readonly string[] {
    const calls = path.join(this.#bin, "calls.jsonl");
    return existsSync(calls)
      ? readFileSync(calls, "utf8")
          .trim()
          .split("\n")
          .map(line => (JSON.parse(line) as string[]).at(-1) ?? "")
      : [];
  }

  npmWorks(): void {
    writeFileSync(this.#plan, JSON.stringify(WORKS));
  }
  /** npm writes nothing until the returned function is called. */
  npmWaits(): () => void {
    const waitsFor = this.file(`npm-continues-${++this.#waits}`);
    writeFileSync(this.#plan, JSON.stringify({ ...WORKS, waitsFor }));
    return () => writeFileSync(waitsFor, "");
  }
  npmFails(stderr: string): void {
    writeFileSync(this.#plan, JSON.stringify({ ...WORKS, fails: { code: 1, stderr } }));
  }

  /** Removes npm from the folder until disposal. */
  withoutNpm(): Disposable {
    const npm = path.join(this.#bin, "npm"),
      gone = path.join(this.folder, "npm");
    renameSync(npm, gone);
    return { [Symbol.dispose]: () => renameSync(gone, npm) };
  }

  /** Path of a file for tests, outside the simulated programs. */
  file(name: string): string {
    mkdirSync(path.join(this.folder, "files"), { recursive: true });
    return path.join(this.folder, "files", name);
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** A configured agent that npm installs. */
export function packed(id: string, name: string, ...args: readonly string[]): object {
  return { id, name, distribution: { npx: { package: PACKAGE, args } } };
}
/** A configured agent that is installed locally. */
export function local(id: string, name: string, ...args: readonly string[]): object {
  return { id, name, distribution: { local: { command: process.execPath, args: [AGENT, ...args] } } };
}
