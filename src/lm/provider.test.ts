import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { deferred } from "../protocol/wire/deferred";
import { ELIZA, type AgentConfig } from "../protocol/agents/agents";
import type { ChatRequestDelta } from "../protocol/lm/lm";
import { ASK_EACH_TIME, permissionTool } from "../protocol/lm/permission-tools";
import { AgentTool, plainText, type ToolDeps } from "./agent-tools";
import { LmProvider, type LmClient, type ProviderDeps } from "./provider";

class Text {
  constructor(readonly value: string) {}
}
/** VS Code's chat prints the message, followed by the stack. */
const printed = ({ message, stack }: Error): string => (stack ? `${message}: ${stack}` : message);
class ToolCall {
  constructor(
    readonly callId: string,
    readonly name: string,
    readonly input: object,
  ) {}
}

/** A sidecar that records requests and responds on command. */
function fixture(changes: Partial<ProviderDeps> = {}) {
  const requests: { method: string; params: unknown }[] = [],
    notes: { method: string; params: unknown }[] = [],
    leftOut: string[] = [];
  let answer = deferred<unknown>();
  const client: LmClient = {
    request: async (method, params) => {
      requests.push({ method, params });
      return (await answer.promise) as never;
    },
    notify: (method, params) => {
      notes.push({ method, params });
    },
  };
  const nothing: AgentConfig = { id: "odd", name: "Odd", distribution: { symposium: { subcommand: "unknown" } } };
  const provider = new LmProvider({
    client: () => Promise.resolve(client),
    settings: () => ({ agents: [ELIZA, nothing], configured: [ELIZA.id, nothing.id], currentAgentId: ELIZA.id }),
    capabilities: { takesImages: () => false, contextTokens: () => undefined },
    permissionGroup: agentId => (agentId === ELIZA.id ? "eliza" : undefined),
    isTrusted: () => true,
    cwd: () => "/w",
    folders: () => ["/w", "/other"],
    classes: { LanguageModelTextPart: Text, LanguageModelToolCallPart: ToolCall },
    errors: { NotFound: message => new Error(message), NoPermissions: message => new Error(message) },
    partsTaken: () => Promise.resolve(),
    leftOut: kind => {
      leftOut.push(kind);
    },
    ...changes,
  });
  const listeners: (() => void)[] = [];
  const token = {
    isCancellationRequested: false,
    onCancellationRequested: (listener: () => void) => {
      listeners.push(listener);
      return {
        dispose: () => {
          listeners.splice(listeners.indexOf(listener), 1);
        },
      };
    },
  };
  const reported: object[] = [];
  const respond = (modelId = "symposium", options: object = {}): Promise<void> =>
    provider.respond(
      { id: modelId },
      [{ role: 1, content: [new Text("hi")], name: undefined } as never],
      { toolMode: 1, ...options } as never,
      part => {
        reported.push(part);
      },
      token as never,
    );
  return {
    provider,
    client,
    requests,
    notes,
    reported,
    leftOut,
    respond,
    token,
    cancel: () => {
      token.isCancellationRequested = true;
      for (const listener of [...listeners]) listener();
    },
    listeners,
    answer: (value: unknown = {}) => {
      answer.resolve(value);
      answer = deferred();
    },
    refuse: (error: Error) => {
      answer.reject(error);
      answer = deferred();
    },
  };
}

const settled = () => new Promise(resolve => setImmediate(resolve));

