import { deepEqual, doesNotMatch, equal, match } from "node:assert/strict";
import fc from "fast-check";
import { temporaryFolder } from "../../testing/drive";
import { hurriedClock } from "../../testing/accelerated-clock";
import { scriptedAgent } from "../../testing/programs/programs";
import { noDistribution } from "../../errors";
import type { AgentCommand } from "../distributions/agent-command";
import { badName, InstallError } from "../install/store/install-error";
import { openLedger } from "../../process/process-ledger";
import { newRun } from "../../process/run-id";
import type { Observed } from "./diagnose";
import { examine, factsOf, withoutValues, type ExamineDeps } from "./examine";
import { report } from "./report";

const ADA = { id: "ada", name: "Ada", distribution: { local: { command: "ada" } } };
const FACTS = {
  version: "1",
  node: "22",
  platform: "linux x64",
  home: "/home/me",
  shell: "/bin/sh",
  shellProblem: undefined,
  path: [],
  tools: {},
};

suite("agent examination", () => {
  async function examined(change: Partial<ExamineDeps>): Promise<Awaited<ReturnType<typeof examine>>> {
    using folder = temporaryFolder();
    const ledger = openLedger(folder.path, newRun());
    try {
      return await examine(ADA, folder.path, {
        version: "1",
        processes: {
          clock: hurriedClock(1),
          ledger,
          report: { started: () => undefined, ended: () => undefined },
          log: () => undefined,
        },
        find: async () => undefined,
        state: async () => ({ install: { kind: "ready" } }),
        signal: new AbortController().signal,
        command: () => Promise.reject(new Error("nothing is started")),
        ...change,
      });
    } finally {
      ledger.close();
    }
  }
  const running =
    (flags: readonly string[], env: Record<string, string> = {}, extra: readonly string[] = []) =>
    async (): Promise<AgentCommand> => {
      const { command, args } = scriptedAgent(flags);
      return { kind: "process", command, args: [...args, ...extra], env };
    };

  test("installs nothing and offers the next step for a missing or impossible installation", async () => {
    deepEqual((await examined({ state: async () => ({ install: { kind: "missing" } }) })).diagnosis, {
      cause: "halfInstalled",
      sentence: "Ada is not installed yet. Its first tab in Symposium installs it.",
      fix: { action: "install", label: "Install" },
    });
    deepEqual(
      (await examined({ state: async () => ({ install: { kind: "missing" }, missing: "Ada needs uv." }) })).diagnosis,
      { cause: "noPlatform", sentence: "Ada needs uv." },
    );
    equal(
      (await examined({ state: async () => ({ install: { kind: "installing", phase: "downloading" } }) })).diagnosis
        .sentence,
      "Ada is being installed.",
    );
  });

  test("reports an error while the state is read, such as an invalid id", async () => {
    deepEqual(
      (
        await examined({ state: () => Promise.reject(badName("The id “A B” is not a valid folder name.")) })
      ).diagnosis.sentence.slice(0, 41),
      "The id “A B” is not a valid folder name. ",
    );
  });

  test("reports an unavailable command", async () => {
    const of = async (error: Error) => (await examined({ command: () => Promise.reject(error) })).diagnosis;
    deepEqual(
      [
        await of(new InstallError("offline", "example.com cannot be reached.")),
        await of(new InstallError("noTool", "It needs Node.js.")),
        await of(noDistribution("Ada")),
      ].map(({ cause, fix }) => [cause, fix?.action]),
      [
        ["offline", "retry"],
        ["halfInstalled", "reinstall"],
        ["refused", "settings"],
      ],
    );
  });

  test("starts the agent and reports success or a required sign-in", async () => {
    equal((await examined({ command: running([]) })).diagnosis.cause, "fine");
    deepEqual((await examined({ command: running(["--auth-required"]) })).diagnosis, {
      cause: "signIn",
      sentence: "Ada works and requires a sign-in.",
      fix: { action: "signIn", label: "Sign In" },
    });
    equal((await examined({ command: async () => ({ kind: "eliza", deterministic: false }) })).diagnosis.cause, "fine");
  });

  test("shows the path of a command that only the shell finds", async () => {
    const seen = await examined({
      find: async program => `/opt/bin/${program}`,
      command: async () => ({ kind: "process", command: "no-such-program-here", args: [], env: {} }),
    });
    deepEqual(
      [seen.diagnosis.cause, seen.diagnosis.sentence.endsWith("your shell finds it at /opt/bin/no-such-program-here.")],
      ["notOnPath", true],
    );
  });

  test("removes secrets of the agent's environment from the report", async () => {
    const echoes = `console.error("bad value " + process.env.ADA_THING); process.exit(3)`;
    const seen = await examined({
        command: async () => ({
          kind: "process",
          command: process.execPath,
          args: ["-e", echoes, "--", "--api-key", "hunter22hunter"],
          env: { ADA_THING: "correct horse" },
        }),
      }),
      text = report(FACTS, seen);
    match(text, /bad value …/);
    doesNotMatch(text, /correct horse|hunter22hunter/);
    const refused = await examined({
      command: running(["--fail-new-session", "no such key: correct horse"], { ADA_THING: "correct horse" }),
    });
    equal(refused.diagnosis.sentence, "Ada starts but does not open a session: no such key: …");
    doesNotMatch(report(FACTS, refused).replace(/^Command: .*$/m, ""), /correct horse/);
  });

  test("removes every environment value from the observations", () => {
    const text = fc.string({ maxLength: 30 });
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.constantFrom("A", "B", "C"),
          fc.string({ minLength: 8, maxLength: 20 }).filter(value => !value.includes("…")),
        ),
        text,
        text,
        (env, a, b) => {
          const values = Object.values(env),
            text = `${a}${values.join(b)}`;
          const seen: Observed = {
            name: "Ada",
            command: "ada",
            start: { kind: "started" },
            exit: undefined,
            stderr: text,
            garbage: { lines: 1, first: text },
            initialize: { kind: "error", message: text },
            session: { kind: "error", message: text },
            elsewhere: undefined,
          };
          const clean = JSON.stringify(withoutValues(seen, env));
          for (const value of values) equal(clean.includes(JSON.stringify(value).slice(1, -1)), false);
        },
      ),
    );
  });
});

test("lists the required tools and those found", async () => {
  const { tools, path, shell } = await factsOf({
    version: "1",
    home: "/h",
    find: async tool => (tool === "npm" ? "/bin/npm" : undefined),
    shell: async () => ({
      env: { PATH: ["/a", "/b"].join(process.platform === "win32" ? ";" : ":") },
      shell: "/bin/sh",
    }),
  });
  deepEqual(
    [tools, path, shell],
    [{ node: undefined, npm: "/bin/npm", uv: undefined, pipx: undefined, cargo: undefined }, ["/a", "/b"], "/bin/sh"],
  );
});
