import { deepEqual, throws } from "node:assert/strict";
import { RpcError } from "../rpc/message";
import { readMcpServers } from "./read-mcp-servers";

suite("declared MCP server", () => {
  test("reads the declarations of ACP v1", () =>
    deepEqual(
      readMcpServers([
        {
          name: "files",
          command: "/bin/files",
          args: ["-r"],
          env: [
            { name: "A", value: "1" },
            { name: "A", value: "2" },
          ],
        },
        { type: "stdio", name: "short", command: "short" },
        {
          type: "http",
          name: "web",
          url: "https://example.org/mcp",
          headers: [{ name: "authorization", value: "Bearer x" }],
        },
        { type: "sse", name: "old", url: "http://example.org/sse", headers: [] },
      ]),
      [
        { kind: "stdio", name: "files", command: "/bin/files", args: ["-r"], env: { A: "2" } },
        { kind: "stdio", name: "short", command: "short", args: [], env: {} },
        { kind: "http", name: "web", url: "https://example.org/mcp", headers: { authorization: "Bearer x" } },
        { kind: "unsupported", name: "old", transport: "sse" },
      ],
    ));

  for (const [servers, field] of [
    [undefined, "mcpServers"],
    [{}, "mcpServers"],
    [["x"], "mcpServers[0]"],
    [[{ command: "x" }], "mcpServers[0].name"],
    [[{ name: "x" }], "mcpServers[0].command"],
    [[{ name: "x", command: "" }], "mcpServers[0].command"],
    [[{ name: "x", command: "x", args: [1] }], "mcpServers[0].args"],
    [[{ name: "x", command: "x", env: {} }], "mcpServers[0].env"],
    [[{ name: "x", command: "x", env: [{ name: "A" }] }], "mcpServers[0].env[0]"],
    [[{ type: "http", name: "x", url: "x" }], "mcpServers[0].url"],
    [[{ type: "http", name: "x", url: "file:///etc" }], "mcpServers[0].url"],
    [
      [
        { name: "x", command: "x" },
        { type: 1, name: "y" },
      ],
      "mcpServers[1].type",
    ],
  ] as const)
    test(`rejects ${JSON.stringify(servers)}, naming ${field}`, () =>
      throws(
        () => readMcpServers(servers),
        (error: unknown) =>
          error instanceof RpcError && error.code === -32602 && error.message.startsWith(`${field} must be `),
      ));
});
