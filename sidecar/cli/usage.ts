/** Texts of `--help`. */
export type Subcommand =
  | "run"
  | "run-with"
  | "vscodelm"
  | "eliza"
  | "proxy"
  | "registry"
  | "doctor"
  | "conform"
  | "setup"
  | "mcp";

const LOGGING = `  --log LEVEL       level of messages on stderr: error, warn (the default), info or debug
  --log-dir DIR     also write them to DIR/symposium-acp-agent-TIME-PID.log
`;

const ALL = `symposium-acp-agent: ACP agents, and the proxies between them and an editor.

Usage: symposium-acp-agent COMMAND [OPTION]…

Commands:
  run                                 the agent and the proxies of ~/.symposium/config.jsonc, as one ACP agent
  run-with [--proxy P]… [--agent A]   a chain of proxies and an agent, as one ACP agent on stdin and stdout
  vscodelm                            ACP agents as language models, over lm/* on stdin and stdout
  eliza [--deterministic]             Eliza, the built-in agent, as an ACP agent on stdin and stdout
  proxy NAME                          one of Symposium's agent extensions, as a proxy for any conductor
  proxy check COMMAND                 check your proxy against the protocol
  registry list                       the built-in agents and the agents of the registry, as JSON
  registry resolve ID [--install]     the command that starts one of them, as JSON
  registry install ID                 install one of them, or its newest version
  registry check FILE                 check your extension.json
  doctor [ID | --agent A]             check the requirements of agents and the start of one agent
  conform KIND -- COMMAND             check an agent, a proxy or a client against the protocol
  setup --EDITOR [--dry-run]          configure another editor: zed, jetbrains, neovim, emacs or toad
  mcp                                 an MCP server on stdin and stdout, for agents that run-with starts

Options, before or after the command:
${LOGGING}  --trace-dir DIR   write every message between the components to DIR (run, run-with, vscodelm)
  --help            this text, or the help of the command
  --version         the version

Exit codes: 0 done, or the client closed stdin; 1 an error, reported on stderr; 2 wrong usage;
128 and more: terminated by a signal.
`;

const RUN = `symposium-acp-agent run: the agent and the proxies of your configuration, as one ACP agent on stdin and stdout.

Usage: symposium-acp-agent run [OPTION]…

The configuration is ~/.symposium/config.jsonc, JSON with comments:
  {
    "agent": "npx -y @google/gemini-cli --acp",
    "proxies": [{ "name": "sparkle", "enabled": true }, { "name": "cargo", "enabled": false }]
  }
  agent             the agent, as for run-with --agent: a shell command without a shell, or JSON as text
  proxies           sparkle, ferris, cargo, workspace and ide; the first one is next to the client. A proxy without
                    “enabled” is enabled, an unknown one is left out

Without the file, a configuration agent answers: it asks for one of four agents by number, and creates the file. It
never changes a file that exists. New sessions then use the selected agent, also before you restart your editor.

A mistake in the file is reported with its line and column on stderr and as the error of initialize. Ignored parts and
changes of the file are reported on stderr and, once, in a session. A change applies to the next start.

Options:
${LOGGING}  --trace-dir DIR   write every message between the components to DIR/symposium-acp-agent-TIME-PID.jsons, one JSON per
                    line, without secrets; the newest 16 files are kept
  --help, --version

Exit codes: 0 the client closed stdin; 1 the configuration has a mistake, or a component failed and the chain ended;
2 wrong usage; 128 and more: terminated by a signal.
`;

const RUN_WITH = `symposium-acp-agent run-with: a chain of proxies and an agent, as one ACP agent on stdin and stdout.

Usage: symposium-acp-agent run-with [--proxy P]… [--agent A] [OPTION]…

  --proxy P         a proxy; the first one is next to the client. Repeatable
  --agent A         the agent at the end. Without it the chain is a proxy; its conductor provides the successor

P and A are a shell command or JSON:
  'KEY=value … command argument…'
                    with the quoting of a shell, but no variables, pipes or wildcards
  '{"name": "…", "command": "…", "args": ["…"], "env": [{"name": "KEY", "value": "value"}]}'
                    the output of registry resolve
  '{"id": "…", "name": "…", "distribution": {"npx": {"package": "…"}}}'
                    an entry of the setting symposium.agents: a command (local), npx, uvx, pipx, cargo or binary
  claude, codex, gemini, kiro, eliza, or an id of the registry
                    (--agent) a built-in agent, or one of the registry; otherwise a program on the PATH
  sparkle, ferris, cargo, workspace, ide
                    (--proxy) a built-in agent extension, in this process; with settings as JSON:
                    '{"id": "cargo", "settings": {…}}'
  '{"id": "git", "kind": "mcp", "distribution": {"local": {…}}}'
  '{"id": "docs", "kind": "mcp", "distribution": {"http": {"url": "https://…", "headers": {"NAME": "value"}}}}'
                    (--proxy) an MCP server, which the agent starts or connects to in each session
  an id of the registry
                    (--proxy) an agent extension of the registry; otherwise a program on the PATH
  defaults          (--proxy) sparkle, ferris and cargo

The first start installs packages and archives into ~/.symposium, with progress on stderr. Later starts need neither a
network nor the package tool. This includes “npx -y PACKAGE …”, “uvx PACKAGE …” and “pipx run PACKAGE …”.

Options:
  --registry URL    another registry; an https URL
${LOGGING}  --trace-dir DIR   write every message between the components to DIR/symposium-acp-agent-TIME-PID.jsons, one JSON per
                    line, without secrets; the newest 16 files are kept
  --help, --version

Components start at the client's first message. A proxy that cannot be started is skipped, with a warning on stderr.
Child processes stop with this process. After a kill -9, the next start stops the remaining ones.

Exit codes: 0 the client closed stdin; 1 a component failed and the chain ended; stderr has its name and last output;
2 wrong usage; 128 and more: terminated by a signal.

Example:
  symposium-acp-agent run-with --proxy my-proxy --agent 'npx -y @google/gemini-cli --acp' --trace-dir /tmp/trace
`;

