/** A run with a simulated cargo: limits, cancellation, missing programs and folders. */
import { deepEqual, equal, match, rejects } from "node:assert/strict";
import { realpathSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Exit, ProcessSpec } from "../../process/child";
import type { ToolOptions, ToolResult } from "../../process/tool-run";
import { agentNotFound } from "../../errors";
import { objectOr, type JsonObject } from "../../rpc/json";
import { temporaryFolder } from "../../testing/drive";
import { FakeClock } from "../../../src/protocol/testing/fake-clock";
import { deferred } from "../../../src/protocol/wire/deferred";
import { ToolFailure, type ToolAnswer } from "../tool";
import type { Subcommand } from "./command";
import { runCargo, type CargoSession } from "./run";
import { readSettings } from "./settings";
import { WorkingFolder } from "./working-folder";

interface Run {
  readonly spec: ProcessSpec;
  readonly options: ToolOptions;
  exit(exit: Partial<Exit>): void;
  fail(error: unknown): void;
}

class Fixture implements Disposable {
  readonly clock = new FakeClock();
  readonly progress: string[] = [];
  readonly withdrawn = new AbortController();
  readonly runs: Run[] = [];
  readonly #folder = temporaryFolder();
  #waiting: ((run: Run) => void) | undefined;

  get root(): string {
    return realpathSync(this.#folder.path);
  }

  constructor(
    private readonly change: {
      readonly settings?: Partial<CargoSession["settings"]>;
      readonly find?: CargoSession["deps"]["find"];
      readonly environment?: Record<string, string>;
    } = {},
  ) {
    writeFileSync(path.join(this.root, "Cargo.toml"), "");
  }

  call(subcommand: Subcommand, args: JsonObject = {}): Promise<ToolAnswer> {
    const { change, clock, root } = this;
    return runCargo(
      subcommand,
      args,
      { signal: this.withdrawn.signal, progress: message => this.progress.push(message) },
      {
        settings: { ...readSettings({}, { log: () => undefined }), ...change.settings },
        folder: new WorkingFolder([root], "/home/user"),
        deps: {
          clock,
          home: "/home/user",
          environment: async () => change.environment ?? {},
          find: change.find ?? (async () => "/bin/cargo"),
          run: (spec, options) => this.#run(spec, options),
        },
      },
    );
  }

  /** The next started process. */
  started(): Promise<Run> {
    return new Promise(resolve => {
      this.#waiting = resolve;
    });
  }

  /** Like `runTool`, rejects with the signal's reason on abort. */
  #run(spec: ProcessSpec, options: ToolOptions): Promise<ToolResult> {
    options.signal.throwIfAborted();
    const { promise, resolve, reject } = deferred<ToolResult>();
    options.signal.addEventListener("abort", () => reject(options.signal.reason));
    const run: Run = {
      spec,
      options,
      exit: exit => resolve({ exit: { code: 0, signal: null, ...exit }, stdout: "", stderr: "" }),
      fail: reject,
    };
    this.runs.push(run);
    this.#waiting?.(run);
    return promise;
  }

  [Symbol.dispose](): void {
    this.#folder[Symbol.dispose]();
  }
}

const failure = (run: Promise<unknown>, why: RegExp): Promise<void> =>
  rejects(run, (error: unknown) => error instanceof ToolFailure && why.test(error.message));
const structured = (answer: ToolAnswer): JsonObject =>
  objectOr(typeof answer === "string" ? undefined : answer.structured);

