import { deepEqual, equal, match, rejects } from "node:assert/strict";
import { temporaryFolder } from "../../testing/drive";
import { FakeClock } from "../../../src/protocol/testing/fake-clock";
import { Registries, type MissingOf } from "./registries";

const DOCUMENT = {
  version: "1.0.0",
  agents: [
    {
      id: "ada",
      name: "Ada",
      version: "1.2.3",
      description: "Counts",
      distribution: { npx: { package: "@s/ada@1.2.3" } },
      website: "https://example.com",
      icon: "https://example.com/ada.svg",
      bypassPermissions: true,
    },
    {
      id: "eve",
      name: "Eve",
      version: "2.0.0",
      description: "",
      distribution: { uvx: { package: "eve==2.0.0" } },
      icon: "https://example.com/eve.svg",
    },
    {
      id: "gemini",
      name: "Another program",
      version: "0.31.0",
      description: "",
      distribution: { npx: { package: "@google/gemini-cli@0.31.0", args: ["--evil"] } },
    },
    {
      id: "ada",
      name: "Ada’s proxy",
      version: "0.2.0",
      description: "",
      distribution: { npx: { package: "p" } },
      type: "extension",
      icon: "https://example.com/p.svg",
    },
    {
      id: "rules",
      name: "Rules",
      version: "0.2.0",
      description: "",
      distribution: { npx: { package: "r" } },
      type: "extension",
      icon: "http://example.com/r.svg",
    },
  ],
};

suite("registries", () => {
  const requested: string[] = [];
  const fetched = async (url: unknown): Promise<Response> => {
    requested.push(String(url));
    if (String(url).includes("gone")) throw new TypeError("fetch failed");
    return new Response(JSON.stringify(DOCUMENT), { headers: { etag: '"1"' } });
  };
  const fixture = (folder: string) =>
    new Registries({
      folder,
      clock: new FakeClock(),
      date: () => 7,
      fetch: fetched as typeof fetch,
      version: "1",
      onWarning: () => undefined,
    });
  const missing: MissingOf = async (of, configs) =>
    configs.map(({ id }) => (id === "eve" || of === "extension" ? `${id} needs uv.` : undefined));

  test("returns available entries, the reason for unavailable ones and the settings entries", async () => {
    using folder = temporaryFolder();
    const { agents, extensions, fetchedAt, problem } = await fixture(folder.path).view(
      "https://example.com/registry.json",
      missing,
    );
    deepEqual(
      agents.map(({ entry: _, ...shown }) => shown),
      [
        { id: "ada", name: "Ada", version: "1.2.3", description: "Counts" },
        { id: "eve", name: "Eve", version: "2.0.0", description: "", missing: "eve needs uv." },
      ],
    );
    deepEqual(agents[0]?.entry, {
      id: "ada",
      name: "Ada",
      version: "1.2.3",
      description: "Counts",
      distribution: { npx: { package: "@s/ada@1.2.3" } },
      website: "https://example.com",
      icon: "https://example.com/ada.svg",
      _source: "registry",
    });
    deepEqual(
      extensions.map(({ id, name, missing, entry }) => [id, name, missing, entry["_source"]]),
      [
        ["ada", "Ada’s proxy", "ada needs uv.", "registry"],
        ["rules", "Rules", "rules needs uv.", "registry"],
      ],
    );
    deepEqual([fetchedAt, problem], [7, undefined]);
  });

  test("returns cached entries and the reason without a network", async () => {
    using folder = temporaryFolder();
    const { agents, problem } = await fixture(folder.path).view("https://gone.example.com/", missing);
    equal(agents.length, 0);
    match(problem ?? "", /gone\.example\.com/);
  });

  test("rejects an invalid address without a request", async () => {
    using folder = temporaryFolder();
    const before = requested.length;
    for (const url of ["http://example.com/", "file:///etc/passwd", "https://user:password@example.com/", "nonsense"])
      await rejects(fixture(folder.path).view(url, missing), /not an https URL/);
    equal(requested.length, before);
  });

  test("returns newer registry entries merged with the user's settings", async () => {
    using folder = temporaryFolder();
    const configured = {
      agents: [
        { id: "ada", version: "1.0.0", _source: "registry", bypassPermissions: true, website: "https://old.example" },
        { id: "eve", version: "2.0.0", _source: "registry" },
        { id: "bob", _source: "registry" },
        "nonsense" as never,
        { id: 3 },
      ],
      extensions: [
        { id: "ada", _source: "registry", _enabled: false },
        { id: "rules", version: "0.1.0", _source: "custom" },
      ],
    };
    const { updates, fetchedAt } = await fixture(folder.path).updates(undefined, configured, []);
    const [agent, extension, ...more] = updates.filter(update => "entry" in update);
    deepEqual(agent, {
      of: "agent",
      id: "ada",
      name: "Ada",
      from: "1.0.0",
      to: "1.2.3",
      entry: {
        ...agent?.entry,
        version: "1.2.3",
        website: "https://example.com",
        bypassPermissions: true,
        _source: "registry",
      },
    });
    deepEqual(
      [
        extension?.of,
        extension?.id,
        extension?.from,
        extension?.to,
        extension?.entry["_enabled"],
        more.length,
        fetchedAt,
      ],
      ["extension", "ada", undefined, "0.2.0", false, 0, 7],
    );
    deepEqual((await fixture(folder.path).updates("https://gone.example.com/", configured, [])).updates, []);
  });

  test("returns newer versions of built-in agents, also from an entry that is refused for its id", async () => {
    using folder = temporaryFolder();
    const registries = fixture(folder.path),
      none = { agents: [], extensions: [] },
      gemini = { id: "gemini", name: "Gemini CLI", package: "@google/gemini-cli", version: "0.30.0" },
      ours = { id: "codex", name: "Codex", package: "@s/ada", version: "1.2.3" };
    deepEqual((await registries.updates(undefined, none, [gemini, ours])).updates, [
      {
        of: "agent",
        id: "gemini",
        name: "Gemini CLI",
        from: "0.30.0",
        to: "0.31.0",
        package: "@google/gemini-cli",
      },
    ]);
    const offline = await registries.updates("https://gone.example.com/", none, [gemini]);
    deepEqual([offline.updates, /gone/.test(offline.problem ?? "")], [[], true]);
  });

  test("uses no network if nothing can have an update", async () => {
    using folder = temporaryFolder();
    const registries = fixture(folder.path),
      before = requested.length,
      own = { agents: [{ id: "ada", _source: "custom" }], extensions: [{ id: "rules" }] };
    deepEqual(await registries.updates(undefined, own, []), { updates: [] });
    equal(requested.length, before);
  });

  test("returns icon addresses, using the network only without a cache, and prefers the agent's icon", async () => {
    using folder = temporaryFolder();
    const before = requested.length,
      registries = fixture(folder.path);
    deepEqual([...(await registries.pictures(undefined, ["eve", "ada", "rules", "nobody"]))].sort(), [
      ["ada", "https://example.com/ada.svg"],
      ["eve", "https://example.com/eve.svg"],
    ]);
    await registries.pictures(undefined, ["eve"]);
    equal(requested.length, before + 1);
    await rejects(registries.pictures("file:///x", []), /not an https URL/);
  });
});
