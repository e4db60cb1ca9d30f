import { deepEqual, equal } from "node:assert/strict";
import fc from "fast-check";
import { acpServersIn, readAcpServer, withServers } from "./acp-server-declaration";

suite("MCP declaration", () => {
  test("reads three spellings of a server over ACP", () => {
    const read = (entry: object) => {
      const { declared, ...rest } = readAcpServer(entry)!;
      equal(declared, entry);
      return rest;
    };
    deepEqual(read({ type: "acp", name: "n", serverId: "s" }), {
      kind: "acp",
      name: "n",
      serverId: "s",
      id: undefined,
    });
    deepEqual(read({ type: "acp", name: "n", id: "i" }), { kind: "acp", name: "n", serverId: undefined, id: "i" });
    deepEqual(read({ type: "acp", name: "n", id: "i", serverId: "s" }), {
      kind: "acp",
      name: "n",
      serverId: "s",
      id: "i",
    });
    deepEqual(read({ type: "http", name: "n", url: "acp:u", headers: [] }), { kind: "sacp", name: "n", url: "acp:u" });
  });

  test("rejects all other entries", () => {
    const others = [
      null,
      1,
      "acp",
      [],
      {},
      { type: "acp", name: "n" },
      { type: "acp", serverId: "s" },
      { type: "acp", name: 1, serverId: "s" },
      { type: "acp", name: "n", serverId: 1 },
      { type: "http", name: "n", url: "http://acp:1" },
      { type: "sse", name: "n", url: "acp:u" },
      { name: "n", command: "acp:u" },
      { type: "http", name: "n" },
    ];
    deepEqual(
      others.map(readAcpServer),
      others.map(() => undefined),
    );
  });

  const acp = fc
    .oneof(
      fc.record({ type: fc.constant("acp"), name: fc.string(), serverId: fc.string() }),
      fc.record({ type: fc.constant("acp"), name: fc.string(), id: fc.string() }),
      fc.record({
        type: fc.constant("http"),
        name: fc.string(),
        url: fc.string().map(rest => `acp:${rest}`),
        headers: fc.constant([]),
      }),
    )
    .map(entry => ({ entry, isAcp: true }));
  const arbitrary = fc
    .oneof(
      fc.jsonValue(),
      fc.record({ type: fc.constantFrom("http", "sse"), name: fc.string(), url: fc.webUrl() }),
      fc.record({ name: fc.string(), command: fc.string(), args: fc.array(fc.string()) }),
    )
    .map(entry => ({ entry: entry as unknown, isAcp: false }));

  test("replaces exactly the servers over ACP and keeps the other entries", () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(acp, arbitrary), { maxLength: 8 }),
        fc.dictionary(fc.string(), fc.jsonValue()),
        (entries, overrides) => {
          const params = { ...overrides, mcpServers: entries.map(({ entry }) => entry) },
            found = acpServersIn(params);
          deepEqual(
            [...found.keys()],
            entries.flatMap(({ isAcp }, i) => (isAcp ? [i] : [])),
          );
          const rewritten = withServers(params, new Map([...found].map(([i, { name }]) => [i, { i, name }])));
          if (found.size === 0) return equal(rewritten, params);
          const { mcpServers, ...rest } = rewritten as { mcpServers: unknown[] };
          mcpServers.forEach((entry, i) =>
            found.has(i) ? deepEqual(entry, { i, name: found.get(i)?.name }) : equal(entry, params.mcpServers[i]),
          );
          const { mcpServers: _, ...before } = params;
          deepEqual(rest, before);
        },
      ),
      { numRuns: 200 },
    );
  });

  test("returns params without a server list unchanged", () => {
    for (const params of [undefined, null, 3, [], {}, { mcpServers: {} }, { mcpServers: "acp" }]) {
      equal(acpServersIn(params).size, 0);
      equal(withServers(params, new Map([[0, {}]])), params);
    }
  });
});
