/** Reference agent of the conformance kit on stdio. Its only argument names the rule that it breaks, if any. */
import { AGENT_FAULTS } from "../conform/agent-faults";
import { ReferenceAgent } from "../conform/reference-agent";

/** Reports every session as stored, because this agent has no persisted state. */
class AllSessions extends Map<string, { hasTurn: boolean }> {
  override get(id: string): { hasTurn: boolean } {
    return super.get(id) ?? { hasTurn: true };
  }
}

const [broken] = process.argv.slice(2),
  found = AGENT_FAULTS.find(({ rule }) => rule === broken);
if (broken !== undefined && !found) throw new Error(`no fault ${broken}`);
const serving = { write: (text: string) => void process.stdout.write(`${text}\n`), exit: () => process.exit(0) };
const agent = new ReferenceAgent(serving, new AllSessions(), found?.fault);
let rest = "";
process.stdin.setEncoding("utf8").on("data", (text: string) => {
  const lines = (rest + text).split("\n");
  rest = lines.pop() ?? "";
  for (const line of lines) agent.line(line);
});
process.stdin.on("end", () => agent.inputClosed());
