/** The baseline of a start: a Node program that starts the agent and copies bytes. */
import { spawn } from "node:child_process";

const [, , command = "", ...args] = process.argv,
  agent = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
process.stdin.pipe(agent.stdin);
agent.stdout.pipe(process.stdout);
agent.on("exit", () => process.exit());
