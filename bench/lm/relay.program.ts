/** Forwards bytes between its client and an agent that it starts: the minimum cost of any process between them. */
import { spawn } from "node:child_process";
import { program } from "./wire";

const agent = spawn(process.execPath, [program("agent")], { stdio: ["pipe", "pipe", "inherit"] });
process.stdin.on("data", (chunk: Buffer) => {
  agent.stdin.write(chunk);
});
process.stdin.on("end", () => {
  agent.stdin.end();
});
agent.stdout.on("data", (chunk: Buffer) => {
  process.stdout.write(chunk);
});
agent.once("exit", () => process.exit(0));