const VSCODELM = `symposium-acp-agent vscodelm: ACP agents as language models, on stdin and stdout.

Usage: symposium-acp-agent vscodelm [--bridge-duplicates] [OPTION]…

JSON-RPC 2.0, one JSON value per line. The requests:
  lm/provideLanguageModelChatInformation {silent}
  lm/provideLanguageModelChatResponse {modelId, messages, agent, options?}
                    agent: {"eliza": {"deterministic": true}}, or {"mcp_server": {"name", "command", "args", "env": [{"name", "value"}]}}
                    answered by lm/responsePart {requestId, part} …, lm/responseComplete {requestId} and the result {}
  lm/provideTokenCount {modelId, text}
  lm/question {questionId}, lm/decide {questionId}
                    the request of an agent, and the user's consent; the id is in the parameters of the call of
                    symposium-agent-action. A permission without lm/decide is refused, whatever the result of the call
and the notification lm/cancel {requestId}.

The agent gets the tools of a request by the MCP server vsctools. Further sessions of an agent's process that are open
at the same time have vsctools2, vsctools3…

Options:
  --bridge-duplicates
                    also offer tools with the name of a tool that agents have themselves, such as read_file
${LOGGING}  --trace-dir DIR   write every message between the components to DIR/symposium-acp-agent-TIME-PID.jsons, one JSON per
                    line, without secrets; the newest 16 files are kept
  --help, --version

The first request for an agent starts it, in this folder or the request's cwd. Agents stop with this process.

Exit codes: 0 the client closed stdin; 2 wrong usage; 128 and more: terminated by a signal.
`;

const ELIZA = `symposium-acp-agent eliza: Eliza, the built-in agent, as an ACP agent on stdin and stdout.

Usage: symposium-acp-agent eliza [--deterministic] [OPTION]…

Options:
  --deterministic   every session starts with the same answers
${LOGGING}  --help, --version

Exit codes: 0 the client closed stdin; 2 wrong usage; 128 and more: terminated by a signal.
`;

const PROXY = `symposium-acp-agent proxy: a built-in agent extension as an ACP proxy, and the check of your own proxy.

Usage: symposium-acp-agent proxy NAME [OPTION]…
       symposium-acp-agent proxy check 'COMMAND [ARGUMENT]…' [OPTION]…
       symposium-acp-agent proxy check [OPTION]… -- COMMAND [ARGUMENT]…

  NAME              sparkle, ferris, cargo, workspace or ide, on stdin and stdout. Any conductor can start it: it is
                    initialized by proxy/initialize (or, as in the older drafts, _proxy/initialize) and reaches its
                    successor by proxy/successor
  check             start COMMAND, exchange messages with it as its client and its successor, and print the result of
                    each rule with its source. Each finding shows the message and a remedy

Options:
  --settings JSON   (NAME) “settings” of this extension, as in the setting symposium.extensions
  --timeout SECONDS (check) how long the proxy has for one response; 30 unless given
  --record FOLDER   (check) write both directions of every conversation to FOLDER, as JSON lines without secrets
  --json            (check) print the report as JSON
${LOGGING}  --help, --version

The check is the command conform proxy. It uses no network.

Exit codes: 0 the client closed stdin, or no rule failed that proxies must follow; 1 one failed; 2 wrong usage;
128 and more: terminated by a signal.

Examples:
  symposium-acp-agent proxy cargo --settings '{"timeoutMinutes": 5}'
  symposium-acp-agent proxy check 'node my-proxy.js'
`;

