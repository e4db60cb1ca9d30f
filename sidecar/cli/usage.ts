/** Texts of `--help`. */
export type Subcommand = "run-with" | "vscodelm" | "eliza" | "proxy" | "registry" | "doctor" | "conform" | "mcp";

const LOGGING = `  --log LEVEL       what to say on stderr: error, warn (the default), info or debug
  --log-dir DIR     also write it to DIR/symposium-acp-agent-TIME-PID.log
`;

const ALL = `symposium-acp-agent: ACP agents, and what stands between them and an editor.

Usage: symposium-acp-agent COMMAND [OPTION]…

Commands:
  run-with [--proxy P]… [--agent A]   a chain of proxies and an agent, as one ACP agent on stdin and stdout
  vscodelm                            ACP agents as language models, over lm/* on stdin and stdout
  eliza [--deterministic]             Eliza, the built-in agent, as an ACP agent on stdin and stdout
  proxy NAME                          one of Symposium's agent extensions, as a proxy for any conductor
  registry list                       the agents that are built in, and those of the registry, as JSON
  registry resolve ID                 the command that starts one of them, as JSON
  doctor [ID | --agent A]             what agents need, and why one of them does not start
  conform KIND -- COMMAND             check an agent, a proxy or a client against the protocol
  mcp                                 an MCP server on stdin and stdout, for agents that run-with starts

Options, before or after the command:
${LOGGING}  --trace-dir DIR   write every message between the components to DIR (run-with, vscodelm)
  --help            this text, or what there is to say of the command
  --version         the version

Exit codes: 0 done, or the client closed stdin; 1 something failed, stderr says what; 2 wrong usage;
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
  sparkle, ferris, cargo, workspace, ide
                    (--proxy) an agent extension of Symposium's own, in this process; with settings as JSON:
                    '{"id": "cargo", "settings": {…}}'
  '{"id": "git", "kind": "mcp", "distribution": {"local": {…}}}'
  '{"id": "docs", "kind": "mcp", "distribution": {"http": {"url": "https://…", "headers": {"NAME": "value"}}}}'
                    (--proxy) an MCP server, which the agent starts, or goes to, in each session
  defaults          (--proxy) sparkle, ferris and cargo

Options:
${LOGGING}  --trace-dir DIR   write every message between the components to DIR/symposium-acp-agent-TIME-PID.jsons, one JSON a
                    line, without secrets; the newest 16 files are kept
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
                    symposium-agent-action. A permission without lm/decide is refused, whatever the result of the call
and the notification lm/cancel {requestId}.

Options:
${LOGGING}  --trace-dir DIR   write every message between the components to DIR/symposium-acp-agent-TIME-PID.jsons, one JSON a
                    line, without secrets; the newest 16 files are kept
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

const PROXY = `symposium-acp-agent proxy: an agent extension of Symposium's own, as an ACP proxy on stdin and stdout.

Usage: symposium-acp-agent proxy NAME [OPTION]…

  NAME              sparkle, ferris, cargo, workspace or ide

Options:
  --settings JSON   what the setting symposium.extensions has as “settings” of this extension
${LOGGING}  --help, --version

Any conductor can start it: it is initialised by proxy/initialize (or, as in the older drafts, _proxy/initialize) and
reaches its successor by proxy/successor.

Exit codes: 0 the client closed stdin; 2 wrong usage; 128 and more: ended by a signal.

Example:
  symposium-acp-agent proxy cargo --settings '{"timeoutMinutes": 5}'
`;

const REGISTRY = `symposium-acp-agent registry: the agents that there are, and the command that starts one, as JSON on stdout.

Usage: symposium-acp-agent registry list [--registry URL]
       symposium-acp-agent registry resolve ID [--registry URL]

  list              [{"id", "name", "version"?, "description"?}, …]: the built-in agents, then those of the registry
  resolve ID        {"name", "command", "args", "env": [{"name", "value"}]}: of what the agent offers, the first of a
                    command, npx, uvx, pipx, cargo and an archive for this computer. Nothing is installed: crates and
                    archives have their place in ~/.symposium/bin/ID/VERSION, and stderr says when nothing is there yet

