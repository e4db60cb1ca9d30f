import { deepEqual, equal, match } from "node:assert/strict";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { program } from "../testing/programs/programs";
import { attachTarget } from "./mcp-attach";

suite("symposium-acp-agent mcp --attach", () => {
  test("offers no tools and explains why if Symposium did not start its agent", async () => {
    const { command, args } = program("symposium-acp-agent", ["mcp", "--attach"]),
      transport = new StdioClientTransport({
        command,
        args: [...args],
        env: { SYMPOSIUM_ATTACH_TO: "${SYMPOSIUM_ATTACH}" },
        stderr: "pipe",
      });
    let stderr = "";
    transport.stderr?.on("data", (chunk: Buffer) => {
      stderr += chunk.toString();
    });
    const client = new Client({ name: "test", version: "1" });
    await client.connect(transport);
    deepEqual(await client.listTools(), { tools: [] });
    const { content, isError } = await client.callTool({ name: "keep", arguments: {} });
    equal(isError, true);
    match(JSON.stringify(content), /This agent was not started by Symposium\./);
    match(stderr, /SYMPOSIUM_ATTACH is not set\./);
    await client.close();
  });

  test("reads the passed or inherited variable and accepts only localhost addresses", () => {
    const url = "http://127.0.0.1:1/a",
      target = { kind: "endpoint", url, token: "t" };
    deepEqual(
      [
        { SYMPOSIUM_ATTACH_TO: `${url}#t` },
        { SYMPOSIUM_ATTACH: `${url}#t` },
        { SYMPOSIUM_ATTACH_TO: "$SYMPOSIUM_ATTACH", SYMPOSIUM_ATTACH: `${url}#t` },
        { SYMPOSIUM_ATTACH_TO: "", SYMPOSIUM_ATTACH: `${url}#t` },
        { SYMPOSIUM_ATTACH: url },
        { SYMPOSIUM_ATTACH: "http://example.com/a#t" },
        {},
      ].map(attachTarget),
      [target, target, target, target, undefined, undefined, undefined],
    );
  });
});
