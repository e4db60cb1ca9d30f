import { deepEqual, doesNotMatch, equal, match } from "node:assert/strict";
import type { ConfigurationEntry } from "../../../src/protocol/agents/own-configuration";
import { MemoryEvidence, type DeliveryEvidence } from "../../mcp/delivery/delivery-evidence";
import type { SessionTools } from "../../mcp/delivery/session-tools";
import { diagnose, type Observed } from "./diagnose";
import { report, type ReportFacts } from "./report";

const FACTS: ReportFacts = {
  version: "1.0.0",
  node: "22.1.0",
  platform: "linux x64",
  home: "/home/ada-lovelace",
  shell: "/bin/zsh",
  shellProblem: undefined,
  path: ["/home/ada-lovelace/.nvm/bin", "/usr/bin"],
  tools: { npm: "/home/ada-lovelace/.nvm/bin/npm", uv: undefined },
};
const OBSERVED: Observed = {
  name: "Ada",
  command: "/home/ada-lovelace/ada",
  start: { kind: "started" },
  exit: "exit code 1",
  stderr: "TOKEN=abcdefghijk\nat /home/ada-lovelace/ada.js",
  garbage: { lines: 2, first: "Welcome" },
  initialize: { kind: "none", seconds: 30 },
  session: undefined,
  elsewhere: undefined,
};

suite("diagnosis report", () => {
  const text = report(FACTS, {
    name: "Ada",
    command: "/home/ada-lovelace/ada --key sk-abcdefghijklmnop",
    observed: OBSERVED,
    diagnosis: diagnose(OBSERVED),
  });

  test("contains the facts that support needs", () => {
    for (const part of [
      /^Symposium 1\.0\.0, Node 22\.1\.0, linux x64\nShell: \/bin\/zsh\n/,
      / {2}npm {4}~\/\.nvm\/bin\/npm\n {2}uv {5}not on the PATH/,
      /Found: garbage\. Ada writes/,
      /Ended: exit code 1/,
      /Not ACP on stdout: 2 lines, first “Welcome”/,
      /Last output:\n/,
    ])
      match(text, part);
  });

  test("contains no secrets and no user name", () => doesNotMatch(text, /lovelace|abcdefghijk/));

  test("contains only the computer's facts without an agent", () => {
    match(report({ ...FACTS, shell: undefined, shellProblem: undefined }, undefined), /Shell: not queried\n/);
    match(report({ ...FACTS, shellProblem: "It is slow." }, undefined), /zsh \(It is slow\.\)/);
    equal(report({ ...FACTS, home: "/" }, undefined).includes("/usr/bin"), true);
  });

  test("shows how the agent listed tools in earlier sessions", () => {
    const observed: Observed = {
      ...OBSERVED,
      exit: undefined,
      initialize: { kind: "answered", version: 1, program: "ada-acp 1.2" },
    };
    const tools = (evidence: DeliveryEvidence | undefined, session?: SessionTools) => {
      const store = new MemoryEvidence();
      if (evidence) store.set("ada-acp 1.2", evidence);
      if (session) store.setTools("ada-acp 1.2", session);
      return report(FACTS, { name: "Ada", observed, diagnosis: diagnose(observed) }, store);
    };
    match(tools(undefined), /Tools of agent extensions: no completed session of ada-acp 1\.2 so far$/);
    match(
      tools({ transport: "http", isListed: true, lists: "beforePrompt" }),
      /: ada-acp 1\.2 listed them over http in its newest session; it lists tools before its first prompt$/,
    );
    match(
      tools({ transport: "stdio", isListed: false, lists: "never" }),
      /: ada-acp 1\.2 did not list them over stdio in its newest session; it lists tools never$/,
    );
    const counts = { transport: "http", stage: "offered", offered: 9, connections: 0, listed: 0, calls: 0 } as const;
    const cargo = {
      ...counts,
      server: "cargo",
      stage: "called",
      offered: 4,
      connections: 1,
      listed: 4,
      calls: 2,
    } as const;
    const newest: SessionTools = {
      servers: [
        { owner: "Sparkle", delivery: { ...counts, server: "sparkle" }, isMissing: true },
        { owner: "Cargo", delivery: cargo, isMissing: false },
      ],
      direct: [{ owner: "Docs", server: "docs" }],
      retry: "otherTransport",
    };
    equal(
      tools({ transport: "http", isListed: false, lists: "never" }, newest).split("Tools of agent extensions: ")[1],
      [
        "ada-acp 1.2 did not list them over http in its newest session; it lists tools never",
        "  Sparkle: 9 offered, not connected, 0 listed, 0 called",
        "  Cargo: 4 offered, connected, 4 listed, 2 called",
        "  Docs: Symposium cannot observe this MCP server, because the agent connects to it directly",
        "  Ada did not request the tools of Sparkle (0 of 9): it did not connect to this MCP server, although it uses others. Its model does not have these tools. Start a new session, which offers them over another connection.",
      ].join("\n"),
    );
    match(tools(undefined, newest), /: newest session of ada-acp 1\.2\n {2}Sparkle: 9 offered/);
  });

  test("shows Symposium's entry in the agent's own configuration", () => {
    const of = (entry: ConfigurationEntry) =>
      report(FACTS, { name: "Ada", diagnosis: { cause: "fine", sentence: "It starts." } }, undefined, {
        file: "/c/x.json",
        entry,
      })
        .split("\n")
        .at(-1);
    deepEqual(
      [
        of({ kind: "absent" }),
        of({ kind: "added" }),
        of({ kind: "outdated" }),
        of({ kind: "edited", why: "It was edited." }),
      ],
      [
        "Own configuration: /c/x.json has no entry of Symposium",
        "Own configuration: /c/x.json has Symposium's entry",
        "Own configuration: /c/x.json has the entry of another version of Symposium",
        "Own configuration: It was edited.",
      ],
    );
  });

  test("shows the workarounds for the agent", () => {
    const of = (program: string) => {
      const observed: Observed = {
        ...OBSERVED,
        exit: undefined,
        initialize: { kind: "answered", version: 1, program },
      };
      return report(FACTS, { name: "Ada", observed, diagnosis: diagnose(observed) });
    };
    match(
      of("gemini-cli 0.61.0"),
      /\nWorkaround “reads-before-creating”: it reads a file before it creates it, .* \(seen in 0\.61\.0\)\. A missing file is read as empty\.$/,
    );
    doesNotMatch(of("ada-acp 1"), /Workaround/);
    const adapter = "@agentclientprotocol/claude-agent-acp";
    match(of(`${adapter} 0.60.0`), /Workaround “system-prompt-in-meta”/);
    doesNotMatch(of(`${adapter} 0.100.0`), /system-prompt-in-meta/, "a later version advertises the capability");
  });

  test("shows the result of each step", () => {
    const of = (overrides: Partial<Observed>): string => {
      const observed = { ...OBSERVED, ...overrides };
      return report(FACTS, { name: "Ada", command: "ada", observed, diagnosis: diagnose(observed) });
    };
    match(
      of({ exit: undefined, initialize: { kind: "answered", version: 1 }, session: { kind: "signIn" } }),
      /initialize: version 1\nsession\/new: signIn/,
    );
    match(of({ exit: undefined, initialize: { kind: "error", message: "no" } }), /initialize: error: no/);
    match(
      of({
        exit: undefined,
        initialize: { kind: "answered", version: 1 },
        session: { kind: "error", message: "no model" },
      }),
      /session\/new: no model/,
    );
  });
});