Options:
  --registry URL    another registry; an https address
  --help, --version

The registry is fetched each time, and what has not changed is not fetched again. Without a network, the copy in
~/.symposium/cache is used, and stderr says how old it is. The built-in agents need neither.

Exit codes: 0 stdout has the answer; 1 there is no such agent, or none for this computer, stderr says which;
2 wrong usage.

Example:
  symposium-acp-agent registry resolve gemini
`;

const DOCTOR = `symposium-acp-agent doctor: what agents need, what of it is there, and how far one of them gets.

Usage: symposium-acp-agent doctor [ID | --agent A] [OPTION]…

  ID                an agent that is built in: zed-claude-code, codex, gemini, kiro-cli
  --agent A         a shell command or JSON, as of run-with
                    it is started, asked to initialize and to open a session, and ended; nothing is installed or prompted

Prints a report for people, without secrets and without your name: the PATH of your login shell, the tools on it, and of the
agent its command, what it answered, its last words, and in one sentence what is the matter.

Options:
${LOGGING}  --help, --version

Exit codes: 0 nothing is the matter; 1 something is; 2 wrong usage.
`;

const MCP = `symposium-acp-agent mcp: an MCP server of the chain, on stdin and stdout.

Usage: symposium-acp-agent mcp [--attach]

Agents start it, with an environment that run-with gives them: it carries their MCP messages to the proxy that offers
the server. There is no use for it otherwise.

  --attach          started by an entry of the agent's own configuration, which Symposium adds with your agreement: the
                    tools of all sessions of the agent's process. It finds them by SYMPOSIUM_ATTACH in the environment
                    of the agent. Without that it is an MCP server without tools
`;

const CONFORM = `symposium-acp-agent conform: check a program against the Agent Client Protocol, versions 1 and 2.

Usage: symposium-acp-agent conform agent  [OPTION]… -- COMMAND [ARGUMENT]…
       symposium-acp-agent conform proxy  [OPTION]… -- COMMAND [ARGUMENT]…
       symposium-acp-agent conform client [OPTION]… -- COMMAND [ARGUMENT]… '{agent}'

  agent             COMMAND starts an agent. It is started once per conversation, about twelve times
  proxy             COMMAND starts a proxy. The kit is its conductor, its client and its successor
  client            COMMAND starts a client that opens a session and sends a prompt. {agent} in its arguments is
                    replaced by the command line of the kit's agent, quoted as in a shell

Options:
  --prompt TEXT     (agent) a prompt to send, in place of a request for one sentence. As often as you like. Give the
                    agent work that needs a tool to check tool calls and permission requests, which are rejected
  --auth METHOD     (agent) sign in with this authentication method first
  --timeout SECONDS how long the program has for one response; 30 unless given
  --record FOLDER   write both directions of every conversation to FOLDER, as JSON lines without secrets
  --json            print the report as JSON
${LOGGING}  --help, --version

The report lists each rule with its result, one line of explanation, and the section of the specification below
https://agentclientprotocol.com/: ok, FAIL (a rule that programs must follow), warn (one that they should follow),
n/a (the program does not advertise the capability), or - (the conversations did not show it).

The kit runs no command of an agent, grants no permission and writes no file for it. It uses no network.

Exit codes: 0 no rule failed that programs must follow; 1 one failed; 2 wrong usage.

Examples:
  symposium-acp-agent conform agent -- symposium-acp-agent eliza
  symposium-acp-agent conform proxy --record /tmp/record -- my-proxy
  symposium-acp-agent conform client -- my-client --agent '{agent}' --prompt Hello
`;

export function usage(of: Subcommand | undefined): string {
  switch (of) {
    case "run-with":
      return RUN_WITH;
    case "vscodelm":
      return VSCODELM;
    case "eliza":
      return ELIZA;
    case "proxy":
      return PROXY;
    case "registry":
      return REGISTRY;
    case "doctor":
      return DOCTOR;
    case "conform":
      return CONFORM;
    case "mcp":
      return MCP;
    case undefined:
      return ALL;
  }
}
