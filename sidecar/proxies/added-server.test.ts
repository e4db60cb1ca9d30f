import { deepEqual, equal } from "node:assert/strict";
import fc from "fast-check";
import type { HttpServer } from "../mcp/shim";
import { objectOr } from "../rpc/json";
import { rig } from "../testing/chain/proxy-rig";
import { turn } from "../testing/turn";
import { addedServer, serverName } from "./added-server";
import { besideServers } from "./server-names";
import { SIDE_SESSION } from "./side-session";

const SERVER = { command: "/bin/git-mcp", args: ["--stdio"], env: { TOKEN: "x" } };
const STANDING = { name: "git", command: "/bin/git-mcp", args: ["--stdio"], env: [{ name: "TOKEN", value: "x" }] };
const played = () => rig(addedServer("Git", "git", SERVER).create);

const AT: HttpServer = { url: "https://example.com/mcp", headers: { Authorization: "Bearer x", "X-Team": "a" } };
const SHIM = { command: "/bin/node", script: "/sidecar.js", electron: true };
const HTTP = {
  type: "http",
  name: "docs",
  url: AT.url,
  headers: [
    { name: "Authorization", value: "Bearer x" },
    { name: "X-Team", value: "a" },
  ],
};
const BRIDGED = {
  name: "docs",
  command: "/bin/node",
  args: ["/sidecar.js", "mcp"],
  env: [
    { name: "SYMPOSIUM_MCP_URL", value: AT.url },
    { name: "SYMPOSIUM_MCP_HEADERS", value: JSON.stringify(AT.headers) },
    { name: "ELECTRON_RUN_AS_NODE", value: "1" },
  ],
};

function setUp(params: object, method = "session/new", protocolVersion = 1) {
  return setUpWith(played(), { protocolVersion }, params, method);
}

/** Returns the params of the session setup request at an agent with this `initialize` result. */
function setUpWith({ client, successor }: ReturnType<typeof played>, answer: object, params: object, method: string) {
  client.deliver({ id: 1, method: "initialize", params: { protocolVersion: 1 } } as never);
  successor.deliver({ id: 1, result: answer } as never);
  return turn().then(() => {
    client.deliver({ id: 2, method, params } as never);
    const sent = successor.frames.at(-1)?.message;
    return sent && "params" in sent ? objectOr(sent.params) : {};
  });
}

suite("added MCP server", () => {
  test("is appended to the servers of every session", async () => {
    for (const method of ["session/new", "session/load", "session/resume", "session/fork"])
      deepEqual(await setUp({ cwd: "/w", mcpServers: [{ name: "a" }], _meta: { b: 1 } }, method), {
        cwd: "/w",
        mcpServers: [{ name: "a" }, STANDING],
        _meta: { b: 1 },
      });
    deepEqual((await setUp({ cwd: "/w" })).mcpServers, [STANDING]);
  });

  test("is declared in the agent's protocol version", async () =>
    deepEqual((await setUp({ mcpServers: [] }, "session/new", 2)).mcpServers, [{ type: "stdio", ...STANDING }]));

  test("is declared with its address to an agent that supports http", async () => {
    const server = () => rig(addedServer("Docs", "docs", AT, { shim: SHIM }).create),
      able = { protocolVersion: 1, agentCapabilities: { mcpCapabilities: { http: true } } };
    for (const method of ["session/new", "session/load", "session/resume", "session/fork"])
      deepEqual((await setUpWith(server(), able, { mcpServers: [{ name: "a" }] }, method)).mcpServers, [
        { name: "a" },
        HTTP,
      ]);
    deepEqual(
      (
        await setUpWith(
          server(),
          { protocolVersion: 2, capabilities: { session: { mcp: { stdio: {}, http: {} } } } },
          {},
          "session/new",
        )
      ).mcpServers,
      [HTTP],
    );
    deepEqual((await setUpWith(server(), able, { mcpServers: [{ name: "docs" }] }, "session/new")).mcpServers, [
      { name: "docs" },
      { ...HTTP, name: "docs_2" },
    ]);
  });

  test("is declared as a stdio program with its secrets in the environment to an agent without http", async () => {
    const server = () => rig(addedServer("Docs", "docs", AT, { shim: SHIM }).create);
    for (const answer of [
      { protocolVersion: 1 },
      { protocolVersion: 1, agentCapabilities: { mcpCapabilities: { http: false, sse: true } } },
    ])
      deepEqual((await setUpWith(server(), answer, {}, "session/load")).mcpServers, [BRIDGED]);
    deepEqual(
      (
        await setUpWith(
          server(),
          { protocolVersion: 2, capabilities: { session: { mcp: { stdio: {} } } } },
          {},
          "session/new",
        )
      ).mcpServers,
      [{ type: "stdio", ...BRIDGED }],
    );
  });

  test("has a unique name in the session", async () => {
    deepEqual((await setUp({ mcpServers: [{ name: "git" }, { name: "git_2" }] })).mcpServers, [
      { name: "git" },
      { name: "git_2" },
      { ...STANDING, name: "git_3" },
    ]);
  });

  test("is not added to a side session, whose bytes are unchanged", () => {
    const { client, successor } = played(),
      lines = [
        `{"jsonrpc":"2.0", "id":7,"method":"session/new","params":{"cwd":"/","_meta":{"${SIDE_SESSION}":"ferris"}}}`,
        `{"jsonrpc":"2.0", "id":8,"method":"session/prompt","params":{ }}`,
      ];
    for (const line of lines) {
      client.deliver(line);
      equal(successor.frames.at(-1)?.bytes.toString(), line);
    }
  });

  test("keeps existing servers unchanged and has unique names (property)", () => {
    const servers = fc.array(fc.record({ name: fc.constantFrom("a", "b", "a_2", "a_3"), command: fc.string() }), {
      maxLength: 6,
    });
    fc.assert(
      fc.property(fc.uniqueArray(fc.constantFrom("a", "b", "a_2"), { maxLength: 3 }), servers, (names, added) => {
        const existing = names.map(name => ({ name })),
          after = besideServers(existing, added),
          all = after.map(server => objectOr(server).name);
        deepEqual(after.slice(0, existing.length), existing);
        equal(new Set(all).size, existing.length + added.length);
        deepEqual(
          after.slice(existing.length).map(server => objectOr(server).command),
          added.map(({ command }) => command),
        );
      }),
    );
    deepEqual(besideServers("odd", [{ odd: true }, 7]), [{ odd: true }, 7]);
  });

  test("is named by its id in characters that agents accept", () =>
    deepEqual(["git-mcp", "My Server!", "…", "a".repeat(100), "ide"].map(serverName), [
      "git-mcp",
      "My-Server",
      "server",
      "a".repeat(60),
      "ide-mcp",
    ]));
});
