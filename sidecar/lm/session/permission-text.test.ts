import { deepEqual, equal, match, ok } from "node:assert/strict";
import { ask, asked, OPTIONS } from "../../testing/sessions/permission-fixture";
import { parametersOf, type PermissionDeps } from "./permission";

suite("permission message", () => {
  const message = (toolCall: unknown, options: unknown = OPTIONS, overrides: Partial<PermissionDeps> = {}) =>
    asked(ask(toolCall, overrides, options)).question.message;

  test("names the agent and the action in fixed wording", () => {
    equal(
      asked(ask({ kind: "execute", title: "harmless" })).question.title,
      "Ada requests permission to run a command",
    );
    equal(asked(ask({ kind: "toString" }, { agent: "[A](x) `B`" })).question.title, "A x B requests your permission");
    equal(asked(ask({}, { agent: "**" })).question.title, "The agent requests your permission");
  });

  test("contains the whole command and its other parameters", () => {
    equal(
      message({
        kind: "execute",
        title: "`ls`",
        rawInput: { command: "ls -l\nrm -rf ~", description: "List", dangerouslyDisableSandbox: true },
      }),
      '`` `ls` ``\n\n```sh\nls -l\nrm -rf ~\n```\n\n```\nList\n```\n\n```json\n{\n  "dangerouslyDisableSandbox": true\n}\n```',
    );
    equal(
      message({
        kind: "execute",
        title: "ls -l",
        rawInput: { command: "ls -l", description: "List" },
        content: [{ type: "content", content: { type: "text", text: "List" } }],
      }),
      "```sh\nls -l\n```\n\n```\nList\n```",
      "no text is duplicated",
    );
    equal(
      message({ kind: "execute", rawInput: { command: "ls" }, content: [{ type: "diff", path: "p", newText: "a" }] }),
      "```sh\nls\n```\n\n`p`\n```diff\n+a\n```",
      "nor is anything left out",
    );
    equal(
      message({ kind: "execute", rawInput: { command: "ls", description: 7 } }),
      '```sh\nls\n```\n\n```json\n{\n  "description": 7\n}\n```',
    );
    equal(message({ kind: "execute", rawInput: { command: ["bash", "-c", "rm x"] } }), '```sh\nbash -c "rm x"\n```');
    equal(
      message({ kind: "execute", rawInput: { command: ["rm", { hidden: "~" }, ""] } }),
      '```sh\nrm {"hidden":"~"} ""\n```',
    );
  });

  test("shows both ends of a long command", () => {
    const text = message({ kind: "execute", rawInput: { command: `begin ${"x".repeat(10_000)} end` } });
    ok(text.length < 4_300);
    match(text, /begin x[^]*… \d+ more characters …[^]*x end/);
  });

  test("provides the full text of truncated commands, diffs, locations and parts without duplicates", () => {
    const whole = (toolCall: unknown) => asked(ask(toolCall)).question.whole;
    const command = `begin ${"x".repeat(10_000)} middle\u202E ${"y".repeat(10_000)} end`,
      oldText = "a line\n".repeat(5_000),
      newText = oldText.replaceAll("a", "another");
    equal(
      whole({ kind: "execute", title: "t", rawInput: { command } }),
      `\`t\`\n\n\`\`\`sh\n${command.replace("\u202E", "⟦U+202E⟧")}\n\`\`\``,
    );
    equal(
      whole({ kind: "edit", content: [{ type: "diff", path: "a.txt", oldText, newText }] })?.match(/^[+-]/gm)?.length,
      10_000,
    );
    match(
      whole({ content: [{ type: "diff", path: `${"p/".repeat(1_000)}end`, newText: "a" }] }) ?? "",
      /^`(p\/){1000}end`\n/,
    );
    const locations = Array.from({ length: 50 }, (_, i) => ({ path: `/w/${i}` }));
    match(message({ locations }), /`\/w\/19`\n\n… and 30 more places\.$/);
    match(whole({ locations }) ?? "", /`\/w\/49`$/);
    match(
      whole({ content: locations.map(({ path }) => ({ type: "content", content: { type: "text", text: path } })) }) ??
        "",
      /\/w\/49\n```$/,
    );
    equal(whole({ kind: "execute", title: "t", rawInput: { command: "x".repeat(4_000) } }), undefined);
  });

  test("limits the length of the full content", () => {
    const content = Array.from({ length: 20 }, () => ({
        type: "content",
        content: { type: "text", text: "x".repeat(1_000_000) },
      })),
      { whole = "" } = asked(ask({ content })).question;
    ok(whole.length < 2_100_000);
    match(whole, /… \d+ more characters …/);
  });

  test("keeps a command inside its block with visible control characters", () => {
    equal(
      message({ kind: "execute", rawInput: { command: "a\n```\n# Safe\u202E[x](command:y)" } }),
      "````sh\na\n```\n# Safe⟦U+202E⟧[x](command:y)\n````",
    );
  });

  test("shows a command found only in the title completely", () => {
    const title = `${"x ".repeat(100)}; rm -rf ~`;
    equal(message({ kind: "execute", title }), `\`\`\`sh\n${title}\n\`\`\``);
    equal(
      message({
        kind: "execute",
        title: "rm x",
        content: [{ type: "content", content: { type: "text", text: "in /w" } }],
      }),
      "```sh\nrm x\n```\n\n```\nin /w\n```",
    );
    equal(message({ kind: "other", title: "a\nb" }), "```\na\nb\n```");
  });

  test("shows the diff of either protocol version", () => {
    const oldText = ["1", "2", "3", "4", "5", "6", "7"].join("\n");
    equal(
      message({
        kind: "edit",
        content: [{ type: "diff", path: "/w/a.txt", oldText, newText: oldText.replace("4", "four\nfive") }],
        rawInput: { ignored: true },
      }),
      "`/w/a.txt`\n```diff\n 2\n 3\n-4\n+four\n+five\n 5\n 6\n```",
    );
    equal(message({ kind: "edit", content: [{ type: "diff", path: "new", newText: "a" }] }), "`new`\n```diff\n+a\n```");
    equal(
      message({ kind: "edit", content: [{ type: "diff", path: "a", oldText: "a\na", newText: "a" }] }),
      "`a`\n```diff\n a\n-a\n```",
    );
    equal(
      message({ kind: "edit", content: [{ type: "diff", patch: { format: "git_patch", text: "-a\n+b" } }] }),
      "```diff\n-a\n+b\n```",
    );
    match(
      message({ kind: "edit", content: [{ type: "diff", changes: [{ type: "delete", path: "/x" }] }] }),
      /```json[^]*"delete"/,
    );
  });

  test("shows text, input and locations, or the absence of all", () => {
    equal(
      message({
        content: [
          { type: "content", content: { type: "text", text: "why" } },
          { type: "content", content: { type: "image" } },
          { type: "terminal" },
          null,
        ],
        rawInput: {},
      }),
      "```\nwhy\n```",
    );
    equal(message({ rawInput: { url: "https://x" } }), '```json\n{\n  "url": "https://x"\n}\n```');
    equal(message({ rawInput: "words" }), "```\nwords\n```");
    equal(message({ title: "Read", locations: [{ path: "/w/a" }, { path: "/w/b" }] }), "`Read`\n\n`/w/a`\n\n`/w/b`");
    equal(message({}), "The agent gives no details.");
  });

  test("shows the announced call and limits the number of parts", () => {
    equal(
      message({ toolCallId: "1" }, OPTIONS, { announced: { kind: "execute", rawInput: { command: "ls" } } }),
      "```sh\nls\n```",
    );
    const content = Array.from({ length: 50 }, (_, i) => ({
      type: "content",
      content: { type: "text", text: `t${i}` },
    }));
    match(message({ content }), /t9\n```\n\n… and 40 more parts\.$/);
  });

  test("states that the agent offers only a permanent permission", () =>
    match(message({}, [{ optionId: "a", name: "A", kind: "allow_always" }]), /offers only a permanent permission/));

  test("states that the MCP server is not named", () =>
    match(
      asked(ask({ toolCallId: "c", kind: "execute", _meta: { is_mcp_tool_approval: true } })).question.message,
      /MCP server without naming/,
    ));

  test("states that the input is nested too deeply", () => {
    let deep: unknown = 1;
    for (let i = 0; i < 20_000; i++) deep = [deep];
    match(message({ rawInput: deep }), /nested too deep/);
    deepEqual(Object.keys(parametersOf("q", asked(ask({ rawInput: deep })).about)), ["id", "kind", "title"]);
  });

  test("passes the question's id and display data in the tool call", () => {
    deepEqual(parametersOf("q", asked(ask({ kind: "execute", title: "t", rawInput: { command: "ls" } })).about), {
      id: "q",
      kind: "execute",
      title: "t",
      raw_input: { command: "ls" },
    });
    const large = parametersOf("q", asked(ask({ title: "x".repeat(9_000), rawInput: "y".repeat(9_000) })).about);
    deepEqual([String(large.title).length, "raw_input" in large], [500, false]);
  });
});
