import { deepEqual, equal } from "node:assert/strict";
import type { ExtensionDetails } from "../../../src/protocol/chat/session-details";
import { detailsView } from "./details-view";

const sentences = (extension: Partial<ExtensionDetails>) =>
  detailsView({ extensions: [{ id: "one", name: "One", ...extension }] }, "Ada", "/w").extensions[0]?.sentences;

suite("session details", () => {
  test("shows the program and its folder", () => {
    deepEqual(
      detailsView({ program: { name: "ada-acp", version: "1.2.0" }, extensions: [] }, "Ada", "/w\n\u202e").facts,
      [
        { name: "Agent", value: "Ada (ada-acp 1.2.0)" },
        { name: "Folder", value: "/w ⟦U+202E⟧" },
      ],
    );
    deepEqual(
      [{}, { program: {} }, { program: { version: "2" } }].map(
        program => detailsView({ ...program, extensions: [] }, "Ada", "/w").facts[0]?.value,
      ),
      ["Ada", "Ada", "Ada (2)"],
    );
  });

  test("describes the changes by an extension in sentences", () => {
    deepEqual(
      sentences({
        setup: { added: ["git"], removed: ["a", "b", "c"], replaced: ["d", "e"], members: ["_meta", "cwd"] },
      }),
      [
        "Adds the MCP server “git”.",
        "Removes the MCP servers “a”, “b” and “c”.",
        "Replaces the MCP servers “d” and “e”.",
        "Changes _meta and cwd in the session's setup.",
      ],
    );
    deepEqual(sentences({ prompts: { count: 1, last: { added: 1, removed: 0, altered: 0 } } }), [
      "Changed 1 prompt: 1 part added.",
    ]);
    deepEqual(sentences({ prompts: { count: 3, last: { added: 2, removed: 1, altered: 4 } } }), [
      "Changed 3 prompts. The last change: 2 parts added, 1 removed and 4 changed.",
    ]);
    deepEqual(sentences({}), ["No changes so far."]);
  });

  test("shows the delivery stage of an extension's tools", () => {
    const tool = (overrides: object) => ({
      server: "one",
      transport: "http" as const,
      stage: "offered" as const,
      connections: 0,
      listed: 0,
      calls: 0,
      ...overrides,
    });
    const shown = (overrides: object) => sentences({ setup: { added: ["one"] }, tools: [tool(overrides)] })?.[1];
    deepEqual(
      [
        {},
        { offered: 9 },
        { offered: 9, stage: "connected" },
        { offered: 9, stage: "connected", listFailed: true },
        { offered: 9, listed: 9, stage: "listed" },
        { offered: 9, listed: 8, calls: 1, stage: "called" },
        { offered: 9, listed: 9, calls: 3, stage: "called" },
      ].map(shown),
      [
        "Tools: offered. The agent has not connected to them.",
        "Tools: 9 offered. The agent has not connected to them.",
        "Tools: 9 offered, connected. The agent has not requested the list.",
        "Tools: 9 offered. The MCP server did not list them. See the log.",
        "Tools: 9 offered, connected, 9 listed, not called.",
        "Tools: 9 offered, connected, 8 listed, called once.",
        "Tools: 9 offered, connected, 9 listed, called 3 times.",
      ],
    );
    deepEqual(
      [
        sentences({ direct: ["docs"] })?.slice(1),
        sentences({ direct: ["docs", "wiki"] })?.slice(1),
        sentences({ tools: [tool({})], direct: ["docs"] })?.slice(1),
      ],
      [
        ["Tools: Symposium cannot observe the MCP server, because the agent connects to it directly."],
        [
          "Tools of “docs” and “wiki”: Symposium cannot observe the MCP servers, because the agent connects to them directly.",
        ],
        [
          "Tools of “one”: offered. The agent has not connected to them.",
          "Tools of “docs”: Symposium cannot observe the MCP server, because the agent connects to it directly.",
        ],
      ],
    );
    deepEqual(sentences({ tools: [tool({}), tool({ server: "two" })] })?.slice(1), [
      "Tools of “one”: offered. The agent has not connected to them.",
      "Tools of “two”: offered. The agent has not connected to them.",
    ]);
  });

  test("marks an extension with missing tools once the session reports them", () => {
    const extensions: readonly ExtensionDetails[] = [
      {
        id: "one",
        name: "One",
        tools: [
          { server: "one", transport: "http", stage: "offered", offered: 9, connections: 0, listed: 0, calls: 0 },
        ],
      },
      {
        id: "two",
        name: "Two",
        tools: [{ server: "two", transport: "http", stage: "listed", offered: 2, connections: 1, listed: 2, calls: 0 }],
      },
      {
        id: "three",
        name: "Three",
        tools: [
          { server: "three", transport: "http", stage: "offered", offered: 0, connections: 0, listed: 0, calls: 0 },
        ],
      },
    ];
    const states = (missingTools?: string) =>
      detailsView({ extensions, ...(missingTools === undefined ? {} : { missingTools }) }, "Ada", "/w").extensions.map(
        ({ state }) => state,
      );
    deepEqual(
      [states(), states("Ada did not request the tools of One.")],
      [
        ["runs", "runs", "runs"],
        ["toolsMissing", "runs", "runs"],
      ],
    );
  });

  test("shows the processing times of an extension", () => {
    deepEqual(sentences({ time: { setup: 0, setupAnswer: 12, prompt: 3, lastPrompt: 40, answer: 0 } })?.slice(1), [
      "Setup: under 1 ms to the agent, 12 ms back.",
      "Prompts: 3 ms to the agent (last: 40 ms), under 1 ms back.",
    ]);
    deepEqual(sentences({ time: { setup: 12_000, prompt: 3, lastPrompt: 3 } })?.slice(1), [
      "Setup: 12 s to the agent.",
      "Prompts: 3 ms to the agent.",
    ]);
  });

  test("shows only the reason of an excluded extension", () => {
    const [view] = detailsView(
      { extensions: [{ id: "one", name: "One", leftOut: "It hangs.", setup: { added: ["git"] } }] },
      "Ada",
      "/w",
    ).extensions;
    deepEqual(view, { id: "one", name: "One", state: "leftOut", sentences: ["It hangs."] });
  });

  test("escapes untrusted text and shows it on one line or as plain text", () => {
    const [view] = detailsView(
      {
        extensions: [
          {
            id: "one",
            name: "a\nb",
            setup: { added: ["x\ny"] },
            prompts: { count: 1, last: { added: 1, removed: 0, altered: 0, text: "two\nlines \u202e" } },
          },
        ],
      },
      "Ada",
      "/w",
    ).extensions;
    deepEqual(
      [view?.name, view?.sentences[0], view?.added],
      ["a b", "Adds the MCP server “x y”.", "two\nlines ⟦U+202E⟧"],
    );
    equal(view?.state, "runs");
  });
});
