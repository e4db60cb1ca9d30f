/** Parser of the command line. Pure; `main.ts` runs the command. Options may precede or follow the subcommand. */
import { parseArgs } from "node:util";
import { LOG_LEVELS } from "../../src/protocol/wire/log";
import { redactText } from "../../src/protocol/redaction/redact";
import { AGENT_PLACEHOLDER } from "../conform/agent-placeholder";
import type { ProgramKind } from "../conform/rule";
import { secureUrl } from "../http/secure-url";
import { isObject, type JsonObject } from "../rpc/json";
import { BUILT_IN_EXTENSIONS } from "../../src/protocol/agents/extensions";
import { readAgent, readProxies } from "./component-argument";
import { OWN_PROXIES, UnreadableComponent, type ComponentSpec, type OwnProxy, type ProxySpec } from "./component-spec";
import type { RegistryRequest } from "./registry";
import type { VscodeLmOptions } from "./vscodelm";
import type { ConformAgent } from "./conform-agent";
import type { ConformRequest } from "./conform";
import type { DoctorTarget } from "./doctor";
import type { SetupRequest } from "./setup";
import { EDITORS } from "./setup/editors";
import type { Subcommand } from "./usage";
import type { LogOptions } from "./runtime/log";

export interface RunWith {
  /** The first proxy is next to the client. */
  readonly proxies: readonly ProxySpec[];
  /** Undefined if the chain is a proxy itself. */
  readonly agent: ComponentSpec | undefined;
  readonly traceFolder: string | undefined;
  /** Address of another registry. */
  readonly registry?: string;
}

export type Command =
  /** Sidecar of the extension host: vscode-jsonrpc on stdio. Internal. */
  | { readonly kind: "serve" }
  /** Ends the processes of a dead sidecar: `ChildProcessRecord[]` as JSON on stdin. Internal. */
  | { readonly kind: "reap" }
  /** Decompresses stdin to stdout. Runs in a worker thread. Internal. */
  | { readonly kind: "bunzip2" }
  /** Exports or imports a session; see `session-files.ts`. Runs in a worker thread. Internal. */
  | { readonly kind: "session-file" }
  | { readonly kind: "run"; readonly traceFolder: string | undefined; readonly log: LogOptions }
  | { readonly kind: "run-with"; readonly chain: RunWith; readonly log: LogOptions }
  | { readonly kind: "vscodelm"; readonly options: VscodeLmOptions; readonly log: LogOptions }
  | { readonly kind: "eliza"; readonly deterministic: boolean; readonly log: LogOptions }
  | { readonly kind: "proxy"; readonly proxy: OwnProxy; readonly log: LogOptions }
  | { readonly kind: "registry"; readonly request: RegistryRequest; readonly url: string | undefined }
  | { readonly kind: "doctor"; readonly patient: DoctorTarget; readonly registry?: string; readonly log: LogOptions }
  | { readonly kind: "conform"; readonly request: ConformRequest; readonly log: LogOptions }
  /** Agent that a client under test starts. Internal. */
  | { readonly kind: "conform-agent"; readonly agent: ConformAgent }
  | { readonly kind: "setup"; readonly request: SetupRequest }
  /** `attach`: started by an entry of an agent's own configuration. */
  | { readonly kind: "mcp"; readonly attach: boolean }
  | { readonly kind: "help"; readonly of: Subcommand | undefined }
  | { readonly kind: "version" }
  /** Usage error: exit code 2, `message` on stderr. */
  | { readonly kind: "wrong"; readonly message: string };

type Name = Subcommand | "serve" | "reap" | "bunzip2" | "session-file" | "conform-agent";
const PUBLIC: readonly Subcommand[] = [
  "run",
  "run-with",
  "vscodelm",
  "eliza",
  "proxy",
  "registry",
  "doctor",
  "conform",
  "setup",
  "mcp",
];
const NAMES: readonly Name[] = [...PUBLIC, "serve", "reap", "bunzip2", "session-file", "conform-agent"];

