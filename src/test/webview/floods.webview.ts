/**
 * An agent that floods the page: other tabs stay responsive, the flood is reported, and the user can stop the agent.
 */
import { timeLimit } from "../../../scripts/time-limits.mjs";
import { selectedTab, survives, type Flood } from "./flooding";
import type { ChatBox } from "../page/harness";
import { openScripted } from "./fixture";

const FLOODS: readonly Flood[] = [
  {
    what: "100,000 text chunks",
    script: "stream 100000 chunks of 25 chars",
    expectedText: "sends more in this turn than Symposium can store",
  },
  {
    what: "100,000 tool calls",
    script: "flood 100000 tools",
    expectedText: "sends more in this turn than Symposium can store",
  },
  { what: "100,000 updates of one tool call", script: "flood 100000 updates", expectedText: "flood 100000" },
  {
    what: "a command that prints 20 MB",
    script: "terminal sh -c 'yes flood | head -c 20000000'\nsay THE-END",
    expectedText: "THE-END",
  },
  {
    what: "one message of 50 MB",
    script: "big 50 MB",
    expectedText: /sends more in this turn than Symposium can store|larger than|too long|too large/,
  },
];

suite("flooding agent", () => {
  let box: ChatBox;
  let quiet: string;
  suiteSetup(async () => {
    box = await openScripted();
    await box.open();
    quiet = await selectedTab(box);
  });
  suiteTeardown(() => box.close());

  for (const flood of FLOODS)
    test(`leaves other tabs responsive, is reported and can be stopped: ${flood.what}`, async function () {
      this.timeout(timeLimit(300_000));
      await survives(box, quiet, flood);
    });
});
