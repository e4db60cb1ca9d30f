/** The Workspace extension between a client and an agent that the test controls, in a temporary folder. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { ExtensionDeps } from "../../extensions/extension";
import { STRUCTURED } from "../../extensions/tool-server";
import { workspace } from "../../extensions/workspace/extension";
import { objectOr, type JsonObject } from "../../rpc/json";
import { RpcCode, RpcError } from "../../rpc/message";
import { methodNotFound, type IncomingRequest } from "../../rpc/peer";
import { ExtensionRig } from "./extension-rig";
import { bridge, resultText } from "../mcp/mcp-ends";
import { connected, Signal, Fixture, type FixtureOptions } from "../mcp/mcp-fixture";

/** Capabilities of the client. */
export const EDITOR = { fs: { readTextFile: true, writeTextFile: true }, terminal: true };

export class WorkspaceRig implements AsyncDisposable {
  readonly base = realpathSync(mkdtempSync(path.join(tmpdir(), "workspace-")));
  readonly cwd = path.join(this.base, "work");
  readonly extension: ExtensionRig;
  readonly fixture: Fixture;
  /** `method`, or the title of a permission request. */
  readonly asked: string[] = [];
  readonly requests: IncomingRequest[] = [];
  readonly updates: JsonObject[] = [];
  readonly came = new Signal();
  /** The client's response. Undefined: no response yet. */
  answer: (request: IncomingRequest, params: JsonObject) => unknown = request => {
    throw methodNotFound(request.method);
  };
  #mcp: (Client & AsyncDisposable) | undefined;

  constructor(settings: JsonObject = {}, change: Partial<ExtensionDeps> = {}, overrides: Partial<FixtureOptions> = {}) {
    mkdirSync(this.cwd);
    this.extension = new ExtensionRig(change);
    this.fixture = new Fixture({
      stages: [workspace.define(settings, this.extension.fixture), bridge()],
      client: request => this.#request(request),
      ...overrides,
      onNotification: (method, params) => {
        if (method === "session/update") this.updates.push(objectOr(objectOr(params).update));
      },
    });
  }

  /** Initializes the chain, opens a session and connects as the agent. */
  async begin(clientCapabilities: JsonObject = {}, overrides: JsonObject = {}): Promise<Client> {
    await this.fixture.client.request("initialize", { protocolVersion: 1, clientCapabilities });
    const {
      servers: [server],
    } = await this.fixture.setup("session/new", { cwd: this.cwd, mcpServers: [], ...overrides });
    this.#mcp = await connected(server ?? {});
    return this.#mcp;
  }

  async call(
    name: string,
    args: JsonObject,
    options: {
      readonly signal?: AbortSignal;
      readonly onprogress?: (progress: { readonly message?: string | undefined }) => void;
    } = {},
  ): Promise<{ readonly text: string; readonly isError: boolean; readonly structured: unknown }> {
    const answer = await this.#mcp?.callTool({ name, arguments: { ...args } }, undefined, options);
    return {
      text: resultText(answer),
      isError: answer?.isError === true,
      structured: answer?.structuredContent ?? answer?._meta?.[STRUCTURED],
    };
  }

  /** Text of a failed call. */
  async failure(name: string, args: JsonObject): Promise<string> {
    const { text, isError } = await this.call(name, args);
    return isError ? text : `no failure: ${text}`;
  }

  at(file: string): string {
    return path.join(this.cwd, file);
  }

  put(file: string, text: string | Buffer = ""): string {
    mkdirSync(path.dirname(this.at(file)), { recursive: true });
    writeFileSync(this.at(file), text);
    return this.at(file);
  }

  /** Final state of the client's tool calls: `title status`. */
  get cards(): readonly string[] {
    const ids = [...new Set(this.updates.map(({ toolCallId }) => toolCallId))];
    return ids.map(id => {
      const all = this.updates.filter(({ toolCallId }) => toolCallId === id),
        last = (name: string): unknown => all.findLast(update => update[name] !== undefined)?.[name];
      return `${String(last("title"))} ${String(last("status"))}`;
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#mcp?.[Symbol.asyncDispose]();
    await this.fixture[Symbol.asyncDispose]();
    this.extension[Symbol.dispose]();
    rmSync(this.base, { recursive: true, force: true });
  }

  #request(request: IncomingRequest): void {
    const params = objectOr(request.params),
      { title } = objectOr(params.toolCall);
    this.requests.push(request);
    this.asked.push(request.method === "session/request_permission" ? String(title) : request.method);
    request.signal.addEventListener("abort", () => {
      this.asked.push(`withdrawn ${request.method}`);
      request.fail(new RpcError(RpcCode.requestCancelled, "withdrawn"));
      this.came.fire();
    });
    Promise.resolve()
      .then(() => this.answer(request, params))
      .then(
        answer => {
          if (answer !== undefined) request.respond(answer);
        },
        (error: unknown) => request.fail(error),
      );
    this.came.fire();
  }
}

export const choosing = (optionId: string) => ({ outcome: { outcome: "selected", optionId } });
