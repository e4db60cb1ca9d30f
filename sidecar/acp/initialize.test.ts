import { deepEqual } from "node:assert/strict";
import { capabilitiesOf, introduction, type AgentCapabilities } from "./initialize";

const NONE: AgentCapabilities = { load: false, resume: false, fork: false, images: false, embedded: false };

suite("what an agent says it can do", () => {
  const table: readonly [
    name: string,
    version: 1 | 2,
    capabilities: Record<string, unknown>,
    more: Partial<AgentCapabilities>,
  ][] = [
    ["nothing", 1, {}, {}],
    [
      "version 1 says it with booleans and objects",
      1,
      {
        loadSession: true,
        sessionCapabilities: { resume: {}, fork: {} },
        promptCapabilities: { image: true, embeddedContext: true },
      },
      { load: true, resume: true, fork: true, images: true, embedded: true },
    ],
    [
      "what is denied or nonsense is not there",
      1,
      { loadSession: "yes", sessionCapabilities: { resume: null, fork: false }, promptCapabilities: { image: false } },
      {},
    ],
    [
      "version 2 resumes always, and loads never",
      2,
      { loadSession: true, session: { fork: {}, prompt: { image: {} } } },
      { resume: true, fork: true, images: true },
    ],
  ];
  for (const [name, version, capabilities, more] of table)
    test(name, () => deepEqual(capabilitiesOf({ version, capabilities }), { ...NONE, ...more }));
});

suite("what an agent is promised", () => {
  test("in our chat everything, behind VS Code's nothing, in either version", () => {
    const { clientCapabilities, capabilities } = introduction(2, "1");
    deepEqual(Object.keys({ ...(clientCapabilities as object) }), ["fs", "terminal", "auth", "session", "elicitation"]);
    deepEqual(capabilities, { elicitation: { form: {}, url: {} } });
    const lm = introduction(2, "1", "lm");
    deepEqual([lm.clientCapabilities, lm.capabilities, "capabilities" in introduction(1, "1", "lm")], [{}, {}, false]);
  });
});