suite("ModelProvider", () => {
  test("sends VS Code's request with agent, folder and caller", async () => {
    const { respond, requests, answer } = fixture();
    const done = respond("symposium-eliza", {
      tools: [{ name: "t", description: "T" }],
      toolMode: 2,
      modelOptions: { _telemetryTurn: 1 },
      requestInitiator: "core",
    });
    await settled();
    deepEqual(requests, [
      {
        method: "lm/requestDelta",
        params: {
          requestId: 1,
          modelId: "symposium-eliza",
          agentId: "elizacp",
          permissionGroup: "eliza",
          agent: { eliza: {} },
          distribution: ELIZA.distribution,
          cwd: "/w",
          folders: ["/w", "/other"],
          history: { id: 2, forget: [] },
          messages: [{ role: "user", content: [{ type: "text", value: "hi" }] }],
          tools: { id: 1, list: [{ name: "t", description: "T" }] },
          options: { toolMode: "required", modelOptions: { _telemetryTurn: 1 }, requestInitiator: "core" },
        } satisfies ChatRequestDelta,
      },
    ]);
    answer();
    await done;
  });

  /** The requests with references in place of messages and tools. */
  const sent = (requests: readonly { readonly params: unknown }[]): unknown =>
    requests.map(({ params }) => {
      const { messages, tools } = params as ChatRequestDelta;
      return [
        messages.map(item => ("from" in item ? `${item.count} from ${item.from}` : item.role)),
        tools.list?.length,
      ];
    });

  test("sends a delta to the previous request, and everything if the sidecar lacks it", async () => {
    const { respond, requests, answer } = fixture();
    for (const answers of [[{}], [{}], [{ isUnknown: true }, {}]]) {
      const done = respond();
      for (const each of answers) {
        await settled();
        answer(each);
      }
      await done;
    }
    deepEqual(sent(requests), [
      [["user"], 0],
      [["1 from 0"], undefined],
      [["1 from 0"], undefined],
      [["user"], 0],
    ]);
    equal((requests[3]?.params as ChatRequestDelta).requestId, 3, "it is the same request");
  });

  test("sends everything to a restarted sidecar, and nothing for a cancelled request", async () => {
    let client: LmClient | undefined;
    const {
      respond,
      requests,
      client: first,
      cancel,
      answer,
    } = fixture({ client: () => Promise.resolve(client ?? first) });
    const done = respond();
    await settled();
    answer();
    await done;
    client = { ...first };
    const again = respond();
    await settled();
    cancel();
    answer({ isUnknown: true });
    await again;
    deepEqual(sent(requests), [
      [["user"], 0],
      [["user"], 0],
    ]);
  });

  test("reports parts to their open request only", async () => {
    const { provider, respond, reported, leftOut, answer } = fixture();
    const done = respond();
    await settled();
    provider.part(1, { type: "text", value: "a" });
    provider.part(2, { type: "text", value: "of another" });
    provider.part(1, { type: "thinking", value: "hm" });
    provider.part(1, { type: "tool_call", toolCallId: "c", toolName: "t", parameters: {} });
    answer();
    await done;
    provider.part(1, { type: "text", value: "late" });
    deepEqual(reported, [new Text("a"), new ToolCall("c", "t", {})]);
    deepEqual(leftOut, ["thinking"]);
  });

  test("rejects after VS Code accepted the earlier parts, or immediately without parts", async () => {
    const taken = deferred<void>(),
      events: string[] = [];
    const { provider, respond, refuse } = fixture({
      partsTaken: () => {
        events.push("waits");
        return taken.promise;
      },
    });
    const failsAtOnce = respond().catch(() => {
      events.push("failed");
    });
    await settled();
    refuse(new Error("no parts"));
    await failsAtOnce;
    const fails = respond().catch(() => {
      events.push("failed");
    });
    await settled();
    provider.part(2, { type: "text", value: "the limit is reached" });
    refuse(new Error("after a part"));
    await settled();
    deepEqual(events, ["failed", "waits"]);
    taken.resolve();
    await fails;
    deepEqual(events, ["failed", "waits", "failed"]);
  });

  test("sends one cancellation and awaits the response", async () => {
    const { respond, notes, cancel, answer, listeners } = fixture();
    let isDone = false;
    const done = respond().then(() => {
      isDone = true;
    });
    await settled();
    cancel();
    await settled();
    deepEqual([notes, isDone], [[{ method: "lm/cancel", params: { requestId: 1 } }], false]);
    answer();
    await done;
    equal(listeners.length, 0, "nothing listens any more");
  });

  test("sends nothing for a request cancelled before the sidecar is available", async () => {
    const { respond, cancel, requests } = fixture();
    const done = respond();
    cancel();
    await done;
    deepEqual(requests, []);
  });

  test("rejects with a sentence without a stack, once", async () => {
    const gone = fixture();
    const failing = gone.respond();
    await settled();
    gone.refuse(new Error("Symposium’s sidecar stopped unexpectedly (exit code 1)."));
    await rejects(
      failing,
      (error: Error) => printed(error) === error.message && /stopped unexpectedly/.test(error.message),
    );
    await rejects(fixture().respond("symposium-gone"), /“symposium-gone” is no longer configured/);
    await rejects(fixture().respond("symposium-odd"), /Odd has no start command/);
    await rejects(
      fixture({ isTrusted: () => false }).respond(),
      (error: Error) => printed(error) === error.message && /Trust this workspace/.test(error.message),
    );
  });

  test("excludes an agent without a command from the picker", () =>
    deepEqual(
      fixture()
        .provider.models()
        .map(({ id }) => id),
      ["symposium", "symposium-eliza"],
    ));
});

