/** What a command line asks for. Pure; `main.ts` does it. Options may stand before or after the subcommand. */
import { parseArgs } from "node:util";
import { LOG_LEVELS, type LogLevel } from "../../src/protocol/log";
import { readComponent, UnreadableComponent, type ComponentSpec } from "./component";
import type { Subcommand } from "./usage";

export interface LogOptions {
  readonly level: LogLevel;
  /** Where a log file is wanted. */
  readonly folder: string | undefined;
}

export interface RunWith {
  /** The first one is next to the client. */
  readonly proxies: readonly ComponentSpec[];
  /** Undefined: the chain is a proxy itself. */
  readonly agent: ComponentSpec | undefined;
  readonly traceFolder: string | undefined;
}

export type Command =
  /** The extension host's sidecar: vscode-jsonrpc on stdio. Internal. */
  | { readonly kind: "serve" }
  /** Ends what a dead sidecar left: `ChildProcessRecord[]` as JSON on stdin. Internal. */
  | { readonly kind: "reap" }
  | { readonly kind: "run-with"; readonly chain: RunWith; readonly log: LogOptions }
  | { readonly kind: "vscodelm"; readonly traceFolder: string | undefined; readonly log: LogOptions }
  | { readonly kind: "eliza"; readonly deterministic: boolean; readonly log: LogOptions }
  | { readonly kind: "mcp" }
  | { readonly kind: "help"; readonly of: Subcommand | undefined }
  | { readonly kind: "version" }
  /** Exit code 2, the sentence on stderr. */
  | { readonly kind: "wrong"; readonly message: string };

type Name = Subcommand | "serve" | "reap";
const PUBLIC: readonly Subcommand[] = ["run-with", "vscodelm", "eliza", "mcp"];
const NAMES: readonly Name[] = [...PUBLIC, "serve", "reap"];

interface Option { readonly type: "boolean" | "string"; readonly short?: string; readonly multiple?: true; readonly of: readonly Subcommand[] }
const OPTIONS: Readonly<Record<string, Option>> = {
  "help": { type: "boolean", short: "h", of: PUBLIC },
  "version": { type: "boolean", of: PUBLIC },
  "proxy": { type: "string", multiple: true, of: ["run-with"] },
  "agent": { type: "string", of: ["run-with"] },
  "deterministic": { type: "boolean", of: ["eliza"] },
  "log": { type: "string", of: ["run-with", "vscodelm", "eliza"] },
  "log-dir": { type: "string", of: ["run-with", "vscodelm", "eliza"] },
  "trace-dir": { type: "string", of: ["run-with", "vscodelm"] },
};

class Wrong extends Error {
  constructor(message: string, readonly of?: Subcommand) { super(message); }
}

/** `args` without the program's own two. `platform` decides what a backslash means in a command. */
export function readCommand(args: readonly string[], platform: string = process.platform): Command {
  try { return read(args, platform); }
  catch (error) {
    if (!(error instanceof Wrong)) throw error;
    return { kind: "wrong", message: `${error.message} See symposium-acp-agent ${error.of === undefined ? "" : `${error.of} `}--help.` };
  }
}

function read(args: readonly string[], platform: string): Command {
  // Not strict: what is wrong is said in our own words.
  const { tokens } = parseArgs({ args: [...args], options: OPTIONS, strict: false, allowPositionals: true, tokens: true });
  const positionals = tokens.flatMap(token => token.kind === "positional" ? [token.value] : []);
  const options = tokens.flatMap(token => token.kind === "option" ? [token] : []);
  const [first, ...rest] = positionals;
  const name = NAMES.find(known => known === first), of = PUBLIC.find(known => known === first);
  if (options.some(option => option.name === "help")) return { kind: "help", of };
  if (options.some(option => option.name === "version")) return { kind: "version" };

  const values = new Values(options.map(given => valueOf(given, name, of)), of);
  if (first === undefined) throw new Wrong("A command is missing.");
  if (name === undefined) throw new Wrong(`There is no command “${first}”.`);
  if (rest.length > 0) throw new Wrong(`“${rest.join(" ")}” is too much.`, of);
  switch (name) {
    case "serve": case "reap": case "mcp": return { kind: name };
    case "eliza": return { kind: name, deterministic: values.has("deterministic"), log: logOptions(values) };
    case "vscodelm": return { kind: name, traceFolder: values.one("trace-dir"), log: logOptions(values) };
    case "run-with": return { kind: name, chain: chain(values, platform), log: logOptions(values) };
  }
}

