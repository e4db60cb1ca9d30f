/** Read-only queries to the user's cargo. */
import { AgentError } from "../../errors";
import { isObject, type JsonObject } from "../../rpc/json";
import type { ExtensionDeps } from "../extension";
import { findCargo } from "../rust-projects";
import { ToolFailure, type ToolCall } from "../tool";

export type CargoDeps = Pick<ExtensionDeps, "find" | "run" | "clock" | "environment" | "home">;
export type CargoAnswer =
  | { readonly ok: true; readonly metadata: JsonObject }
  | { readonly ok: false; readonly stderr: string };

/** Time limit of all runs for one call. A new index may be large, and another cargo may hold the lock. */
const LIMIT_MS = 3 * 60_000;
const MAX_BYTES = 64 * 1024 * 1024;
/** Status lines that show progress. */
const PROGRESS_LINE = /^(Updating|Downloading|Downloaded|Blocking|Unpacking)\b/;

/** Cargo runs for one call. Declare with `using`. Methods throw a `ToolFailure`, or the signal's reason. */
export class Cargo implements Disposable {
  readonly #ending = new AbortController();
  readonly #limit: Disposable;
  readonly #onCancel = (): void => this.#ending.abort(this.call.signal.reason);

  /** `cwd`: determines cargo's configuration and toolchain. */
  private constructor(
    private readonly program: string,
    readonly cwd: string,
    private readonly deps: CargoDeps,
    private readonly call: ToolCall,
  ) {
    if (call.signal.aborted) this.#onCancel();
    call.signal.addEventListener("abort", this.#onCancel);
    this.#limit = deps.clock.after(LIMIT_MS, () =>
      this.#ending.abort(
        new ToolFailure(
          `cargo did not finish within ${LIMIT_MS / 60_000} minutes and was stopped. Another cargo process may be running, or the network may be slow. Try again later.`,
        ),
      ),
    );
  }

  static async in(cwd: string, deps: CargoDeps, call: ToolCall): Promise<Cargo> {
    return new Cargo(await findCargo(deps), cwd, deps, call);
  }

  /** Runs `cargo metadata`. */
  async metadata(args: readonly string[]): Promise<CargoAnswer> {
    const { code, stdout, stderr } = await this.#run([
      "metadata",
      "--format-version",
      "1",
      "--color",
      "never",
      ...args,
    ]);
    return code === 0 ? { ok: true, metadata: parsed(stdout) } : { ok: false, stderr };
  }

  /** The target triple of the host. Undefined if cargo does not report one. */
  async host(): Promise<string | undefined> {
    const { stdout } = await this.#run(["-vV"]);
    return /^host: ([\w.-]+)\s*$/m.exec(stdout)?.[1];
  }

  [Symbol.dispose](): void {
    this.#limit[Symbol.dispose]();
    this.call.signal.removeEventListener("abort", this.#onCancel);
  }

  async #run(
    args: readonly string[],
  ): Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }> {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const stdout = (chunk: Buffer): void => {
      if ((bytes += chunk.length) <= MAX_BYTES) chunks.push(chunk);
    };
    const line = (text: string): void => {
      if (PROGRESS_LINE.test(text)) this.call.progress(`cargo: ${text}`);
    };
    try {
      const { exit, stderr } = await this.deps.run(
        { name: "cargo", command: this.program, args, env: {}, cwd: this.cwd },
        { signal: this.#ending.signal, stdout, line, quietMs: LIMIT_MS },
      );
      if (bytes > MAX_BYTES) throw new ToolFailure("cargo's data about the dependencies of this crate is too large.");
      return { code: exit.code, stdout: Buffer.concat(chunks).toString(), stderr };
    } catch (error) {
      throw error instanceof AgentError ? new ToolFailure(error.message) : error;
    }
  }
}

function parsed(text: string): JsonObject {
  try {
    const metadata: unknown = JSON.parse(text);
    if (isObject(metadata)) return metadata;
  } catch {
    /* reported below */
  }
  throw new ToolFailure(
    "cargo's output could not be read. Its version may be too old: update it with `rustup update`.",
  );
}
