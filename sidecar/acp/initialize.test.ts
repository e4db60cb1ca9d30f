import { deepEqual } from "node:assert/strict";
import { capabilitiesOf, initializeParams, type AgentCapabilities } from "./initialize";

const NONE: AgentCapabilities = {
  load: false,
  resume: false,
  fork: false,
  list: false,
  delete: false,
  archive: false,
  setTitle: false,
  images: false,
  embedded: false,
};

suite("agent capabilities", () => {
  const table: readonly [
    name: string,
    version: 1 | 2,
    capabilities: Record<string, unknown>,
    more: Partial<AgentCapabilities>,
  ][] = [
    ["returns none by default", 1, {}, {}],
    [
      "reads booleans and objects of version 1",
      1,
      {
        loadSession: true,
        sessionCapabilities: { resume: {}, fork: {}, list: {}, delete: {}, archive: {}, title: {} },
        promptCapabilities: { image: true, embeddedContext: true },
      },
      {
        load: true,
        resume: true,
        fork: true,
        list: true,
        delete: true,
        archive: true,
        setTitle: true,
        images: true,
        embedded: true,
      },
    ],
    [
      "omits denied and invalid capabilities",
      1,
      { loadSession: "yes", sessionCapabilities: { resume: null, fork: false }, promptCapabilities: { image: false } },
      {},
    ],
    [
      "always lists and resumes, and never loads in version 2",
      2,
      { loadSession: true, session: { fork: {}, prompt: { image: {} } } },
      { resume: true, fork: true, list: true, images: true },
    ],
  ];
  for (const [name, version, capabilities, overrides] of table)
    test(name, () => deepEqual(capabilitiesOf({ version, capabilities }), { ...NONE, ...overrides }));
});

suite("client capabilities", () => {
  test("is complete in Symposium's chat and empty in VS Code's chat, in both versions", () => {
    const { clientCapabilities, capabilities } = initializeParams(2, "1");
    deepEqual(Object.keys({ ...(clientCapabilities as object) }), ["fs", "terminal", "auth", "session", "elicitation"]);
    deepEqual(capabilities, { elicitation: { form: {}, url: {} } });
    const lm = initializeParams(2, "1", "lm");
    deepEqual(
      [lm.clientCapabilities, lm.capabilities, "capabilities" in initializeParams(1, "1", "lm")],
      [{}, {}, false],
    );
  });
});
