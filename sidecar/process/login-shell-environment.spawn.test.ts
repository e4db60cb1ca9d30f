import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { realClock } from "../rpc/clock";
import { temporaryFolder } from "../testing/drive";
import { FakeClock } from "../../src/protocol/testing/fake-clock";
import { skipped } from "../testing/skipped";
import { runShell } from "./child";
import {
  environmentIn,
  RESOLVING,
  ShellEnvironment,
  shellArguments,
  type Environment,
  type ShellDeps,
} from "./login-shell-environment";

const MARK = "0123456789abcdef";
const OURS = { SHELL: "/bin/zsh", PATH: "/usr/bin:/bin", EDITOR_SET: "ours", LANG: "de" };

suite("login shell environment", () => {
  /** Simulates a shell whose start files set these variables and print `noise`. */
  const shell =
    (set: Readonly<Record<string, unknown>>, noise = ""): ShellDeps["run"] =>
    async (_command, args) => {
      const mark =
        /m="(\w+)"\+"(\w+)"/
          .exec(args.at(-1) ?? "")
          ?.slice(1)
          .join("") ?? "";
      return { code: 0, stdout: `${noise}${mark}${JSON.stringify(set)}${mark}${noise}` };
    };
  const fixture = (run: ShellDeps["run"], overrides: Partial<ShellDeps> = {}): ShellDeps => ({
    platform: "linux",
    env: OURS,
    node: "/opt/co de/node",
    clock: new FakeClock(),
    run,
    ...overrides,
  });
  const resolved = (run: ShellDeps["run"], overrides: Partial<ShellDeps> = {}) =>
    new ShellEnvironment(fixture(run, overrides)).resolved();

  test("contains the shell's variables despite other output and keeps existing ones", async () => {
    const {
      env,
      shell: asked,
      problem,
    } = await resolved(
      shell(
        {
          PATH: "/nvm/bin:/usr/bin",
          NVM_DIR: "/nvm",
          LANG: "en",
          SHLVL: "2",
          [RESOLVING]: "1",
          ELECTRON_RUN_AS_NODE: "1",
          N: 7,
        },
        "Welcome!\n",
      ),
    );
    deepEqual(
      [env, asked, problem],
      [
        { SHELL: "/bin/zsh", PATH: "/nvm/bin:/usr/bin:/bin", NVM_DIR: "/nvm", EDITOR_SET: "ours", LANG: "de" },
        "/bin/zsh",
        undefined,
      ],
    );
  });

  test("keeps a PATH that contains all folders of the shell's", async () =>
    equal(
      (await resolved(shell({ PATH: "/bin:/usr/bin" }), { env: { ...OURS, PATH: "/venv/bin:/usr/bin:/bin" } })).env[
        "PATH"
      ],
      "/venv/bin:/usr/bin:/bin",
    ));

  test("is resolved once", async () => {
    let times = 0;
    const environment = new ShellEnvironment(
      fixture(async (...given) => {
        times++;
        return shell({ A: "1" })(...given);
      }),
    );
    equal(await environment.resolved(), await environment.resolved());
    equal(times, 1);
  });

  test("falls back to the sidecar's environment with a reason if the shell fails", async () => {
    for (const [run, why] of [
      [async () => ({ code: 1, stdout: "oops" }), /^\/bin\/zsh exited with exit code 1 before/],
      [async () => ({ code: null, stdout: "" }), /exited with a signal/],
      [async () => Promise.reject(new Error("no such file")), /^\/bin\/zsh could not be started: no such file\.$/],
    ] satisfies [ShellDeps["run"], RegExp][]) {
      const { env, problem } = await resolved(run);
      equal(env, OURS);
      match(problem ?? "", why);
    }
  });

  test("times out after ten seconds", async () => {
    const clock = new FakeClock();
    const resolving = resolved(
      (_command, _args, _env, signal) =>
        new Promise(resolve => {
          signal.addEventListener("abort", () => resolve({ code: null, stdout: "" }));
        }),
      { clock },
    );
    clock.advance(9_999);
    equal(clock.waiting, 1);
    clock.advance(1);
    match((await resolving).problem ?? "", /did not finish its start files within 10 seconds/);
    equal(clock.waiting, 0);
  });

  test("is not resolved on Windows, and defaults to zsh on macOS and sh elsewhere", async () => {
    const never: ShellDeps["run"] = async () => {
      throw new Error("asked");
    };
    deepEqual(await resolved(never, { platform: "win32" }), { env: OURS, shell: undefined });
    equal((await resolved(shell({}), { platform: "darwin", env: { PATH: "/bin" } })).shell, "/bin/zsh");
    equal((await resolved(shell({}), { env: { PATH: "/bin" } })).shell, "/bin/sh");
  });

  test("is requested with the arguments of each shell", () => {
    deepEqual(shellArguments("/usr/bin/fish", "/n'ode", MARK), [
      "-i",
      "-l",
      "-c",
      `'/n'\\''ode' -e 'const m="01234567"+"89abcdef";process.stdout.write(m+JSON.stringify(process.env)+m)'`,
    ]);
    deepEqual(
      ["/bin/tcsh", "pwsh", "nu"].map(name => shellArguments(name, "/node", MARK).slice(0, -1)),
      [
        ["-i", "-c"],
        ["-Login", "-Command"],
        ["-l", "-c"],
      ],
    );
  });

  /** Runs a real shell in a temporary home folder with this start file. */
  const real = async (
    startFile: string,
    extra: Readonly<Record<string, string>> = {},
  ): Promise<Environment | undefined> => {
    using home = temporaryFolder();
    writeFileSync(path.join(home.path, ".bash_profile"), startFile);
    const { stdout } = await runShell(
      "/bin/bash",
      shellArguments("/bin/bash", process.execPath, MARK),
      { HOME: home.path, ...extra },
      new AbortController().signal,
      realClock,
    );
    return environmentIn(stdout, MARK);
  };

  test("is read from a real shell, also a long one that prints its commands", async function () {
    if (!existsSync("/bin/bash")) skipped(this, "it needs bash");
    const env = await real(`export FROM_SHELL='a "b"'\ntrap 'printf "\\033]0;%s\\007" "$BASH_COMMAND"' DEBUG\n`, {
      LONG: "x".repeat(100_000),
    });
    deepEqual([env?.["FROM_SHELL"], env?.["LONG"]?.length, env?.["SYMPOSIUM_RUN_ID"]], [`a "b"`, 100_000, undefined]);
  });

  test("does not wait for background processes of the start files", async function () {
    if (!existsSync("/bin/bash") || process.platform === "win32") skipped(this, "it needs bash");
    const pid = Number((await real(`sleep 60 & export DAEMON=$!\n`))?.["DAEMON"]);
    ok(pid > 1);
    process.kill(pid, 0); // throws if the process is gone
    process.kill(pid, "SIGKILL");
  });

  test("ends the shell with its children on timeout, and rejects if the shell is missing", async function () {
    if (!existsSync("/bin/bash") || process.platform === "win32") skipped(this, "it needs bash");
    const limit = new AbortController(),
      running = runShell("/bin/bash", ["-c", "echo begun; sleep 60"], {}, limit.signal, realClock);
    limit.abort();
    equal((await running).code, null);
    await rejects(runShell("/nowhere/bash", [], {}, new AbortController().signal, realClock), { code: "ENOENT" });
  });

  test("is read only from JSON between two marks", () =>
    fc.assert(
      fc.property(fc.string(), text => {
        equal(environmentIn(text, MARK), undefined);
        equal(environmentIn(`${MARK}${text}x${MARK}`, MARK), undefined);
      }),
    ));
});