suite("permission tools", () => {
  function tool(
    client: LmClient | undefined,
    name = permissionTool("codex", "execute"),
    overrides: Partial<ToolDeps> = {},
  ) {
    const unexpected = () => Promise.reject(new Error("No dialog is expected."));
    return new AgentTool(name, {
      confirm: unexpected,
      showWhole: unexpected,
      ...overrides,
      running: () => client,
      markdown: (text, link) => ({ value: text, ...link }) as never,
      result: text => ({ content: [text] }) as never,
    });
  }
  const asked = { input: { id: "q" }, toolInvocationToken: {} as never };

  test("shows the sidecar's question regardless of the call", async () => {
    const { client, requests, answer } = fixture();
    const prepared = tool(client).prepareInvocation({ input: { id: "q", title: "harmless" } });
    await settled();
    answer({ question: { title: "Run a command", message: "`rm -rf /`" } });
    deepEqual(await prepared, {
      invocationMessage: "Run a command",
      confirmationMessages: { title: "Run a command", message: { value: "`rm -rf /`" } },
    });
    deepEqual(requests, [{ method: "lm/question", params: { questionId: "q" } }]);
  });

  test("links a long question to a command with its id", async () => {
    const { client, answer } = fixture();
    const prepared = tool(client).prepareInvocation({ input: { id: "q" } });
    await settled();
    answer({ question: { title: "Run a command", message: "`a…z`", whole: "`abc…xyz`" } });
    deepEqual((await prepared).confirmationMessages?.message, {
      value: "`a…z`",
      title: "Show All",
      command: "symposium.showQuestion",
      argument: "q",
    });
  });

  test("decides within the call with its id", async () => {
    const { client, requests, answer } = fixture();
    const invoked = tool(client).invoke({ ...asked, chatStreamToolCallId: "c1", model: { vendor: "symposium" } });
    await settled();
    answer({ isTaken: true });
    ok(await invoked);
    deepEqual(requests, [
      { method: "lm/decide", params: { questionId: "q", toolName: "symposium-agent-codex-execute", callId: "c1" } },
    ]);
  });

  test("confirms each time with its own dialog if standing approvals are impossible", async () => {
    const { client, requests, answer } = fixture(),
      dialogs: unknown[] = [],
      presses = [true, false];
    const each = tool(client, ASK_EACH_TIME, {
      confirm: question => {
        dialogs.push(question);
        return Promise.resolve(presses.shift() === true);
      },
    });
    const answered = async (value: unknown) => {
        await settled();
        answer(value);
      },
      question = { title: "Run a command", message: "`ls`" };
    const prepared = each.prepareInvocation({ input: { id: "q" } });
    await answered({ question });
    deepEqual(await prepared, { invocationMessage: "Run a command" });
    const allowed = each.invoke(asked);
    await answered({ question });
    await answered({ isTaken: true });
    ok(await allowed);
    const denied = each.invoke(asked);
    await answered({ question });
    ok(await denied);
    deepEqual(dialogs, [question, question]);
    deepEqual(
      requests.map(({ method }) => method),
      ["lm/question", "lm/question", "lm/decide", "lm/question"],
    );
  });

  test("shows a question without Markdown in a dialog", () => {
    equal(
      plainText('`rename`\n\n```json\n{\n  "a": 1\n}\n```\n\nIt names a tool.'),
      'rename\n\n{\n  "a": 1\n}\n\nIt names a tool.',
    );
    equal(plainText("````sh\nls\n```\nrm x\n````\n`` `a` ``"), "ls\nrm x\n`a`");
  });

  test("rejects foreign calls, other models, missing or closed questions and a missing sidecar", async () => {
    const { client, requests, answer } = fixture();
    await rejects(tool(client).invoke({ ...asked, toolInvocationToken: undefined }), /Only VS Code's chat/);
    await rejects(tool(client).invoke({ ...asked, model: { vendor: "copilot" } }), /Only Symposium's models/);
    await rejects(tool(client).invoke({ ...asked, input: {} }), /No agent waits/);
    await rejects(tool(undefined).invoke(asked), /No agent waits/);
    deepEqual(requests, []);
    const invoked = tool(client).invoke(asked);
    await settled();
    answer({ isTaken: false });
    await rejects(invoked, (error: Error) => {
      match(error.message, /No agent waits/);
      return true;
    });
  });
});