interface Option {
  readonly type: "boolean" | "string";
  readonly short?: string;
  readonly multiple?: true;
  readonly subcommands: readonly Subcommand[];
}
const OPTIONS: Readonly<Record<string, Option>> = {
  help: { type: "boolean", short: "h", subcommands: PUBLIC },
  version: { type: "boolean", subcommands: PUBLIC },
  proxy: { type: "string", multiple: true, subcommands: ["run-with"] },
  agent: { type: "string", subcommands: ["run-with", "doctor"] },
  deterministic: { type: "boolean", subcommands: ["eliza"] },
  "bridge-duplicates": { type: "boolean", subcommands: ["vscodelm"] },
  settings: { type: "string", subcommands: ["proxy"] },
  install: { type: "boolean", subcommands: ["registry"] },
  registry: { type: "string", subcommands: ["registry", "run-with", "doctor"] },
  prompt: { type: "string", multiple: true, subcommands: ["conform"] },
  auth: { type: "string", subcommands: ["conform"] },
  timeout: { type: "string", subcommands: ["conform"] },
  record: { type: "string", subcommands: ["conform"] },
  json: { type: "boolean", subcommands: ["conform"] },
  ...Object.fromEntries(EDITORS.map(editor => [editor, { type: "boolean", subcommands: ["setup"] } as const])),
  "dry-run": { type: "boolean", subcommands: ["setup"] },
  attach: { type: "boolean", subcommands: ["mcp"] },
  log: { type: "string", subcommands: ["run", "run-with", "vscodelm", "eliza", "proxy", "doctor", "conform"] },
  "log-dir": { type: "string", subcommands: ["run", "run-with", "vscodelm", "eliza", "proxy", "doctor", "conform"] },
  "trace-dir": { type: "string", subcommands: ["run", "run-with", "vscodelm"] },
};

class Wrong extends Error {
  constructor(
    message: string,
    readonly subcommand?: Subcommand,
  ) {
    super(message);
  }
}

/** `args` excludes the interpreter and the script. `platform` determines the meaning of a backslash in a command. */
export async function readCommand(args: readonly string[], platform: string = process.platform): Promise<Command> {
  try {
    return await read(args, platform);
  } catch (error) {
    if (!(error instanceof Wrong)) throw error;
    return {
      kind: "wrong",
      message: `${redactText(error.message)} See symposium-acp-agent ${error.subcommand === undefined ? "" : `${error.subcommand} `}--help.`,
    };
  }
}

