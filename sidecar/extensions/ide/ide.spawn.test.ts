/** The extension in a chain: an agent calls the tool, with and without a client that has the capability. */
import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { IDE_CAPABILITY, offersIde } from "../../../src/protocol/ide/ide-capability";
import type { ProxyDefinition } from "../../proxies/proxy";
import { arrayOr, objectOr, type JsonObject } from "../../rpc/json";
import { RpcCode, RpcError } from "../../rpc/message";
import { methodNotFound } from "../../rpc/peer";
import { temporaryFolder } from "../../testing/drive";
import { eventually } from "../../testing/eventually";
import { ExtensionRig } from "../../testing/extensions/extension-rig";
import { bridge, resultText } from "../../testing/mcp/mcp-ends";
import { connected, Fixture } from "../../testing/mcp/mcp-fixture";
import { program } from "../../testing/programs/programs";
import { ideAdapter } from "./adapter";
import { ideComponent, placed } from "./component";
import { ide } from "./extension";
import { CLIENT_METHODS, EXTENSION_METHODS } from "../../acp/methods";

const choosing = (optionId: string): JsonObject => ({ outcome: { outcome: "selected", optionId } });
const OFFERED = { _meta: { [IDE_CAPABILITY.namespace]: { [IDE_CAPABILITY.name]: true } } };

/** A chain in a folder with `a.words`. `asked`: the requests that the client received. */
class Chain implements AsyncDisposable {
  readonly #folder = temporaryFolder();
  readonly rig = new ExtensionRig();
  readonly asked: unknown[] = [];
  readonly initialized: unknown[] = [];
  readonly fixture: Fixture;
  /** The client's permission requests for starts of language servers. */
  readonly starts: JsonObject[] = [];
  /** The client's answer to a permission request. */
  permit: () => unknown = () => choosing("allow");
  /** The client's handler of operations. */
  answer: (params: JsonObject) => unknown = () => ({ kind: "hover", text: "of the editor" });

  constructor(
    stages: (settings: JsonObject, rig: ExtensionRig) => readonly ProxyDefinition[],
    settings: JsonObject = {},
  ) {
    writeFileSync(this.file, "one two\nthree one\n");
    const { command, args } = program("lsp-server");
    this.fixture = new Fixture({
      stages: [
        ...stages({ languages: { words: { command, args, extensions: ["words"] } }, ...settings }, this.rig),
        bridge(),
      ],
      client: request => {
        const params = objectOr(request.params),
          isStart = request.method === CLIENT_METHODS.session_request_permission;
        if (isStart) this.starts.push(params);
        else if (request.method === EXTENSION_METHODS.ide_operation) this.asked.push(params);
        else return request.fail(methodNotFound(request.method));
        try {
          request.respond(isStart ? this.permit() : this.answer(params));
        } catch (error) {
          request.fail(error);
        }
      },
      agent: request => {
        if (request.method === "initialize") this.initialized.push(request.params);
        return false;
      },
    });
  }

  get folder(): string {
    return this.#folder.path;
  }
  get file(): string {
    return path.join(this.folder, "a.words");
  }

  async session(capabilities: JsonObject = {}): Promise<Client & AsyncDisposable> {
    await this.fixture.client.request("initialize", {
      protocolVersion: 1,
      clientCapabilities: { terminal: true, ...capabilities },
    });
    const { servers } = await this.fixture.setup("session/new", { cwd: this.folder, mcpServers: [] });
    deepEqual(
      servers.map(({ name }) => name),
      ["ide-operations"],
    );
    return connected(servers[0]!);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.fixture[Symbol.asyncDispose]();
    this.rig[Symbol.dispose]();
    this.#folder[Symbol.dispose]();
    deepEqual(this.fixture.warnings, []);
  }
}

const whole = (settings: JsonObject, rig: ExtensionRig): readonly ProxyDefinition[] => [
  ide.define(settings, rig.fixture),
];
const call = (client: Client, args: JsonObject) => client.callTool({ name: "ide_operation", arguments: args });
const HOVER = { operation: "hover", path: "a.words", symbol: "one" };

