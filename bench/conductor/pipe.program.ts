/** The baseline of all hops: copies bytes from one pipe to the other. */
import { startProgram } from "./child";
import { answerMeter } from "./meter";

answerMeter();
const agent = startProgram("agent");
process.stdin.pipe(agent.stdin);
agent.stdout.pipe(process.stdout);
agent.on("exit", () => process.exit());
