/**
 * An agent that ignores the MCP servers of its sessions and receives tools through its own configuration (issue 14 item
 * 5).
 */
import { deepEqual, equal, match } from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { AgentConfig } from "../../src/protocol/agents/agents";
import { redactText } from "../../src/protocol/redaction/redact";
import { MemoryEvidence } from "../mcp/delivery/delivery-evidence";
import { ATTACH } from "../mcp/shim";
import { serveProxy } from "../proxies/serve-proxy";
import { realClock } from "../rpc/clock";
import { arrayOr, objectOr } from "../rpc/json";
import { temporaryFolder } from "../testing/drive";
import { program, scriptedAgent } from "../testing/programs/programs";
import { asking } from "../testing/mcp/sharing-agent";
import type { AgentConnection } from "../acp/connection";
import { launch } from "./launch";
import { openLedger } from "../process/process-ledger";
import { ConfigurationFile } from "./own-configuration/configuration-file";
import { startProcess } from "../process/stdio-process";
import { newRun } from "../process/run-id";

const {
  command,
  args: [script = ""],
} = program("symposium-acp-agent");
const NOTES = {
  id: "notes",
  name: "Notes",
  distribution: { symposium: { subcommand: "proxy" } },
  _source: "built-in",
} as const;

class Fixture implements AsyncDisposable {
  readonly folder = temporaryFolder();
  readonly #ledger = openLedger(this.folder.path, newRun());
  readonly evidence = new MemoryEvidence();
  readonly environments: Readonly<Record<string, string>>[] = [];
  /** Sessions with a permission request, with the tool's arguments. */
  readonly asked: (readonly [sessionId: string, input: unknown])[] = [];
  readonly file = path.join(this.folder.path, "settings.json");
  readonly configuration = new ConfigurationFile(
    { file: this.file, format: "mcpServers" },
    { command, script, electron: false },
  );
  readonly agent: AgentConfig;

  constructor() {
    const { command: node, args } = scriptedAgent(["--ignore-mcp", "--own-configuration", this.file]);
    this.agent = { id: "ada", name: "Ada", distribution: { local: { command: node, args } } };
  }

  start(): Promise<AgentConnection> {
    return launch(
      { agent: this.agent, cwd: this.folder.path, protocol: 1, extensions: [NOTES] },
      new AbortController().signal,
      {
        version: "1",
        clock: realClock,
        log: () => undefined,
        evidence: this.evidence,
        configuration: () => this.configuration.state(),
        builtIn: async (_, name) => ({
          kind: "internal",
          name,
          serve: (up, down, ids) => serveProxy(asking, up, down, ids),
        }),
        startProcess: spec => {
          this.environments.push(spec.env);
          return startProcess(spec, {
            clock: realClock,
            ledger: this.#ledger,
            report: { started: () => undefined, ended: () => undefined },
            log: () => undefined,
          });
        },
      },
    );
  }

  async open(connection: AgentConnection): Promise<{ readonly id: string; send(prompt: string): Promise<string> }> {
    let replyText = "";
    const { sessionId } = await connection.newSession(this.folder.path, {
      opened: () => undefined,
      isAsking: () => false,
      elicitationCompleted: () => undefined,
      closed: () => undefined,
      request: request => {
        const { sessionId: id, toolCall, options } = objectOr(request.params),
          { title, rawInput } = objectOr(toolCall);
        if (title === "Keep a note") this.asked.push([String(id), rawInput]);
        request.respond({ outcome: { outcome: "selected", optionId: objectOr(arrayOr(options)[0]).optionId } });
      },
      update: update => {
        replyText += String(objectOr(objectOr(update).content).text ?? "");
      },
    });
    return {
      id: sessionId,
      send: async prompt => {
        replyText = "";
        await new Promise<void>(resolve => {
          connection.prompt(sessionId, [{ type: "text", text: prompt }], () => resolve());
        });
        return replyText;
      },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ledger.close();
    this.folder[Symbol.dispose]();
  }
}

const tools = (connection: AgentConnection, id: string) =>
  connection.extensions
    ?.of(id)[0]
    ?.tools?.map(({ stage, offered, listed, calls }) => ({ stage, offered, listed, calls }));

suite("agent that ignores the MCP servers of its sessions", () => {
  test("has tools in a new process while its own configuration contains the entry", async () => {
    await using fixture = new Fixture();
    writeFileSync(fixture.file, '{ "theme":   "dark" }\n');
    for (const isLast of [false, true]) {
      await using connection = await fixture.start();
      const session = await fixture.open(connection);
      await session.send("say hello");
      deepEqual(
        [tools(connection, session.id), connection.extensions?.canConfigure(session.id)],
        [[{ stage: "offered", offered: 1, listed: 0, calls: 0 }], isLast],
      );
    }
    await fixture.configuration.add();
    {
      await using connection = await fixture.start();
      const session = await fixture.open(connection);
      match(await session.send('mcp symposium keep {"n":1}'), new RegExp(`keep: kept in ${session.id}`));
      deepEqual(
        [tools(connection, session.id), connection.extensions?.missingTools(session.id)],
        [[{ stage: "called", offered: 1, listed: 1, calls: 1 }], undefined],
      );
      const { [ATTACH]: address = "" } = fixture.environments.at(-1) ?? {};
      equal(redactText(address).includes(address.split("#")[1] ?? ""), false);
      equal(readFileSync(fixture.file, "utf8").includes(address.split("#")[1] ?? ""), false);
    }
    await fixture.configuration.remove();
    equal(readFileSync(fixture.file, "utf8"), '{ "theme":   "dark" }\n');
    await using connection = await fixture.start();
    const session = await fixture.open(connection);
    await session.send("say hello");
    deepEqual(
      [tools(connection, session.id)?.map(({ stage }) => stage), fixture.environments.at(-1)?.[ATTACH]],
      [["offered"], undefined],
    );
  });

  test("requests permission in the session that announced the call, with two concurrent sessions", async () => {
    await using fixture = new Fixture();
    await fixture.configuration.add();
    await using connection = await fixture.start();
    const [one, two] = [await fixture.open(connection), await fixture.open(connection)];
    const replies = await Promise.all([
      one.send('titled-mcp symposium keep {"of":1}; sleep 300'),
      two.send('titled-mcp symposium keep {"of":2}; sleep 300'),
    ]);
    deepEqual(
      replies.map((replyText, i) => replyText.includes(`kept in ${[one, two][i]?.id}`)),
      [true, true],
      JSON.stringify(replies),
    );
    deepEqual(
      fixture.asked.toSorted(),
      [
        [one.id, { of: 1 }],
        [two.id, { of: 2 }],
      ].toSorted(),
    );
    deepEqual(
      [one, two].map(({ id }) => tools(connection, id)?.map(({ listed, calls }) => [listed, calls])),
      [[[1, 1]], [[1, 1]]],
    );
    await fixture.configuration.remove();
    equal(existsSync(fixture.file), false);
  });
});
