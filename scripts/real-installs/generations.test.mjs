// Proxies and conductors of every published generation, built by cargo and npm: theirs in Symposium's chains, and
// Symposium's in theirs. SYMPOSIUM_GENERATIONS: a folder in which cargo keeps its build output for the next run.
import { deepEqual, doesNotMatch, equal, match } from "node:assert/strict";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { BYPASSED } from "../bypass-notice.mjs";
import { run } from "../project.mjs";
import { CLIENT, connect } from "./acp-client.mjs";
import { works } from "./tools.mjs";

const FIXTURES = path.resolve("scripts/real-installs/generations"),
  SIDECAR = path.resolve("out/installs/symposium-acp-agent.mjs");
const FOLDER = mkdtempSync(path.join(tmpdir(), "generations-")),
  TARGET = process.env.SYMPOSIUM_GENERATIONS ?? path.join(FOLDER, "target");
const HANG_MS = 60_000;

/** `pass`, `conductor`: the newest version of ACP that the proxy supports, and the conductor as a proxy. */
const GENERATIONS = [
  { id: "sacp-10", pass: 1, conductor: 1 },
  { id: "sacp-11", pass: 1, conductor: 1 },
  { id: "acp-2", pass: 1, conductor: 1 },
  { id: "acp-3", pass: 1, conductor: 2 },
  { id: "acp-5", pass: 1, conductor: 2 },
];

const binary = id => path.join(TARGET, "debug", process.platform === "win32" ? `${id}.exe` : id);
const quotedForShell = list => list.map(word => `'${word}'`).join(" ");
/** Quotes for programs that split a command as a shell does. */
const line = list => list.map(word => (word.includes(" ") ? `"${word}"` : word)).join(" ");
/** Logs received messages to a separate file. */
function agent(newest, code = -32_601) {
  const log = path.join(mkdtempSync(path.join(FOLDER, "agent-")), "received");
  writeFileSync(log, "");
  return {
    command: [process.execPath, path.join(FIXTURES, "agent.mjs"), String(newest), log, String(code)],
    received: () => readFileSync(log, "utf8").trim().split("\n"),
  };
}
const runWith = (proxies, last) => [
  process.execPath,
  SIDECAR,
  "run-with",
  ...proxies.flatMap(proxy => ["--proxy", quotedForShell(proxy)]),
  ...(last ? ["--agent", quotedForShell(last)] : []),
];

/** Initialises, opens a session and sends a prompt. */
async function turn(command, version) {
  const client = connect(command, { limit: HANG_MS });
  try {
    const { protocolVersion } = await client.ask("initialize", {
      protocolVersion: version,
      clientCapabilities: {},
      clientInfo: CLIENT,
      ...(version === 2 ? { capabilities: {}, info: CLIENT } : {}),
    });
    await client.ask("session/new", { cwd: FOLDER, mcpServers: [] });
    await client.ask("session/prompt", { sessionId: "s", prompt: [{ type: "text", text: "hi" }] });
    deepEqual(
      client.notifications.map(({ method }) => method),
      ["session/update"],
      client.stderr(),
    );
    return { protocolVersion, stderr: client.stderr() };
  } finally {
    // sacp's conductors do not exit when their client does
    await client.close({ terminate: command[0] !== process.execPath });
  }
}

/** `received`: the version that the agent receives. The agent selects `selected`. */
async function checkVersion(chain, last, requested, selected, received = selected) {
  const { protocolVersion, stderr } = await turn(chain, requested);
  equal(protocolVersion, selected, stderr);
  deepEqual(last.received(), [`initialize ${received}`, "session/new", "session/prompt"]);
  doesNotMatch(stderr, BYPASSED);
}

suite("proxy and conductor generations", () => {
  let thinkwell;
  suiteSetup(async function () {
    if (!works("cargo")) {
      this.skipReason = "there is no cargo here";
      this.skip();
    }
    for (const { id } of GENERATIONS) {
      const { code, text } = await run("cargo", ["build", "--manifest-path", path.join(FIXTURES, id, "Cargo.toml")], {
        env: { CARGO_TARGET_DIR: TARGET },
        output: "hold",
        limit: 20 * 60_000,
      });
      equal(code, 0, text);
    }
    const folder = path.join(FOLDER, "npm"),
      npm = process.platform === "win32" ? "npm.cmd" : "npm";
    const { code, text } = await run(
      npm,
      ["install", "--prefix", folder, "--no-package-lock", "@thinkwell/conductor@0.5.7"],
      { output: "hold", limit: 5 * 60_000 },
    );
    equal(code, 0, text);
    thinkwell = components => [
      process.execPath,
      path.join(FIXTURES, "thinkwell.mjs"),
      folder,
      ...components.map(command => command.join(" ")),
    ];
  });

  for (const { id, ...versions } of GENERATIONS) {
    for (const [role, args] of Object.entries({ pass: ["pass"], conductor: ["proxy"] }))
      for (const [requested, newest] of [
        [1, 1],
        [2, 1],
        [2, 2],
      ]) {
        test(`${id}, ${role === "pass" ? "a proxy" : "its conductor as a proxy"}: version ${requested} of the client, ${newest} of the agent`, async () => {
          const last = agent(newest, requested === 1 ? -32_601 : -32_600);
          await checkVersion(
            runWith([[binary(id), ...args]], last.command),
            last,
            requested,
            Math.min(requested, newest, versions[role]),
            Math.min(requested, versions[role]),
          );
        });
      }

    test(`${id}: runs its conductor as the agent behind proxies of each generation`, async () => {
      for (const other of GENERATIONS) {
        const last = agent(1);
        await checkVersion(
          runWith([[binary(other.id), "pass"]], [binary(id), "agent", last.command.join(" ")]),
          last,
          1,
          1,
        );
      }
    });

    test(`${id}: runs Symposium's conductor as a proxy and as the agent of its conductor`, async () => {
      const pass = [binary(id), "pass"],
        last = agent(1),
        behind = agent(1);
      await checkVersion([binary(id), "agent", line(runWith([pass])), line(last.command)], last, 1, 1);
      await checkVersion([binary(id), "agent", line(pass), line(runWith([pass], behind.command))], behind, 1, 1);
    });
  }

  test("runs in one chain in both orders", async () => {
    const all = GENERATIONS.map(({ id }) => [binary(id), "pass"]);
    for (const proxies of [all, [...all].reverse()])
      for (const requested of [1, 2]) {
        const last = agent(2);
        await checkVersion(runWith(proxies, last.command), last, requested, 1);
      }
  });

  test("keeps version 2 for a version 2 proxy, and bypasses it with a reason in a version 1 chain", async () => {
    const last = agent(2);
    await checkVersion(runWith([[binary("acp-5"), "pass-v2"]], last.command), last, 2, 2);
    const { protocolVersion, stderr } = await turn(runWith([[binary("acp-5"), "pass-v2"]], agent(1).command), 1);
    equal(protocolVersion, 1);
    match(stderr, /is skipped: it returned an error: Unsupported protocol version/);
  });

  test("runs @thinkwell/conductor as the agent behind proxies of each generation", async () => {
    for (const { id } of GENERATIONS) {
      const last = agent(1);
      await checkVersion(runWith([[binary(id), "pass"]], thinkwell([last.command])), last, 1, 1);
    }
  });
});
