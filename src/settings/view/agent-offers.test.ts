import { deepEqual, equal } from "node:assert/strict";
import type { AgentState } from "../../protocol/agents/agent-service";
import { readSettings } from "../store/settings";
import { agentOffers, type OffersModel } from "./agent-offers";

const agent = (id: string) => ({ id, name: id.toUpperCase(), distribution: { local: { command: id } } });
function model(change: Partial<OffersModel> = {}, agents: readonly unknown[] = [], currentAgentId = ""): OffersModel {
  return {
    settings: readSettings(
      name => ({ "symposium.agents": agents, "symposium.currentAgentId": currentAgentId })[name as string],
    ),
    installing: new Map(),
    icons: new Map(),
    found: {},
    home: "/home/me",
    sizes: new Map(),
    ...change,
  };
}
const states = (all: Readonly<Record<string, Partial<AgentState>>>): ReadonlyMap<string, AgentState> =>
  new Map(
    Object.entries(all).map(([id, state]) => [id, { kind: "npx", install: { kind: "missing" }, running: 0, ...state }]),
  );
const ids = (offers: OffersModel) => agentOffers(offers).map(({ id }) => id);
const about = (offers: OffersModel, id: string) => agentOffers(offers).find(each => each.id === id)?.about;

suite("agent offers", () => {
  test("are the configured agents, those on this computer, then the built-in ones, without Eliza", () =>
    deepEqual(
      [ids(model()), ids(model({ found: { gemini: "/bin/gemini", goose: "/bin/goose" } }, [agent("mine")]))],
      [
        ["zed-claude-code", "codex", "gemini"],
        ["mine", "gemini", "goose", "zed-claude-code", "codex"],
      ],
    ));

  test("are at most five, and include the agent for new tabs", () => {
    const many = ["a", "b", "c", "d", "e", "f", "g"].map(agent);
    deepEqual(ids(model({}, many, "g")), ["a", "b", "c", "d", "g"]);
    deepEqual(ids(model({}, many, "b")), ["a", "b", "c", "d", "e"]);
  });

  test("put agents that cannot run here at the end", () => {
    const agentStates = states({ "zed-claude-code": { missing: "It needs npm." } });
    deepEqual(ids(model({ agentStates })), ["codex", "gemini", "zed-claude-code"]);
    equal(about(model({ agentStates }), "zed-claude-code"), "not for this computer");
  });

  test("show the known state only", () => {
    const found = { codex: "/home/me/.local/bin/codex" };
    equal(about(model(), "codex"), "");
    equal(about(model({ agentStates: states({ codex: {} }) }), "codex"), "install (npm)");
    equal(about(model({ found, agentStates: states({ codex: {} }) }), "codex"), "found: ~/.local/bin/codex");
    equal(
      about(
        model({ found, agentStates: states({ codex: { install: { kind: "installed" }, signIn: "in" } }) }),
        "codex",
      ),
      "installed, signed in",
    );
    equal(
      about(model({ agentStates: states({ codex: { install: { kind: "ready" }, signIn: "needed" } }) }), "codex"),
      "sign-in required",
    );
  });

  test("name the size of an installation if it is known", () => {
    const sizes = new Map([["codex", 99_600_000]]);
    equal(about(model({ sizes, agentStates: states({ codex: {} }) }), "codex"), "install (npm, 100 MB)");
    equal(
      about(model({ sizes, agentStates: states({ codex: { kind: "binary" } }) }), "codex"),
      "install (download, 100 MB)",
    );
    equal(
      about(model({ sizes, agentStates: states({ codex: { install: { kind: "installed" } } }) }), "codex"),
      "installed",
    );
  });

  test("show that an agent is being installed", () => {
    const [offer] = agentOffers(
      model({ installing: new Map([["agent/zed-claude-code", { phase: "downloading", done: 62e6, total: 100e6 }]]) }),
    );
    deepEqual([offer?.about, offer?.isInstalling], ["installing…", true]);
  });
});
