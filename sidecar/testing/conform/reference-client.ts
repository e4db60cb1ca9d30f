/** Conforming client for ACP v1 and v2 that sends one prompt, for tests of the conformance kit. */
import type { Subject } from "../../conform/driver";
import { objectOr, type JsonObject } from "../../rpc/json";
import { memorySubject } from "./memory-subject";

export interface ClientFault {
  /** Replaces a message that the client writes. */
  readonly out?: (message: JsonObject, client: FaultyClient) => readonly (JsonObject | string)[];
  /** Replaces a message that the client receives. If the hook returns undefined, the client ignores the message. */
  readonly in?: (message: JsonObject, client: FaultyClient) => JsonObject | undefined;
}

export interface FaultyClient {
  readonly write: (message: JsonObject) => void;
  /** State for faults: the next request gets no response. */
  isDeaf: boolean;
}

const SUPPORTED = [
  "fs/read_text_file",
  "terminal/create",
  "terminal/wait_for_exit",
  "terminal/output",
  "terminal/release",
];

/** `newest`: version that the client requests. */
export function referenceClient(newest: 1 | 2, fault: ClientFault = {}): Subject {
  return memorySubject(serving => {
    const write = (message: JsonObject): void => {
      const whole = { jsonrpc: "2.0", ...message };
      for (const item of fault.out ? fault.out(whole, state) : [whole])
        serving.write(typeof item === "string" ? item : JSON.stringify(item));
    };
    const state: FaultyClient = { write, isDeaf: false };
    const info = { name: "reference-client", version: "1.0.0" };
    const end = (): void => {
      setImmediate(() => serving.exit("exit code 0"));
    };
    setImmediate(() =>
      write({
        id: 1,
        method: "initialize",
        params: {
          protocolVersion: newest,
          clientInfo: info,
          clientCapabilities: { fs: { readTextFile: true }, terminal: true },
          ...(newest === 2 ? { info, capabilities: {} } : {}),
        },
      }),
    );
    let version = 1;
    const onResponse = ({ id, result }: JsonObject): void => {
      const { protocolVersion, sessionId, stopReason } = objectOr(result);
      if (id === 1) {
        version = Number(protocolVersion);
        write({ id: "2", method: "session/new", params: { cwd: "/workspace", mcpServers: [] } });
      }
      if (id === "2")
        write({ id: 3, method: "session/prompt", params: { sessionId, prompt: [{ type: "text", text: "Hello" }] } });
      if (stopReason !== undefined) end();
    };
    const onRequest = ({ id, method, params }: JsonObject): void => {
      if (method === "session/request_permission") {
        write({ method: "session/cancel", params: { sessionId: objectOr(params).sessionId } });
        return write({ id, result: { outcome: { outcome: "cancelled" } } });
      }
      if (!SUPPORTED.some(known => known === method))
        return write({ id, error: { code: -32601, message: "no such method" } });
      write({ id, result: RESULTS[String(method)] ?? {} });
    };
    return {
      line: text => {
        const received = objectOr(JSON.parse(text)),
          message = fault.in ? fault.in(received, state) : received;
        if (!message) return;
        if (typeof message.method !== "string") return onResponse(message);
        if ("id" in message) return onRequest(message);
        const { state: activity } = objectOr(objectOr(message.params).update);
        if (version === 2 && activity === "idle") end();
      },
      inputClosed: () => serving.exit("exit code 0"),
    };
  });
}

const RESULTS: Readonly<Record<string, JsonObject>> = {
  "fs/read_text_file": { content: "" },
  "terminal/create": { terminalId: "t1" },
  "terminal/wait_for_exit": { exitCode: 0 },
  "terminal/output": { output: "", truncated: false },
};
