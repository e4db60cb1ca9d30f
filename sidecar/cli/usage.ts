/** What `--help` says. */
export type Subcommand = "run-with" | "vscodelm" | "eliza" | "mcp";

const LOGGING = `  --log LEVEL       what to say on stderr: error, warn (the default), info or debug
  --log-dir DIR     also write it to DIR/symposium-acp-agent-TIME-PID.log
`;

const ALL = `symposium-acp-agent: ACP agents, and what stands between them and an editor.

Usage: symposium-acp-agent COMMAND [OPTION]…

Commands:
  run-with [--proxy P]… [--agent A]   a chain of proxies and an agent, as one ACP agent on stdin and stdout
  vscodelm                            ACP agents as language models, over lm/* on stdin and stdout
  eliza [--deterministic]             Eliza, the built-in agent, as an ACP agent on stdin and stdout
  mcp                                 an MCP server on stdin and stdout, for agents that run-with starts

Options, before or after the command:
${LOGGING}  --trace-dir DIR   write every message between the components to DIR (run-with, vscodelm)
  --help            this text, or what there is to say of the command
  --version         the version

Exit codes: 0 the client closed stdin; 1 something failed, stderr says what; 2 wrong usage;
128 and more: ended by a signal.
`;

const RUN_WITH = `symposium-acp-agent run-with: a chain of proxies and an agent, as one ACP agent on stdin and stdout.

Usage: symposium-acp-agent run-with [--proxy P]… [--agent A] [OPTION]…

  --proxy P         a proxy; the first one is next to the client. As often as you like
  --agent A         the agent at the end. Without it the chain is a proxy itself: its successor is whoever started it

P and A are a shell command or JSON:
  'KEY=value … command argument…'
                    quoted as in a shell, without one: no variables, pipes or wildcards
  '{"local": {"command": "…", "args": ["…"], "env": {"KEY": "value"}}}'
  '{"name": "…", "distribution": {"local": {…}}}'
                    an entry of the setting symposium.agents
  eliza             (--agent) Eliza, in this process

Options:
${LOGGING}  --trace-dir DIR   write every message between the components to DIR/symposium-acp-agent-TIME-PID.jsons, one JSON a
                    line, without secrets
  --help, --version

Nothing is started before the client's first message. A proxy that cannot be started is left out, and stderr says so.
What is started ends with this process; after a kill -9, the next start ends what was left.

Exit codes: 0 the client closed stdin; 1 a component failed and the chain ended, stderr says which, with its last words;
2 wrong usage; 128 and more: ended by a signal.

Example:
  symposium-acp-agent run-with --proxy my-proxy --agent 'npx -y @google/gemini-cli --acp' --trace-dir /tmp/trace
`;

const VSCODELM = `symposium-acp-agent vscodelm: ACP agents as language models, on stdin and stdout.

Usage: symposium-acp-agent vscodelm [OPTION]…

JSON-RPC 2.0, one JSON value a line. The requests:
  lm/provideLanguageModelChatInformation {silent}
  lm/provideLanguageModelChatResponse {modelId, messages, agent, options?}
                    agent: {"eliza": {"deterministic": true}}, or {"mcp_server": {"name", "command", "args", "env": [{"name", "value"}]}}
                    answered by lm/responsePart {requestId, part} …, lm/responseComplete {requestId} and the result {}
  lm/provideTokenCount {modelId, text}
  lm/question {questionId}, lm/decide {questionId}
                    what an agent wants to do, and the user's consent; the id is in the parameters of the call of
                    symposium-agent-*. A permission without lm/decide is refused, whatever the result of the call
and the notification lm/cancel {requestId}.

Options:
${LOGGING}  --trace-dir DIR   write every message between the components to DIR/symposium-acp-agent-TIME-PID.jsons, one JSON a
                    line, without secrets
  --help, --version

Agents are started by the first request for them, in this folder or the one that a request names (cwd), and end with this process.

Exit codes: 0 the client closed stdin; 2 wrong usage; 128 and more: ended by a signal.
`;

const ELIZA = `symposium-acp-agent eliza: Eliza, the built-in agent, as an ACP agent on stdin and stdout.

Usage: symposium-acp-agent eliza [--deterministic] [OPTION]…

Options:
  --deterministic   every session begins with the same answers
${LOGGING}  --help, --version

Exit codes: 0 the client closed stdin; 2 wrong usage; 128 and more: ended by a signal.
`;

const MCP = `symposium-acp-agent mcp: an MCP server of the chain, on stdin and stdout.

Usage: symposium-acp-agent mcp

Agents start it, with an environment that run-with gives them: it carries their MCP messages to the proxy that offers
the server. There is no use for it otherwise.
`;

export function usage(of: Subcommand | undefined): string {
  switch (of) {
    case "run-with": return RUN_WITH;
    case "vscodelm": return VSCODELM;
    case "eliza": return ELIZA;
    case "mcp": return MCP;
    case undefined: return ALL;
  }
}