interface Given { readonly name: string; readonly rawName: string; readonly value: string | undefined; readonly inlineValue: boolean | undefined }

/** Throws when the option is unknown, does not go with the command, or lacks its value. */
function valueOf({ name, rawName, value, inlineValue }: Given, command: Name | undefined, of: Subcommand | undefined): readonly [name: string, value: string] {
  const option = Object.hasOwn(OPTIONS, name) ? OPTIONS[name] : undefined;
  if (!option) throw new Wrong(`There is no option ${rawName}.`, of);
  if (command !== undefined && !option.of.some(other => other === command)) throw new Wrong(`--${name} goes with ${option.of.join(", ").replace(/, ([^,]*)$/, " and $1")}.`, of);
  if (option.type === "boolean") {
    if (value !== undefined) throw new Wrong(`--${name} takes no value.`, of);
    return [name, ""];
  }
  // What looks like an option is one that was forgotten: `--agent --log debug`.
  if (value === undefined || value.trim() === "" || (!inlineValue && value.startsWith("-"))) throw new Wrong(`--${name} needs a value.`, of);
  return [name, value];
}

class Values {
  readonly #given: readonly (readonly [name: string, value: string])[];

  constructor(given: readonly (readonly [name: string, value: string])[], of: Subcommand | undefined) {
    this.#given = given;
    const twice = given.find(([name], i) => OPTIONS[name]?.multiple !== true && given.findIndex(([other]) => other === name) !== i);
    if (twice) throw new Wrong(`--${twice[0]} is there twice.`, of);
  }

  has(name: string): boolean { return this.#given.some(([other]) => other === name); }
  all(name: string): readonly string[] { return this.#given.filter(([other]) => other === name).map(([, value]) => value); }
  one(name: string): string | undefined { return this.all(name)[0]; }
}

function logOptions(values: Values): LogOptions {
  const given = values.one("log") ?? "warn";
  const level = LOG_LEVELS.find(known => known === given);
  if (!level) throw new Wrong(`--log takes ${LOG_LEVELS.join(", ")}, and not “${given}”.`);
  return { level, folder: values.one("log-dir") };
}

function chain(values: Values, platform: string): RunWith {
  const agent = values.one("agent");
  if (agent === undefined && !values.has("proxy")) throw new Wrong("An agent, or a proxy, is missing: --agent A, --proxy P.", "run-with");
  const proxies = values.all("proxy").map(text => component("proxy", text, platform));
  if (proxies.some(({ command }) => command.kind === "eliza")) throw new Wrong("Eliza is an agent and cannot be a proxy.", "run-with");
  const all = distinct(agent === undefined ? proxies : [...proxies, component("agent", agent, platform)]);
  return { proxies: all.slice(0, proxies.length), agent: all[proxies.length], traceFolder: values.one("trace-dir") };
}

function component(option: "proxy" | "agent", text: string, platform: string): ComponentSpec {
  try { return readComponent(text, platform); }
  catch (error) {
    if (error instanceof UnreadableComponent) throw new Wrong(`--${option} ${error.message}`, "run-with");
    throw error;
  }
}

/** Two that are called the same could not be told apart in a sentence or a trace: `node`, `node 2`. */
function distinct(components: readonly ComponentSpec[]): readonly ComponentSpec[] {
  const taken = new Set<string>();
  return components.map(spec => {
    let name = spec.name;
    for (let n = 2; taken.has(name); n++) name = `${spec.name} ${n}`;
    taken.add(name);
    return { ...spec, name };
  });
}
