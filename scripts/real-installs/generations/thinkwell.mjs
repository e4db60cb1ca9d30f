// The conductor of the npm package in the folder `argv[2]`, as an agent on stdin and stdout. The other arguments are
// its components.
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import path from "node:path";

const [folder, ...components] = process.argv.slice(2);
const { Conductor, fromCommands } = await import(
  pathToFileURL(path.join(folder, "node_modules/@thinkwell/conductor/dist/index.js")).href
);
async function* messages() {
  for await (const line of createInterface({ input: process.stdin })) yield JSON.parse(line);
}
const client = {
  send: message => {
    process.stdout.write(`${JSON.stringify(message)}\n`);
  },
  messages: messages(),
  close: async () => {
    process.stdin.destroy();
  },
};
await new Conductor({ instantiator: fromCommands(components) }).connect({ connect: async () => client });
