/** `symposium-acp-agent mcp` alone. */
import { runShim } from "../cli/mcp";

process.exit(await runShim());