async function read(all: readonly string[], platform: string): Promise<Command> {
  const { args, command } = splitCommand(all);
  // Not strict, because this module writes its own error messages.
  const { tokens } = parseArgs({
    args: [...args],
    options: OPTIONS,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const positionals = tokens.flatMap(token => (token.kind === "positional" ? [token.value] : []));
  const options = tokens.flatMap(token => (token.kind === "option" ? [token] : []));
  const [first, ...rest] = positionals;
  const name = NAMES.find(known => known === first),
    subcommand = PUBLIC.find(known => known === first);
  // An unknown command is an error, also with these options.
  if (first === undefined || name !== undefined) {
    if (options.some(option => option.name === "help")) return { kind: "help", of: subcommand };
    if (options.some(option => option.name === "version")) return { kind: "version" };
  }

  const values = new Values(
    options.map(given => valueOf(given, name, subcommand)),
    subcommand,
  );
  if (first === undefined) throw new Wrong("A command is missing.");
  if (name === undefined) throw new Wrong(`Unknown command “${first}”.`);
  if (name === "registry") return { kind: name, request: registryRequest(rest, values), url: registryUrl(values) };
  if (name === "doctor")
    return {
      kind: name,
      patient: await patientIn(rest, values, platform),
      ...registryOption(values),
      log: logOptions(values),
    };
  if (name === "proxy") return { kind: name, proxy: proxyIn(rest, values), log: logOptions(values) };
  if (name === "conform")
    return { kind: name, request: conformRequest(rest, command, values), log: logOptions(values) };
  if (name === "conform-agent") return { kind: name, agent: conformAgent(rest) };
  if (rest.length > 0) throw new Wrong(`Unexpected argument “${rest.join(" ")}”.`, subcommand);
  switch (name) {
    case "serve":
    case "reap":
    case "bunzip2":
    case "session-file":
      return { kind: name };
    case "mcp":
      return { kind: name, attach: values.has("attach") };
    case "setup":
      return { kind: name, request: setupRequest(values) };
    case "eliza":
      return { kind: name, deterministic: values.has("deterministic"), log: logOptions(values) };
    case "run":
      return { kind: name, traceFolder: values.first("trace-dir"), log: logOptions(values) };
    case "vscodelm":
      return {
        kind: name,
        options: { traceFolder: values.first("trace-dir"), bridgeDuplicates: values.has("bridge-duplicates") },
        log: logOptions(values),
      };
    case "run-with":
      return { kind: name, chain: await chain(values, platform), log: logOptions(values) };
  }
}

/** Separates the arguments after `--`, which `conform` forwards unchanged. */
function splitCommand(all: readonly string[]): {
  readonly args: readonly string[];
  readonly command: readonly string[];
} {
  const at = all.indexOf("--");
  return at !== -1 && all.slice(0, at).includes("conform")
    ? { args: all.slice(0, at), command: all.slice(at + 1) }
    : { args: all, command: [] };
}

interface Given {
  readonly name: string;
  readonly rawName: string;
  readonly value: string | undefined;
  readonly inlineValue: boolean | undefined;
}

/** Throws if the option is unknown, not valid for the command, or lacks its value. */
function valueOf(
  { name, rawName, value, inlineValue }: Given,
  command: Name | undefined,
  subcommand: Subcommand | undefined,
): readonly [name: string, value: string] {
  const option = Object.hasOwn(OPTIONS, name) ? OPTIONS[name] : undefined;
  if (!option) throw new Wrong(`Unknown option ${rawName}.`, subcommand);
  if (command !== undefined && !option.subcommands.some(each => each === command))
    throw new Wrong(
      `--${name} is only valid with ${option.subcommands.join(", ").replace(/, ([^,]*)$/, " and $1")}.`,
      subcommand,
    );
  if (option.type === "boolean") {
    if (value !== undefined) throw new Wrong(`--${name} takes no value.`, subcommand);
    return [name, ""];
  }
  // A value that looks like an option means that the value was omitted: `--agent --log debug`.
  if (value === undefined || value.trim() === "" || (!inlineValue && value.startsWith("-")))
    throw new Wrong(`--${name} needs a value.`, subcommand);
  return [name, value];
}

class Values {
  readonly #given: readonly (readonly [name: string, value: string])[];

  constructor(given: readonly (readonly [name: string, value: string])[], subcommand: Subcommand | undefined) {
    this.#given = given;
    const twice = given.find(
      ([name], i) => OPTIONS[name]?.multiple !== true && given.findIndex(([key]) => key === name) !== i,
    );
    if (twice) throw new Wrong(`--${twice[0]} is given twice.`, subcommand);
  }

  has(name: string): boolean {
    return this.#given.some(([key]) => key === name);
  }
  all(name: string): readonly string[] {
    return this.#given.filter(([key]) => key === name).map(([, value]) => value);
  }
  first(name: string): string | undefined {
    return this.all(name)[0];
  }
}

function registryRequest([what, ...rest]: readonly string[], values: Values): RegistryRequest {
  const [id, ...surplus] = rest,
    unexpected = what === "list" ? rest : surplus;
  if (what !== "list" && what !== "resolve" && what !== "install")
    throw new Wrong(
      what === undefined
        ? "The action is missing: list, or resolve or install with an id."
        : `“${what}” is not list, resolve or install.`,
      "registry",
    );
  if (unexpected.length > 0) throw new Wrong(`Unexpected argument “${unexpected.join(" ")}”.`, "registry");
  if (what !== "resolve" && values.has("install"))
    throw new Wrong("--install is only valid with registry resolve.", "registry");
  if (what === "list") return { kind: what };
  if (id === undefined || id.trim() === "") throw new Wrong("The id of an agent is missing.", "registry");
  return what === "install" ? { kind: what, id } : { kind: what, id, install: values.has("install") };
}

async function patientIn([id, ...surplus]: readonly string[], values: Values, platform: string): Promise<DoctorTarget> {
  const agent = values.first("agent");
  if (surplus.length > 0 || (id !== undefined && agent !== undefined))
    throw new Wrong("Specify one agent: an id or --agent A.", "doctor");
  if (agent !== undefined) return { kind: "command", component: await agentIn(agent, platform, "doctor") };
  // Omits the argument, which can contain keys.
  if (id !== undefined && /[\s{]/.test(id)) throw new Wrong("A command or JSON requires --agent.", "doctor");
  return id === undefined ? undefined : { kind: "id", id };
}

function registryOption(values: Values): { readonly registry?: string } {
  const url = registryUrl(values);
  return url === undefined ? {} : { registry: url };
}

/** The error message omits the given URL, which can contain a password. */
function registryUrl(values: Values): string | undefined {
  const given = values.first("registry"),
    url = given === undefined ? undefined : secureUrl(given, { loopback: true });
  if (given !== undefined && !url) throw new Wrong("--registry takes an https URL without a password.", "registry");
  return url?.href;
}

function setupRequest(values: Values): SetupRequest {
  const [editor, ...others] = EDITORS.filter(name => values.has(name));
  if (editor === undefined || others.length > 0)
    throw new Wrong(`Specify one editor: ${EDITORS.map(name => `--${name}`).join(", ")}.`, "setup");
  return { editor, isDryRun: values.has("dry-run") };
}

const PROGRAMS: readonly ProgramKind[] = ["agent", "proxy", "client"];
const DEFAULT_TIMEOUT_S = 30,
  MAX_TIMEOUT_S = 3600;

function conformRequest(
  [kind, ...surplus]: readonly string[],
  [command, ...args]: readonly string[],
  values: Values,
): ConformRequest {
  const program = PROGRAMS.find(known => known === kind);
  if (!program)
    throw new Wrong(
      kind === undefined
        ? "The type of program is missing: agent, proxy or client."
        : `“${kind}” is not agent, proxy or client.`,
      "conform",
    );
  if (surplus.length > 0)
    throw new Wrong(`Unexpected argument “${surplus.join(" ")}”. The command follows --.`, "conform");
  if (command === undefined || command === "") throw new Wrong("The command is missing. It follows --.", "conform");
  if (program === "client" && !args.some(arg => arg.includes(AGENT_PLACEHOLDER))) {
    throw new Wrong(
      `An argument of the client must contain ${AGENT_PLACEHOLDER}, which is replaced by the agent's command line.`,
      "conform",
    );
  }
  if (program !== "agent" && (values.has("prompt") || values.has("auth")))
    throw new Wrong("Only conform agent sends prompts and signs in.", "conform");
  const seconds = Number(values.first("timeout") ?? DEFAULT_TIMEOUT_S);
  if (!(seconds > 0 && seconds <= MAX_TIMEOUT_S))
    throw new Wrong(`--timeout takes a number of seconds up to ${MAX_TIMEOUT_S}.`, "conform");
  return {
    program,
    command,
    args,
    prompts: values.all("prompt"),
    auth: values.first("auth"),
    timeoutMs: seconds * 1000,
    recordFolder: values.first("record"),
    json: values.has("json"),
  };
}

function conformAgent([folder = "", version, milliseconds]: readonly string[]): ConformAgent {
  return { folder, version: version === "2" ? 2 : 1, responseMs: Number(milliseconds) };
}

function logOptions(values: Values): LogOptions {
  const given = values.first("log") ?? "warn";
  const level = LOG_LEVELS.find(known => known === given);
  if (!level) throw new Wrong(`--log takes ${LOG_LEVELS.join(", ")}, and not “${given}”.`);
  return { level, folder: values.first("log-dir") };
}

function proxyIn([id, ...surplus]: readonly string[], values: Values): OwnProxy {
  const own = BUILT_IN_EXTENSIONS.find(config => config.id === id);
  if (surplus.length > 0) throw new Wrong(`Unexpected argument “${surplus.join(" ")}”.`, "proxy");
  if (!own)
    throw new Wrong(
      id === undefined
        ? `The name of the proxy is missing: ${OWN_PROXIES}.`
        : `Unknown proxy “${id}”. Proxies: ${OWN_PROXIES}.`,
      "proxy",
    );
  return { name: own.name, command: { kind: "own", id: own.id, settings: settingsIn(values.first("settings")) } };
}

function settingsIn(given: string | undefined): JsonObject {
  try {
    const value: unknown = JSON.parse(given ?? "{}");
    if (isObject(value)) return value;
  } catch {
    /* The parser's message quotes the input. */
  }
  throw new Wrong("--settings takes a JSON object, as “settings” of the extension in symposium.extensions.", "proxy");
}

async function chain(values: Values, platform: string): Promise<RunWith> {
  const agent = values.first("agent");
  if (agent === undefined && !values.has("proxy"))
    throw new Wrong("An agent, or a proxy, is missing: --agent A, --proxy P.", "run-with");
  const proxies: ProxySpec[] = [];
  for (const text of values.all("proxy"))
    proxies.push(...(await readable("proxy", "run-with", () => readProxies(text, platform))));
  if (proxies.some(({ command }) => command.kind === "eliza"))
    throw new Wrong("Eliza is an agent and cannot be a proxy.", "run-with");
  const last = agent === undefined ? undefined : await agentIn(agent, platform, "run-with");
  return { ...namedChain(proxies, last, values.first("trace-dir")), ...registryOption(values) };
}

/** A chain whose components have unique names. */
export function namedChain(
  proxies: readonly ProxySpec[],
  agent: ComponentSpec | undefined,
  traceFolder: string | undefined,
): RunWith {
  const names = distinct([...proxies, ...(agent ? [agent] : [])].map(({ name }) => name));
  const named = <S extends ProxySpec>(spec: S, i: number): S => ({ ...spec, name: names[i] ?? spec.name });
  return { proxies: proxies.map(named), agent: agent && named(agent, proxies.length), traceFolder };
}

function agentIn(text: string, platform: string, subcommand: Subcommand): Promise<ComponentSpec> {
  return readable("agent", subcommand, () => readAgent(text, platform));
}

async function readable<T>(option: "proxy" | "agent", subcommand: Subcommand, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof UnreadableComponent) throw new Wrong(`--${option} ${error.message}`, subcommand);
    throw error;
  }
}

/** Makes names unique, so that messages and traces distinguish the components: `node`, `node 2`. */
function distinct(names: readonly string[]): readonly string[] {
  const taken = new Set<string>();
  return names.map(first => {
    let name = first;
    for (let n = 2; taken.has(name); n++) name = `${first} ${n}`;
    taken.add(name);
    return name;
  });
}
