/**
 * MCP server of mcp-server.ts as a process: on stdio, or with `--http` on 127.0.0.1, where it prints its URL. `--hang`
 * never responds. `--die` prints a reason and exits with code 3. `--ignore-end` survives the end of stdin and SIGTERM.
 */
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { serveMcpOverHttp, testMcpServer } from "../mcp/mcp-server";

const [how] = process.argv.slice(2);
switch (how) {
  case "--hang":
    process.stdin.resume();
    break;
  case "--die":
    process.stderr.write("starting\nno licence was found\n");
    process.exitCode = 3;
    break;
  case "--http": {
    const { url } = await serveMcpOverHttp(line => process.stdout.write(`${line}\n`));
    process.stdout.write(`${url}\n`);
    process.stdin.on("end", () => process.exit(0)).resume();
    break;
  }
  default:
    if (how === "--ignore-end") {
      process.on("SIGTERM", () => undefined);
      setInterval(() => undefined, 1000);
    }
    await testMcpServer(line => process.stderr.write(`${line}\n`)).connect(new StdioServerTransport());
}
