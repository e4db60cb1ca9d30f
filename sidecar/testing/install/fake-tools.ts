/** Fake tools on a separate PATH: small programs that write the files of npm, uv, pipx and cargo. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

export interface FakePackage {
  readonly version: string;
  /** Map from program to file, or npm's short form. */
  readonly bin?: string | Readonly<Record<string, string>>;
  /** First line of an npm package's program. */
  readonly firstLine?: string;
  /** Bytes that `npm view` prints. */
  readonly unpackedSize?: number;
  /** Text of every program, in place of a placeholder. */
  readonly content?: string;
}

export interface ToolPlans {
  readonly packages?: Readonly<Record<string, FakePackage>>;
  /** Lines on stdout before all other output. */
  readonly stdoutLines?: readonly string[];
  /** The tool writes nothing until this file exists. */
  readonly waitsFor?: string;
  readonly fails?: { readonly code: number; readonly stderr: string };
  /** After writing all files, the tool prints “hanging”, ignores SIGTERM and runs until it is killed. */
  readonly hangs?: boolean;
  /** Undefined: `cargo binstall` is not installed. */
  readonly binstall?: "works" | "fails";
}

export class FakeTools {
  readonly #folder: string;

  /** Creates `folder`. */
  constructor(
    folder: string,
    readonly names: readonly string[],
    plans: ToolPlans,
  ) {
    this.#folder = folder;
    mkdirSync(folder, { recursive: true });
    this.plan(plans);
    const script = path.join(process.env.SYMPOSIUM_TEST_PROGRAMS ?? "", "fake-tool.program.mjs"),
      plan = path.join(folder, "plan.json");
    for (const name of names) {
      if (process.platform === "win32")
        writeFileSync(path.join(folder, `${name}.cmd`), `@"${process.execPath}" "${script}" "${plan}" ${name} %*\r\n`);
      else
        writeFileSync(
          path.join(folder, name),
          `#!/bin/sh\nexec "${process.execPath}" "${script}" "${plan}" ${name} "$@"\n`,
          { mode: 0o755 },
        );
    }
  }

  plan(plans: ToolPlans): void {
    writeFileSync(path.join(this.#folder, "plan.json"), JSON.stringify(plans));
  }

  /** Path of a fake tool. `node` is the real Node. */
  find(name: string): string | undefined {
    if (name === "node") return name;
    return this.names.includes(name)
      ? path.join(this.#folder, process.platform === "win32" ? `${name}.cmd` : name)
      : undefined;
  }

  /** Tool and arguments of each call. */
  get calls(): readonly (readonly string[])[] {
    try {
      return readFileSync(path.join(this.#folder, "calls.jsonl"), "utf8")
        .trim()
        .split("\n")
        .map(line => JSON.parse(line) as string[]);
    } catch {
      return [];
    }
  }
}
