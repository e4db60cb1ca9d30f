// Simulates an agent that ignores the MCP servers of its sessions, like two published agents. Removes the servers from
// each setup request.
//   node scripts/real-agents/without-servers.mjs COMMAND ARGUMENT…
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

const [command, ...args] = process.argv.slice(2);
const agent = spawn(command, args, { stdio: ["pipe", "inherit", "inherit"] });
agent.on("exit", (code, signal) => process.exit(code ?? (signal === null ? 1 : 128)));
for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => agent.kill(signal));
agent.stdin.on("error", () => {}); // the agent has exited, and so does this program

createInterface({ input: process.stdin })
  .on("line", line => {
    const message = JSON.parse(line);
    if (message.params?.mcpServers !== undefined) message.params.mcpServers = [];
    agent.stdin.write(`${JSON.stringify(message)}\n`);
  })
  .on("close", () => agent.stdin.end());
