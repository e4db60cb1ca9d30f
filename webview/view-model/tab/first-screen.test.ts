import { deepEqual, equal } from "node:assert/strict";
import type { FirstScreen } from "../../../src/protocol/page/first-screen";
import { agentPicture, firstScreenView } from "./first-screen";

const SCREEN: FirstScreen = {
  agents: [
    { id: "ada", name: "Ada", about: "installed, signed in", origin: "npm package ada" },
    { id: "bob", name: "“bob”", about: "Downloading, 1.0 of 2.0 MB", origin: "", isInstalling: true },
  ],
  extensions: [],
  hasFolder: true,
};
const ADA = { id: "ada", name: "Ada" };

suite("first screen", () => {
  test("is without agents and suggestions until the host has sent them", () =>
    deepEqual(firstScreenView(undefined, ADA), {
      agents: [],
      isDemo: false,
      suggestions: [],
      extensions: undefined,
    }));

  test("marks the tab's agent, and shows a letter for an agent without an icon", () =>
    deepEqual(
      firstScreenView(SCREEN, ADA).agents.map(({ id, picture, isChosen, isInstalling }) => [
        id,
        picture.letter,
        isChosen,
        isInstalling,
      ]),
      [
        ["ada", "A", true, false],
        ["bob", "B", false, true],
      ],
    ));

  test("knows the icon of an offered agent, also for the picker at the prompt", () => {
    const icon = "data:image/svg+xml,icon",
      screen = { ...SCREEN, agents: SCREEN.agents.map(offer => (offer.id === "ada" ? { ...offer, icon } : offer)) };
    deepEqual(agentPicture(screen, ADA), { letter: "A", icon });
    deepEqual(agentPicture(screen, { id: "other", name: "⚙ other" }), { letter: "O" });
    deepEqual(agentPicture(undefined, ADA), { letter: "A" });
  });

  test("shows name, state and origin in the tooltip", () =>
    deepEqual(
      firstScreenView(SCREEN, ADA).agents.map(({ tooltip }) => tooltip.split("\n")),
      [
        ["Ada", "installed, signed in", "npm package ada"],
        ["“bob”", "Downloading, 1.0 of 2.0 MB"],
      ],
    ));

  test("shows invisible characters of names and paths", () => {
    const { agents, suggestions } = firstScreenView(
      {
        ...SCREEN,
        agents: [{ id: "x", name: "A\u202eda", about: "", origin: "" }],
        activeFile: { path: "a\u202eb.ts", problems: 0 },
      },
      ADA,
    );
    equal(/\u202e/u.test(`${agents[0]?.name ?? ""}${suggestions.join("")}`), false);
  });

  test("recognizes the built-in agent, which has no row", () =>
    equal(firstScreenView(SCREEN, { id: "elizacp", name: "Eliza" }).isDemo, true));

  test("suggests prompts for the project, the problems of the active file and a test", () => {
    const suggested = (screen: Partial<FirstScreen>) => firstScreenView({ ...SCREEN, ...screen }, ADA).suggestions;
    deepEqual(suggested({ hasFolder: false }), []);
    deepEqual(suggested({}), ["Explain this project"]);
    deepEqual(suggested({ activeFile: { path: "src/a.ts", problems: 0 } }), [
      "Explain this project",
      "Write a test for src/a.ts",
    ]);
    deepEqual(suggested({ activeFile: { path: "src/a.ts", problems: 1 } })[1], "Fix the problem in src/a.ts");
    deepEqual(suggested({ activeFile: { path: "src/a.ts", problems: 2 } })[1], "Fix the 2 problems in src/a.ts");
  });

  test("lists the enabled extensions, and has no line without any", () => {
    equal(firstScreenView(SCREEN, ADA).extensions, undefined);
    deepEqual(
      firstScreenView(
        {
          ...SCREEN,
          extensions: [
            { id: "sparkle", name: "Sparkle" },
            { id: "cargo", name: "Cargo" },
          ],
        },
        ADA,
      ).extensions,
      { text: "On: Sparkle, Cargo", tooltip: "Disable Sparkle and Cargo for new sessions", ids: ["sparkle", "cargo"] },
    );
  });
});
