/** Parser of the command line. Pure; `main.ts` runs the command. Options may precede or follow the subcommand. */
import { parseArgs } from "node:util";
import { LOG_LEVELS } from "../../src/protocol/wire/log";
import { redactText } from "../../src/protocol/redaction/redact";
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
import { checkRequest, conformRequest } from "./conform-arguments";
import { NAMES, OPTIONS, PUBLIC, UsageError, valueOf, Values } from "./options";
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

/** `args` excludes the interpreter and the script. `platform` determines the meaning of a backslash in a command. */
export async function readCommand(args: readonly string[], platform: string = process.platform): Promise<Command> {
  try {
    return await read(args, platform);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
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
  if (first === undefined) throw new UsageError("A command is missing.");
  if (name === undefined) throw new UsageError(`Unknown command “${first}”.`);
  if (name === "registry") return { kind: name, request: registryRequest(rest, values), url: registryUrl(values) };
  if (name === "doctor")
    return {
      kind: name,
      patient: await patientIn(rest, values, platform),
      ...registryOption(values),
      log: logOptions(values),
    };
  if (name === "proxy" && rest[0] === "check")
    return {
      kind: "conform",
      request: checkRequest(rest.slice(1), command, values, platform),
      log: logOptions(values),
    };
  if (name === "proxy") return { kind: name, proxy: proxyIn(rest, values), log: logOptions(values) };
  if (name === "conform")
    return { kind: name, request: conformRequest(rest, command, values), log: logOptions(values) };
  if (name === "conform-agent") return { kind: name, agent: conformAgent(rest) };
  if (rest.length > 0) throw new UsageError(`Unexpected argument “${rest.join(" ")}”.`, subcommand);
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

/** Separates the arguments after `--`, which the conformance kit forwards unchanged. */
function splitCommand(all: readonly string[]): {
  readonly args: readonly string[];
  readonly command: readonly string[];
} {
  const at = all.indexOf("--"),
    before = all.slice(0, at);
  return at !== -1 && (before.includes("conform") || (before.includes("proxy") && before.includes("check")))
    ? { args: before, command: all.slice(at + 1) }
    : { args: all, command: [] };
}

function registryRequest([what, ...rest]: readonly string[], values: Values): RegistryRequest {
  const [target, ...surplus] = rest,
    unexpected = what === "list" ? rest : surplus;
  if (what !== "list" && what !== "resolve" && what !== "install" && what !== "check")
    throw new UsageError(
      what === undefined
        ? "The action is missing: list, resolve or install with an id, or check with a file."
        : `“${what}” is not list, resolve, install or check.`,
      "registry",
    );
  if (unexpected.length > 0) throw new UsageError(`Unexpected argument “${unexpected.join(" ")}”.`, "registry");
  if (what !== "resolve" && values.has("install"))
    throw new UsageError("--install is only valid with registry resolve.", "registry");
  if (what === "check" && values.has("registry"))
    throw new UsageError("--registry is not valid with registry check, which uses no registry.", "registry");
  if (what === "list") return { kind: what };
  if (target === undefined || target.trim() === "")
    throw new UsageError(
      what === "check" ? "The file is missing: registry check extension.json." : "The id of an agent is missing.",
      "registry",
    );
  if (what === "check") return { kind: what, file: target };
  return what === "install" ? { kind: what, id: target } : { kind: what, id: target, install: values.has("install") };
}

async function patientIn([id, ...surplus]: readonly string[], values: Values, platform: string): Promise<DoctorTarget> {
  const agent = values.first("agent");
  if (surplus.length > 0 || (id !== undefined && agent !== undefined))
    throw new UsageError("Specify one agent: an id or --agent A.", "doctor");
  if (agent !== undefined) return { kind: "command", component: await agentIn(agent, platform, "doctor") };
  // Omits the argument, which can contain keys.
  if (id !== undefined && /[\s{]/.test(id)) throw new UsageError("A command or JSON requires --agent.", "doctor");
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
  if (given !== undefined && !url)
    throw new UsageError("--registry takes an https URL without a password.", "registry");
  return url?.href;
}

function setupRequest(values: Values): SetupRequest {
  const [editor, ...others] = EDITORS.filter(name => values.has(name));
  if (editor === undefined || others.length > 0)
    throw new UsageError(`Specify one editor: ${EDITORS.map(name => `--${name}`).join(", ")}.`, "setup");
  return { editor, isDryRun: values.has("dry-run") };
}

function conformAgent([folder = "", version, milliseconds]: readonly string[]): ConformAgent {
  return { folder, version: version === "2" ? 2 : 1, responseMs: Number(milliseconds) };
}

function logOptions(values: Values): LogOptions {
  const given = values.first("log") ?? "warn";
  const level = LOG_LEVELS.find(known => known === given);
  if (!level) throw new UsageError(`--log takes ${LOG_LEVELS.join(", ")}, and not “${given}”.`);
  return { level, folder: values.first("log-dir") };
}

function proxyIn([id, ...surplus]: readonly string[], values: Values): OwnProxy {
  const own = BUILT_IN_EXTENSIONS.find(config => config.id === id);
  if (surplus.length > 0) throw new UsageError(`Unexpected argument “${surplus.join(" ")}”.`, "proxy");
  const checkOption = ["timeout", "record", "json"].find(option => values.has(option));
  if (checkOption !== undefined)
    throw new UsageError(`--${checkOption} is only valid with conform and proxy check.`, "proxy");
  if (!own)
    throw new UsageError(
      id === undefined
        ? `The name of the proxy is missing: ${OWN_PROXIES}. To check a proxy: proxy check COMMAND.`
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
  throw new UsageError(
    "--settings takes a JSON object, as “settings” of the extension in symposium.extensions.",
    "proxy",
  );
}

async function chain(values: Values, platform: string): Promise<RunWith> {
  const agent = values.first("agent");
  if (agent === undefined && !values.has("proxy"))
    throw new UsageError("An agent, or a proxy, is missing: --agent A, --proxy P.", "run-with");
  const proxies: ProxySpec[] = [];
  for (const text of values.all("proxy"))
    proxies.push(...(await readable("proxy", "run-with", () => readProxies(text, platform))));
  if (proxies.some(({ command }) => command.kind === "eliza"))
    throw new UsageError("Eliza is an agent and cannot be a proxy.", "run-with");
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
    if (error instanceof UnreadableComponent) throw new UsageError(`--${option} ${error.message}`, subcommand);
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
