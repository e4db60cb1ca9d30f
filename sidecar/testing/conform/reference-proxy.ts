/**
 * Proxy that forwards everything and adds an MCP server, with hooks for faults, for tests of the conformance kit.
 */
import { PassThrough } from "node:stream";
import type { Subject } from "../../conform/driver";
import { serveProxyOnStdio } from "../../proxies/stdio";
import { isObject, objectOr, type JsonObject } from "../../rpc/json";
import { TOOLS_PROXY } from "../mcp/tools-proxy";
import { memorySubject } from "./memory-subject";

/** One deviation from the protocol. A hook replaces a line by any number of lines. */
export interface ProxyFault {
  readonly out?: (line: string, message: JsonObject, proxy: FaultyProxy) => readonly string[];
  readonly in?: (line: string, message: JsonObject, proxy: FaultyProxy) => readonly string[];
  readonly ignoresInputEnd?: true;
}

export interface FaultyProxy {
  readonly write: (line: string) => void;
  /** State for faults: the fault has occurred. */
  isDead: boolean;
}

export function referenceProxy(fault: ProxyFault = {}): Subject {
  return memorySubject(serving => {
    const input = new PassThrough(),
      output = new PassThrough(),
      state: FaultyProxy = { write: serving.write, isDead: false };
    serveProxyOnStdio(TOOLS_PROXY, { input, output, onWarning: () => undefined });
    let rest = "";
    output.setEncoding("utf8").on("data", (text: string) => {
      const lines = (rest + text).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines)
        for (const item of fault.out ? fault.out(line, parsed(line), state) : [line]) serving.write(item);
    });
    return {
      line: line => {
        for (const item of fault.in ? fault.in(line, parsed(line), state) : [line]) input.write(`${item}\n`);
      },
      inputClosed: () => {
        if (fault.ignoresInputEnd) return;
        input.end();
        serving.exit("exit code 0");
      },
    };
  });
}

function parsed(line: string): JsonObject {
  const value: unknown = JSON.parse(line);
  return isObject(value) ? value : objectOr(undefined);
}