suite("cargo run", () => {
  test("uses the user's cargo and environment in the session's folder, without colours", async () => {
    using deps = new Fixture({ settings: { environment: { RUSTFLAGS: "x", CARGO_TERM_COLOR: "always" } } });
    const started = deps.started(),
      answer = deps.call("check", { package: "alpha" }),
      { spec, exit } = await started;
    deepEqual(spec, {
      name: "cargo",
      command: "/bin/cargo",
      args: ["check", "--message-format=json", "--package=alpha"],
      cwd: deps.root,
      env: { CARGO_TERM_COLOR: "always", CARGO_TERM_PROGRESS_WHEN: "never", RUSTFLAGS: "x" },
    });
    exit({ code: 0 });
    deepEqual(
      [structured(await answer).command, structured(await answer).cwd, deps.clock.waiting],
      ["cargo check --message-format=json --package=alpha", ".", 0],
    );
  });

  test("stops at the time limit with the output so far", async () => {
    using deps = new Fixture({ settings: { timeoutMinutes: 2 } });
    const started = deps.started(),
      answer = deps.call("run"),
      { options } = await started;
    options.stdout?.(Buffer.from(`{"reason":"build-finished","success":true}\nstill here`));
    deps.clock.advance(119_999);
    equal(options.signal.aborted, false);
    deps.clock.advance(1);
    const { text = "", isError } = Object(await answer) as { text?: string; isError?: boolean };
    match(text, /^cargo run was stopped after 2 minutes, the limit\. Its output follows\.[^]*still here$/);
    equal(isError, true);
  });

  test("accepts a shorter limit per call, never a longer one", async () => {
    for (const [asked, ms] of [
      [5, 5_000],
      [100_000, 600_000],
    ] as const) {
      using deps = new Fixture();
      const started = deps.started(),
        answer = deps.call("test", { timeout_seconds: asked }),
        { options } = await started;
      deps.clock.advance(ms - 1);
      equal(options.signal.aborted, false);
      equal((options.quietMs ?? 0) > ms, true);
      deps.clock.advance(1);
      equal(structured(await answer).timed_out, true);
    }
  });

  test("ends when its call is cancelled", async () => {
    using deps = new Fixture();
    const started = deps.started(),
      answer = deps.call("build");
    await started;
    deps.withdrawn.abort(new Error("withdrawn"));
    await rejects(answer, /withdrawn/);
    equal(deps.clock.waiting, 0);
  });

  test("runs concurrent calls without a queue", async () => {
    using deps = new Fixture();
    const first = deps.started(),
      single = deps.call("run"),
      running = await first,
      second = deps.started(),
      two = deps.call("check");
    (await second).exit({});
    await two;
    running.exit({});
    await single;
    equal(deps.runs.length, 2);
  });

  test("reports status lines once per second, and waiting and running immediately", async () => {
    using deps = new Fixture();
    const started = deps.started(),
      answer = deps.call("build"),
      { options, exit } = await started,
      say = (line: string) => options.stderr?.(Buffer.from(`${line}\n`));
    say("   Compiling a v1.0.0");
    say("   Compiling b v1.0.0");
    say("    Blocking waiting for file lock on build directory");
    deps.clock.advance(1_000);
    say("   Compiling c v1.0.0");
    say("    Finished `dev` profile");
    say("     Running `target/debug/a`");
    exit({});
    await answer;
    deepEqual(deps.progress, [
      "Compiling a v1.0.0",
      "Blocking waiting for file lock on build directory",
      "Compiling c v1.0.0",
      "Running `target/debug/a`",
    ]);
  });

  test("explains a missing cargo and finds rustup's cargo without a PATH", async () => {
    using none = new Fixture({ find: async () => undefined });
    await failure(none.call("check"), /cargo is not installed.*rustup/);
    const asked: string[] = [];
    using usual = new Fixture({
      find: async program => {
        asked.push(program);
        return program === "cargo" ? undefined : program;
      },
    });
    const started = usual.started(),
      answer = usual.call("clean"),
      { spec, exit } = await started;
    exit({});
    await answer;
    equal(spec.command, path.join("/home/user", ".cargo", "bin", "cargo"));
    using elsewhere = new Fixture({
      environment: { CARGO_HOME: "/opt/cargo" },
      find: async program => {
        asked.push(program);
        return undefined;
      },
    });
    await failure(elsewhere.call("check"), /rustup/);
    deepEqual(asked, ["cargo", spec.command, "cargo", path.join("/opt/cargo", "bin", "cargo")]);
  });

  test("reports a cargo that cannot start and rethrows other errors", async () => {
    using deps = new Fixture();
    const started = deps.started(),
      answer = failure(
        deps.call("check"),
        /^cargo could not be started: .* Check that `cargo --version` works in a terminal\.$/,
      );
    (await started).fail(agentNotFound("cargo", "/bin/cargo", undefined));
    await answer;
    const again = deps.started(),
      bug = rejects(deps.call("check"), TypeError);
    (await again).fail(new TypeError("a bug"));
    await bug;
  });

  test("rejects paths outside the session's folders without a start", async () => {
    using deps = new Fixture();
    await failure(deps.call("check", { cwd: ".." }), /outside/);
    await failure(deps.call("add", { package: "a", extra_args: ["--path", "../a"] }), /outside/);
    await failure(deps.call("add", { package: "a", extra_args: ["--config=x"] }), /is not allowed/);
    equal(deps.runs.length, 0);
  });
});
