/** Runs only `symposium-acp-agent mcp`. */
import { runShim } from "../../cli/mcp";

process.exit(await runShim());