const REGISTRY = `symposium-acp-agent registry: the available agents and the command that starts one, as JSON on stdout.

Usage: symposium-acp-agent registry list [--registry URL]
       symposium-acp-agent registry resolve ID [--install] [--registry URL]
       symposium-acp-agent registry install ID [--registry URL]
       symposium-acp-agent registry check FILE

  list              [{"id", "name", "version"?, "description"?}, …]: the built-in agents, then those of the registry
  resolve ID        {"name", "command", "args", "env": [{"name", "value"}]}: the first supported distribution: a
                    command, npx, uvx, pipx, cargo and an archive for this computer. Without --install, nothing is
                    installed, and a command that does not exist is an error
  install ID        {"id", "name", "version"?}: installs the agent or the extension into ~/.symposium, or its newest
                    version. stderr shows the progress
  check FILE        checks an extension.json (or agent.json) and prints each finding as text, with line and column:
                    FILE:5:3: error: …, or a warning. Nothing is downloaded

ID is an id of the list, or claude, kiro or eliza.

Options:
  --install         (resolve) install the agent if it is missing, and print the command of the installed version
  --registry URL    another registry; an https URL
  --help, --version

The registry is checked each time and downloaded only after a change. Without a network, the copy in
~/.symposium/cache is used, and stderr reports its age. The built-in agents need neither.

Exit codes: 0 stdout has the result, and check found no error; 1 check found an error or cannot read the file, or the
agent is unknown, is not installed, cannot be installed or does not support this computer, as stderr reports; 2 wrong
usage; 128 and more: terminated by a signal.

Example:
  symposium-acp-agent registry resolve gemini
`;

const DOCTOR = `symposium-acp-agent doctor: checks the requirements of agents, and the start of one agent.

Usage: symposium-acp-agent doctor [ID | --agent A] [OPTION]…

  ID                a built-in agent (claude, codex, gemini, kiro), or an agent or extension of the registry
  --agent A         a shell command or JSON, as for run-with
                    it is installed if it is missing, started, initialized, opens a session and is stopped; nothing is
                    prompted. Without an agent, nothing is installed

Prints a report without secrets and without your name: the PATH of your login shell, the tools on it, and for the
agent its command, its responses, its last output, and a diagnosis in one sentence.

Options:
  --registry URL    another registry; an https URL
${LOGGING}  --help, --version

Exit codes: 0 no problem; 1 a problem; 2 wrong usage.
`;

const MCP = `symposium-acp-agent mcp: an MCP server of the chain, on stdin and stdout.

Usage: symposium-acp-agent mcp [--attach]

Agents start it, with an environment from run-with: it forwards their MCP messages to the proxy that offers
the server. It has no other use.

  --attach          started by an entry of the agent's own configuration, which Symposium adds with your agreement: the
                    tools of all sessions of the agent's process. It finds them by SYMPOSIUM_ATTACH in the environment
                    of the agent. Without that it is an MCP server without tools
`;

const SETUP = `symposium-acp-agent setup: configure another editor to start symposium-acp-agent run.

Usage: symposium-acp-agent setup --EDITOR [--dry-run]

  --zed             edit the settings of Zed
  --jetbrains       edit ~/.jetbrains/acp.json, which all JetBrains IDEs read
  --neovim          print Lua for CodeCompanion
  --emacs           print Emacs Lisp for agent-shell
  --toad            print the command that starts Toad
  --dry-run         print the changes of a file, and write nothing
  --help, --version

An edited file keeps its comments, its other values, and the other keys of an entry “Symposium”. The previous text is
kept in FILE.before-symposium. A file that is not valid is not changed.

Exit codes: 0 done; 1 the file cannot be changed; 2 wrong usage.
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
  --prompt TEXT     (agent) a prompt to send, in place of a request for one sentence. Repeatable. Give the
                    agent work that needs a tool to check tool calls and permission requests, which are rejected
  --auth METHOD     (agent) sign in with this authentication method first
  --timeout SECONDS how long the program has for one response; 30 unless given
  --record FOLDER   write both directions of every conversation to FOLDER, as JSON lines without secrets
  --json            print the report as JSON
${LOGGING}  --help, --version

The report lists each rule with its result, the address of its source and one line of explanation: ok, FAIL (a rule
that programs must follow), warn (one that they should follow), n/a (the program does not advertise the capability), or
- (the conversations did not show it). For a proxy, each finding has a remedy.

The kit runs no command of an agent, grants no permission and writes no file for it. It uses no network.

Exit codes: 0 no rule failed that programs must follow; 1 one failed; 2 wrong usage.

Examples:
  symposium-acp-agent conform agent -- symposium-acp-agent eliza
  symposium-acp-agent conform proxy --record /tmp/record -- my-proxy      (also: proxy check my-proxy)
  symposium-acp-agent conform client -- my-client --agent '{agent}' --prompt Hello
`;

export function usage(of: Subcommand | undefined): string {
  switch (of) {
    case "run":
      return RUN;
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
    case "setup":
      return SETUP;
    case "mcp":
      return MCP;
    case undefined:
      return ALL;
  }
}
