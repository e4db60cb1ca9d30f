/** Sparkle's server in a chain: the bridge with its real endpoint, and the SDK's client. */
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { arrayOr, objectOr, type JsonObject } from "../../rpc/json";
import { resultText } from "../../testing/mcp/mcp-ends";
import { connected } from "../../testing/mcp/mcp-fixture";
import { Sparkled, TOOLS, words } from "../../testing/extensions/sparkle-fixture";

suite("Sparkle server", () => {
  const PROMPTS = [
    "checkpoint",
    "show_thinking",
    "embodiment_test",
    "presence_check",
    "enrich_profile",
    "sparkler_identity",
  ];

  async function server(sparkled: Sparkled, overrides: JsonObject = {}) {
    await sparkled.session("session/new", overrides);
    return connected(sparkled.fixture.lastServers()[0]!);
  }

  test("offers exactly the listed tools and prompts", async () => {
    await using sparkled = await Sparkled.open();
    await using client = await server(sparkled);
    const { tools } = await client.listTools(),
      { prompts } = await client.listPrompts();
    deepEqual(
      tools.map(({ name }) => name),
      TOOLS,
    );
    deepEqual(
      prompts.map(({ name }) => name),
      PROMPTS,
    );
    ok(tools.every(({ description, annotations }) => description && annotations?.readOnlyHint !== undefined));
    match(String(client.getInstructions()), /Sparkle/);
    for (const name of PROMPTS) ok(JSON.stringify((await client.getPrompt({ name })).messages).length > 200, name);
  });

  test("performs each tool on disk", async () => {
    await using sparkled = await Sparkled.open();
    await using client = await server(sparkled);
    const call = async (name: string, args: JsonObject) =>
        resultText(await client.callTool({ name, arguments: { ...args } })),
      read = (file: string) => readFileSync(path.join(sparkled.computer.home, file), "utf8");
    equal(await call("load_evolution", {}), "Nothing is saved yet.");
    match(
      await call("setup_sparkle", { name: "Mary" }),
      /~\/\.sparkle\/collaborator-profile\.md was created\. You are Sparkler\./,
    );
    match(await call("setup_sparkle", { name: "Mary" }), /is unchanged/);
    match(await call("rename_sparkler", { new_name: "Ada" }), /^Sparkler is now Ada\.$/);
    match(
      await call("update_sparkler_identity", { content: "I am calm." }),
      /The identity of Ada is saved as ~\/\.sparkle\/sparklers\/ada\/identity\.md/,
    );
    match(await call("update_collaborator_profile", { content: "# Mary\n\nBrief." }), /Saved as/);
    equal(
      await call("save_insight", {
        insight_type: "PatternAnchor",
        content: "Red first",
        context: "bugs",
        tags: ["tests"],
      }),
      "Saved in ~/.sparkle/sparklers/ada/pattern-anchors.md.",
    );
    equal(
      await call("save_insight", {
        insight_type: "WorkspaceInsight",
        content: "Needs cargo",
        context: null,
        tags: null,
        sparkler: "",
      }),
      "Saved in .sparkle-space/workspace-insights.md.",
    );
    equal(
      await call("session_checkpoint", { working_memory: "Focus", checkpoint_content: "Story" }),
      "Saved in .sparkle-space/working-memory.md and .sparkle-space/checkpoints/2026-11-22T09-51-03-000Z.md.",
    );
    match(await call("create_sparkler", { name: "Eve" }), /Eve was created/);
    deepEqual(JSON.parse(await call("list_sparklers", {})), {
      sparklers: [
        { name: "Ada", isCurrent: true },
        { name: "Eve", isCurrent: false },
      ],
      current: "Ada",
    });
    match(
      await call("load_evolution", {}),
      /I am calm\.[\s\S]*Brief\.[\s\S]*Red first[\s\S]*Focus[\s\S]*Story[\s\S]*Needs cargo/,
    );
    deepEqual(
      [
        read(".sparkle/collaborator-profile.md"),
        read(".sparkle/sparklers/ada/identity.md"),
        read("work/.sparkle-space/.gitignore"),
      ],
      ["# Mary\n\nBrief.\n", "# Ada\n\nI am calm.\n", "*\n"],
    );
    match(
      read(".sparkle/sparklers/ada/pattern-anchors.md"),
      /^# Pattern anchors\n\n<!-- .* -->\n\n## 2026-11-22T09:51:03\.000Z · tests\n\n> Red first\n\nContext:\n\n> bugs\n$/,
    );
  });

  test("collects the sources of a profile", async () => {
    await using sparkled = await Sparkled.open();
    await using client = await server(sparkled);
    sparkled.keep("work/me.md", "I like tests.");
    const { structuredContent } = await client.callTool({
      name: "fetch_profile_data",
      arguments: {
        profile_sources: [
          { type: "file", value: "me.md" },
          { type: "url", value: "https://example.com" },
        ],
        working_style: "slowly",
      },
    });
    const { success, prompt, fetched_content: fetched } = objectOr(structuredContent);
    deepEqual(
      [success, arrayOr(fetched).map(item => objectOr(item).content)],
      [true, ["I like tests.", undefined, "working_style: slowly"]],
    );
    match(String(prompt), /update_collaborator_profile/);
    deepEqual(
      JSON.parse(resultText(await client.callTool({ name: "fetch_profile_data", arguments: {} }))).success,
      false,
    );
    match(
      resultText(
        await client.callTool({
          name: "fetch_profile_data",
          arguments: { profile_sources: Array(21).fill({ type: "text", value: "x" }) },
        }),
      ),
      /At most 20/,
    );
  });

  for (const [name, args, sentence] of [
    ["session_checkpoint", { working_memory: " ", checkpoint_content: "x" }, /“working_memory” is empty/],
    ["session_checkpoint", { working_memory: "x".repeat(64_001), checkpoint_content: "x" }, /Shorten it/],
    ["save_insight", { insight_type: "Other", content: "x" }, /must be one of PatternAnchor/],
    [
      "save_insight",
      { insight_type: "PatternAnchor", content: "x", sparkler: "Nobody" },
      /Unknown sparkler “Nobody”\. create_sparkler/,
    ],
    ["create_sparkler", { name: "../.." }, /not a valid name/],
    ["rename_sparkler", { new_name: "🙂" }, /not a valid name/],
    ["rename_sparkler", { new_name: "Eve", old_name: "Nobody" }, /Unknown sparkler “Nobody”/],
    ["embody_sparkle", {}, /Unknown tool/],
  ] as const)
    test(`rejects invalid arguments of ${name}: ${String(sentence)}`, async () => {
      await using sparkled = await Sparkled.open();
      await using client = await server(sparkled);
      const answer = await client.callTool({ name, arguments: args });
      equal(answer.isError, true);
      match(resultText(answer), sentence);
      deepEqual(readdirSync(sparkled.computer.home), ["work"], "nothing was written");
      deepEqual(readdirSync(sparkled.cwd), []);
    });

  test("reports that a setting still uses the old name after a rename", async () => {
    await using sparkled = await Sparkled.open({ settings: { sparkler: "Ada" } });
    await using client = await server(sparkled);
    match(
      resultText(await client.callTool({ name: "rename_sparkler", arguments: { new_name: "Eve" } })),
      /Ada is now Eve\. The user's setting “sparkler” still has the value Ada/,
    );
  });

  test("truncates long notes", async () => {
    await using sparkled = await Sparkled.open();
    await using client = await server(sparkled);
    sparkled.keep(".sparkle/collaborator-profile.md", "x".repeat(100_000));
    match(
      resultText(await client.callTool({ name: "load_evolution", arguments: {} })),
      /^## The user's profile\n[\s\S]{47000,48000}\n\n… The files named above/,
    );
  });

  test("adds saved entries to the embodiment of the next session", async () => {
    await using sparkled = await Sparkled.open();
    await using client = await server(sparkled);
    await client.callTool({
      name: "save_insight",
      arguments: { insight_type: "PatternAnchor", content: "Let us slow down" },
    });
    await sparkled.prompt(await sparkled.session(), words("hello"));
    match(String(objectOr(sparkled.last.at(-1)).text), /- Let us slow down/);
  });
});
