/**
 * Runs the IDE operations extension with a language server of this computer in a separate chain. Prints the results of
 * the operations, which run one after the other, as one line of JSON. Arguments: FOLDER OPERATIONS. OPERATIONS is a
 * JSON array of arguments of `ide_operation`.
 */
import { ide } from "../../extensions/ide/extension";
import { arrayOr, objectOr } from "../../rpc/json";
import { ExtensionRig } from "../extensions/extension-rig";
import { bridge, resultText } from "../mcp/mcp-ends";
import { connected, Fixture } from "../mcp/mcp-fixture";

const [folder = "", operations = "[]"] = process.argv.slice(2);

async function main(): Promise<readonly string[]> {
  using rig = new ExtensionRig();
  await using fixture = new Fixture({
    stages: [ide.define({ timeLimitSeconds: 300, approve: "all" }, rig.fixture), bridge()],
  });
  await fixture.initialize();
  const {
    servers: [server],
  } = await fixture.setup("session/new", { cwd: folder, mcpServers: [] });
  if (!server) throw new Error("the session has no server");
  await using client = await connected(server);
  const answers: string[] = [];
  for (const operation of arrayOr(JSON.parse(operations)))
    answers.push(
      resultText(
        await client.callTool({ name: "ide_operation", arguments: objectOr(operation) }, undefined, {
          timeout: 400_000,
        }),
      ),
    );
  return answers;
}

process.stdout.write(`${JSON.stringify(await main())}\n`);