suite("IDE extension", () => {
  test("offers one read-only tool", async () => {
    await using chain = new Chain(whole);
    await using client = await chain.session();
    const {
      tools: [tool, ...more],
    } = await client.listTools();
    deepEqual([tool?.name, tool?.annotations?.readOnlyHint, more], ["ide_operation", true, []]);
  });

  test("reports the start and indexing of the language server as progress", async () => {
    const { command, args } = program("lsp-server", ["reports", "mute"]);
    await using chain = new Chain(whole, { languages: { words: { command, args, extensions: ["words"] } } });
    await using client = await chain.session();
    const messages: (string | undefined)[] = [],
      withdrawn = new AbortController();
    const over = rejects(
      client.callTool({ name: "ide_operation", arguments: HOVER }, undefined, {
        signal: withdrawn.signal,
        onprogress: ({ message }) => {
          messages.push(message);
        },
      }),
    );
    await eventually(() => messages.includes("node: Indexing 5 %"), "the progress of the call");
    deepEqual(messages.slice(0, 3), [
      "Waiting for the user to allow: Start the language server node",
      "Start the language server node",
      "Starting node…",
    ]);
    withdrawn.abort();
    await over;
  });

  test("sends the request to a client with the capability and starts no language server", async () => {
    await using chain = new Chain(whole);
    await using client = await chain.session(OFFERED);
    equal(resultText(await call(client, HOVER)), "of the editor");
    deepEqual(chain.asked, [{ operation: "hover", path: chain.file, at: { symbol: "one" }, folders: [chain.folder] }]);
    deepEqual([chain.starts, chain.rig.logged], [[], []]);
  });

  test("starts a language server only after permission and not after a denial", async () => {
    await using chain = new Chain(whole);
    await using client = await chain.session();
    chain.permit = () => choosing("deny");
    const denied = await call(client, HOVER);
    deepEqual([denied.isError, chain.rig.started], [true, 0]);
    match(resultText(denied), /did not allow this: Start the language server node/);
    chain.permit = () => {
      equal(chain.rig.started, 0);
      return choosing("allow");
    };
    equal(resultText(await call(client, HOVER)), "**one**, 3 letters");
    const { toolCall, options } = objectOr(chain.starts.at(-1));
    const { kind, rawInput, content } = objectOr(toolCall);
    deepEqual([kind, objectOr(rawInput).cwd, arrayOr(options).length], ["execute", chain.folder, 3]);
    match(JSON.stringify([rawInput, content]), /lsp-server.*build scripts, macros and plug-ins/);
  });

  test("asks once per session and folder, also for parallel operations", async () => {
    await using chain = new Chain(whole);
    await using client = await chain.session();
    await Promise.all([1, 2, 3].map(() => call(client, HOVER)));
    await call(client, HOVER);
    deepEqual([chain.starts.length, chain.rig.started], [1, 1]);
  });

  test("covers all language servers of the session with a standing approval", async () => {
    const { command, args } = program("lsp-server");
    await using chain = new Chain(whole, {
      languages: {
        words: { command, args, extensions: ["words"] },
        others: { command, args, extensions: ["others"] },
      },
    });
    await using client = await chain.session();
    writeFileSync(path.join(chain.folder, "a.others"), "one\n");
    chain.permit = () => choosing("always");
    for (const file of ["a.words", "a.others"]) await call(client, { ...HOVER, path: file });
    deepEqual([chain.starts.length, chain.rig.started], [1, 2]);
  });

  test("starts no language server if the client cannot request permission, unless the settings approve it", async () => {
    for (const approve of ["ask", "all"] as const) {
      await using chain = new Chain(whole, { approve });
      await using client = await chain.session();
      chain.permit = () => {
        throw methodNotFound(CLIENT_METHODS.session_request_permission);
      };
      match(
        resultText(await call(client, HOVER)),
        approve === "all" ? /3 letters/ : /editor cannot ask its user for permission/,
      );
    }
  });

  test("uses a language server without the client's capability and advertises the capability onwards", async () => {
    await using chain = new Chain(whole);
    await using client = await chain.session();
    equal(resultText(await call(client, HOVER)), "**one**, 3 letters");
    deepEqual(
      [
        chain.asked,
        chain.initialized.map(offersIde),
        objectOr(objectOr(chain.initialized[0]).clientCapabilities).terminal,
      ],
      [[], [true], true],
    );
  });

  test("works the same as adapter and component in two proxies", async () => {
    for (const capabilities of [{}, OFFERED]) {
      await using chain = new Chain((settings, rig) => [ideAdapter(settings, rig.fixture), ideComponent(rig.fixture)]);
      await using client = await chain.session(capabilities);
      equal(resultText(await call(client, HOVER)), capabilities === OFFERED ? "of the editor" : "**one**, 3 letters");
    }
  });

  test("adds nothing if the component has no adapter", async () => {
    await using chain = new Chain((_, rig) => [ideComponent(rig.fixture)]);
    await rejects(chain.session(), { message: /Expected values/ });
  });

  test("accepts the method from an agent", async () => {
    await using chain = new Chain(whole);
    await using _ = await chain.session();
    deepEqual(
      await chain.fixture.agent.request(EXTENSION_METHODS.ide_operation, {
        operation: "hover",
        path: chain.file,
        at: { line: 0, character: 4 },
        folders: [chain.folder],
      }),
      { kind: "hover", text: "**two**, 3 letters" },
    );
    await rejects(
      chain.fixture.agent.request(EXTENSION_METHODS.ide_operation, { operation: "fly", folders: [chain.folder] }),
      (error: unknown) =>
        error instanceof RpcError &&
        error.code === RpcCode.invalidParams &&
        /^message\.operation: /.test(error.message),
    );
  });

  test("asks in the session of the folder about an agent's own request, and rejects other folders", async () => {
    await using chain = new Chain(whole);
    await using _ = await chain.session();
    const ask = (folder: string) =>
      chain.fixture.agent.request(EXTENSION_METHODS.ide_operation, {
        operation: "hover",
        path: chain.file,
        at: { line: 0 },
        folders: [folder],
      });
    chain.permit = () => choosing("deny");
    const refused = (pattern: RegExp) => (error: unknown) => error instanceof RpcError && pattern.test(error.message);
    await rejects(ask(chain.folder), refused(/did not allow this/));
    await rejects(ask(path.dirname(chain.folder)), refused(/No session in .* can ask its user/));
    deepEqual([chain.starts.length, chain.rig.started], [1, 0]);
  });

  test("returns the client's errors and invalid answers as sentences", async () => {
    await using chain = new Chain(whole);
    await using client = await chain.session(OFFERED);
    chain.answer = () => {
      throw new RpcError(-32052, "This workspace is not trusted.");
    };
    const refused = await call(client, HOVER);
    deepEqual([refused.isError, resultText(refused)], [true, "This workspace is not trusted."]);
    for (const answer of [undefined, null, "text", { kind: "symbols" }]) {
      chain.answer = () => answer;
      equal(resultText(await call(client, HOVER)), "The editor's response is invalid.");
    }
  });

  test("rejects paths outside the session's folders in every form", async () => {
    using elsewhere = temporaryFolder();
    await using chain = new Chain(whole);
    await using client = await chain.session(OFFERED);
    writeFileSync(path.join(elsewhere.path, "b.words"), "secret");
    symlinkSync(elsewhere.path, path.join(chain.folder, "out"));
    for (const file of [path.join(elsewhere.path, "b.words"), "../x.words", "out/b.words", "a\0b"]) {
      const answer = await call(client, { operation: "hover", path: file, line: 1 });
      ok(answer.isError);
      match(resultText(answer), /is outside of this session's folders \(.*\)\.$/);
    }
    deepEqual(chain.asked, []);
  });

  test("reports invalid settings and applies the valid ones", async () => {
    await using chain = new Chain(whole, {
      languages: { words: { command: 7 }, rust: { args: "x" } },
      timeLimitSeconds: 1,
    });
    await using client = await chain.session();
    match(resultText(await call(client, HOVER)), /No language server is configured for files that end in “\.words”/);
    deepEqual(
      chain.rig.logged.map(each => each.slice(0, 50)),
      [
        "warn: The setting “timeLimitSeconds” of the extens",
        "warn: The settings of the language “words” are ign",
        "warn: The settings of the language “rust” are igno",
      ],
    );
  });
});

suite("operation path", () => {
  const at = async (given: string, folders: readonly string[]): Promise<string> =>
    (await placed({ operation: "document_symbols", path: given } as const, folders)).path;

  test("uses the spelling of the session's folders", async () => {
    using real = temporaryFolder();
    const folder = path.join(real.path, "real"),
      link = path.join(real.path, "link");
    mkdirSync(folder);
    symlinkSync(folder, link);
    writeFileSync(path.join(folder, "a"), "");
    deepEqual(
      await Promise.all(
        ["a", "./x/../a", path.join(link, "a"), path.join(folder, "a"), `file://${link}/a`].map(each =>
          at(each, [link]),
        ),
      ),
      Array(5).fill(path.join(link, "a")),
    );
    equal(await at(path.join(folder, "a"), ["/elsewhere", folder]), path.join(folder, "a"));
    await rejects(at("file://host/%", [folder]), /is not a file URI/);
  });
});
