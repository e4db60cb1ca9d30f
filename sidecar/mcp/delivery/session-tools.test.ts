import { deepEqual } from "node:assert/strict";
import type { ToolDelivery } from "../../../src/protocol/chat/session-details";
import { toolLines, type OwnedServer } from "./session-tools";

const delivery = (server: string, overrides: Partial<ToolDelivery> = {}): ToolDelivery => ({
  server,
  transport: "http",
  stage: "offered",
  connections: 0,
  listed: 0,
  calls: 0,
  ...overrides,
});

const owned = (owner: string | undefined, server: string, overrides: Partial<ToolDelivery> = {}): OwnedServer => ({
  ...(owner === undefined ? {} : { owner }),
  delivery: delivery(server, overrides),
  isMissing: false,
});

suite("tool lines", () => {
  test("states the counts of each server with its extension", () => {
    deepEqual(
      toolLines({
        servers: [
          owned("Sparkle", "s", { offered: 9, connections: 2, listed: 9, calls: 3 }),
          owned("Git", "git", { listFailed: true, connections: 1 }),
          owned("Two", "one", { offered: 1 }),
          owned("Two", "two", { offered: 2 }),
          owned(undefined, "a\u202eb", { offered: 1 }),
        ],
        direct: [{ owner: "Docs", server: "docs" }, { server: "lint" }],
      }),
      [
        "Sparkle: 9 offered, connected, 9 listed, 3 called",
        "Git: an unknown number offered, connected, 0 listed, 0 called (the MCP server did not list them)",
        "Two, MCP server “one”: 1 offered, not connected, 0 listed, 0 called",
        "Two, MCP server “two”: 2 offered, not connected, 0 listed, 0 called",
        "MCP server “a⟦U+202E⟧b”: 1 offered, not connected, 0 listed, 0 called",
        "Docs: Symposium cannot observe this MCP server, because the agent connects to it directly",
        "MCP server “lint”: Symposium cannot observe this MCP server, because the agent connects to it directly",
      ],
    );
  });
});
