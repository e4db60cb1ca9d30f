import { deepEqual, equal, rejects } from "node:assert/strict";
import type { ProxyDefinition } from "../proxies/proxy";
import type { JsonObject } from "../rpc/json";
import { FakeClock } from "../../src/protocol/testing/fake-clock";
import { bridge } from "../testing/mcp/mcp-ends";
import { connected, Fixture } from "../testing/mcp/mcp-fixture";
import { sessionTools, type SessionPlace } from "./session-tools";
import { connectToolServer } from "./tool-server";

class Offering {
  readonly places: SessionPlace[] = [];
  readonly received: string[] = [];
  wanted: "yes" | "no" | "broken" = "yes";
  readonly definition: ProxyDefinition = {
    name: "Tools",
    create: chain => {
      const { requests, close } = sessionTools(chain, {
        name: "tools",
        server: place => {
          this.places.push(place);
          if (this.wanted === "broken") throw new Error("no disk");
          const connect = connectToolServer({
            name: "tools",
            title: "Tools",
            version: "1",
            instructions: "",
            tools: [],
            clock: new FakeClock(),
            onWarning: () => undefined,
          });
          return this.wanted === "no"
            ? undefined
            : {
                connect,
                close: () => {
                  this.received.push(`close ${place.sessionId() ?? "-"}`);
                },
              };
        },
        opened: (_, id) => {
          this.received.push(`opened ${id}`);
        },
        closed: id => {
          this.received.push(`closed ${id}`);
        },
      });
      return { fromClient: { requests }, close };
    },
  };
  fixture(): Fixture {
    return new Fixture({ stages: [this.definition, bridge()] });
  }
}
const NEW: JsonObject = { cwd: "/project", additionalDirectories: ["/more", 7], mcpServers: [] };
const isThere = async (server: JsonObject | undefined) => (await connected(server ?? {}))[Symbol.asyncDispose]();

suite("session MCP server", () => {
  test("receives the session's folders, and the session id after the setup", async () => {
    const offering = new Offering();
    await using fixture = offering.fixture();
    await fixture.initialize();
    const { sessionId, servers } = await fixture.setup("session/new", NEW);
    deepEqual(
      offering.places.map(({ folders, setup, sessionId }) => [folders, setup, sessionId()]),
      [[["/project", "/more"], "session/new", sessionId]],
    );
    deepEqual(
      servers.map(({ name }) => name),
      ["tools"],
    );
    await isThere(servers[0]);
  });

  test("has a unique name in the chain and closes with its session", async () => {
    const offering = new Offering();
    await using fixture = offering.fixture();
    await fixture.initialize();
    const first = await fixture.setup("session/new", NEW),
      second = await fixture.setup("session/new", NEW);
    deepEqual(
      [first, second].flatMap(({ servers }) => servers.map(({ name }) => name)),
      ["tools", "tools-2"],
    );
    await fixture.client.request("session/close", { sessionId: first.sessionId });
    deepEqual(offering.received, ["opened s1", "opened s2", "close s1", "closed s1"]);
    await rejects(isThere(first.servers[0]));
    await isThere(second.servers[0]);
    equal((await fixture.setup("session/new", NEW)).servers[0]?.name, "tools-3");
  });

  test("is omitted if the session needs none, or if its creation fails, which is logged", async () => {
    const offering = new Offering();
    await using fixture = offering.fixture();
    await fixture.initialize();
    for (const wanted of ["no", "broken"] as const) {
      offering.wanted = wanted;
      deepEqual((await fixture.setup("session/new", NEW)).servers, []);
      deepEqual(fixture.setups.at(-1)?.params, NEW);
    }
    deepEqual(fixture.warnings, ["tools cannot be offered in this session: Error: no disk"]);
  });

  test("closes with the chain", async () => {
    const offering = new Offering(),
      fixture = offering.fixture();
    await fixture.initialize();
    await fixture.setup("session/load", { ...NEW, sessionId: "old" });
    await fixture[Symbol.asyncDispose]();
    deepEqual(offering.received, ["opened old", "close old"]);
  });
});
