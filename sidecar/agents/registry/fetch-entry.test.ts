import { deepEqual, equal, rejects, throws } from "node:assert/strict";
import { FakeClock } from "../../../src/protocol/testing/fake-clock";
import { RegistryServer, serving, status } from "../../testing/install/registry-server";
import { documentAt, entryIn } from "./fetch-entry";
import { httpGet } from "../../http/http-get";

const RULES = {
  id: "rules",
  name: "Rules",
  version: "0.2.0",
  description: "Tells the agent the rules",
  distribution: { npx: { package: "@s/rules@0.2.0" } },
  repository: "https://github.com/s/rules",
  settings: { a: 1 },
  bypassPermissions: true,
  _enabled: false,
  later: [1],
};

suite("extension.json", () => {
  const read = (value: unknown): unknown =>
    entryIn(typeof value === "string" ? value : JSON.stringify(value), "extension", { loopback: false });

  test("becomes a settings entry without the user's own settings", () => {
    const { settings: _s, bypassPermissions: _b, _enabled: _e, ...rest } = RULES;
    deepEqual(read(RULES), { ...rest, _source: "custom" });
    const { version: _, ...unversioned } = RULES;
    equal("version" in entryIn(JSON.stringify(unversioned), "agent", { loopback: false }), false);
  });

  test("may declare an MCP server at an address", () => {
    const docs = { id: "docs", name: "Docs", kind: "mcp", distribution: { http: { url: "https://example.com/mcp" } } };
    deepEqual(read(docs), { ...docs, _source: "custom" });
  });

  const table: readonly [name: string, value: unknown, message: RegExp][] = [
    [
      "a server over http",
      { ...RULES, kind: "mcp", distribution: { http: { url: "http://example.com/mcp" } } },
      /is a server whose URL is not https/,
    ],
    [
      "a proxy at an address",
      { ...RULES, distribution: { http: { url: "https://example.com/mcp" } } },
      /has no supported distribution/,
    ],
    [
      "a page",
      "<!doctype html>",
      /The content at this URL is not JSON\. Check that the URL points to extension\.json itself\./,
    ],
    ["a registry", { version: "1", agents: [RULES] }, /This is a registry, not an/],
    ["a list", [RULES], /The extension\.json cannot be used: An entry is not an object\./],
    ["no id", { ...RULES, id: undefined }, /no id of lowercase letters/],
    ["an invalid id", { ...RULES, id: "../x" }, /no id of lowercase letters/],
    ["no distribution", { ...RULES, distribution: { docker: {} } }, /“rules” has no supported distribution/],
    ["an invalid package", { ...RULES, distribution: { npx: { package: "--registry=x" } } }, /“rules” cannot be used/],
    [
      "an archive over http",
      { ...RULES, distribution: { binary: { "linux-x86_64": { archive: "http://example.com/a.zip", cmd: "a" } } } },
      /not https/,
    ],
    ["a version that is not a string", { ...RULES, version: 3 }, /has no version/],
    ["a name with hidden characters", { ...RULES, name: "Ru\u202Eles" }, /has a name/],
  ];
  for (const [name, value, message] of table)
    test(`is rejected with a sentence: ${name}`, () =>
      throws(
        () => read(value),
        (error: Error) => error.name === "RegistryError" && message.test(error.message),
      ));
});

suite("document at an address", () => {
  let server: RegistryServer, clock: FakeClock;
  setup(async () => {
    server = await RegistryServer.start(serving(RULES));
    clock = new FakeClock();
  });
  teardown(async () => {
    await server[Symbol.asyncDispose]();
    equal(clock.waiting, 0);
  });
  const at = (url: string, of: "agent" | "extension" = "extension") =>
    documentAt(url, of, { signal: new AbortController().signal, clock, fetch: httpGet(), version: "1" });

  test("is fetched and parsed", async () => {
    equal((await at(server.url)).id, "rules");
  });

  test("is rejected with address, reason and file name if missing, too large or insecure", async () => {
    server.answer = status(404);
    await rejects(
      at(server.url),
      /^RegistryError: The extension\.json could not be downloaded from 127\.0\.0\.1:\d+\. The server returned status 404\.$/,
    );
    server.answer = (_, response) => {
      response.end(Buffer.alloc(200_000, " "));
    };
    await rejects(at(server.url, "agent"), /The agent\.json could not be downloaded .* larger than 128 kilobytes\.$/);
    server.answer = status(302, { location: "http://example.com/x" });
    await rejects(at(server.url), /not https, or redirects to a URL that is not/);
    await rejects(at("http://example.com/"), /The URL is not https\./);
  });

  test("may name localhost only if it comes from there", async () => {
    const local = {
      ...RULES,
      distribution: { binary: { "linux-x86_64": { archive: "http://127.0.0.1:1/a.zip", cmd: "a" } } },
    };
    server.answer = serving(local);
    await rejects(at(server.url), /not https/);
    const options = { signal: new AbortController().signal, clock, fetch, version: "1", httpArchives: true };
    equal((await documentAt(server.url, "extension", options)).id, "rules");
    await rejects(
      documentAt("https://example.com/extension.json", "extension", {
        signal: new AbortController().signal,
        clock,
        fetch: async () => Response.json(local),
        version: "1",
      }),
      /not https/,
    );
  });

  test("is the raw file for a GitHub page", async () => {
    const requested: string[] = [],
      elsewhere: typeof fetch = async input => {
        requested.push(String(input));
        return Response.json(RULES);
      };
    await documentAt("https://github.com/s/rules", "agent", {
      signal: new AbortController().signal,
      clock,
      fetch: elsewhere,
      version: "1",
    });
    deepEqual(requested, ["https://raw.githubusercontent.com/s/rules/HEAD/agent.json"]);
  });
});
