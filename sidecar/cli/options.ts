/** Names of the commands, their options, and the validated values of the options. Pure. */
import { EDITORS } from "./setup/editors";
import type { Subcommand } from "./usage";

/** Commands, with the internal ones. */
export type Name = Subcommand | "serve" | "reap" | "bunzip2" | "session-file" | "conform-agent";
export const PUBLIC: readonly Subcommand[] = [
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
export const NAMES: readonly Name[] = [...PUBLIC, "serve", "reap", "bunzip2", "session-file", "conform-agent"];

interface Option {
  readonly type: "boolean" | "string";
  readonly short?: string;
  readonly multiple?: true;
  readonly subcommands: readonly Subcommand[];
}
export const OPTIONS: Readonly<Record<string, Option>> = {
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
  timeout: { type: "string", subcommands: ["conform", "proxy"] },
  record: { type: "string", subcommands: ["conform", "proxy"] },
  json: { type: "boolean", subcommands: ["conform", "proxy"] },
  ...Object.fromEntries(EDITORS.map(editor => [editor, { type: "boolean", subcommands: ["setup"] } as const])),
  "dry-run": { type: "boolean", subcommands: ["setup"] },
  attach: { type: "boolean", subcommands: ["mcp"] },
  log: { type: "string", subcommands: ["run", "run-with", "vscodelm", "eliza", "proxy", "doctor", "conform"] },
  "log-dir": { type: "string", subcommands: ["run", "run-with", "vscodelm", "eliza", "proxy", "doctor", "conform"] },
  "trace-dir": { type: "string", subcommands: ["run", "run-with", "vscodelm"] },
};

/** `message`: a sentence for the user. */
export class UsageError extends Error {
  constructor(
    message: string,
    readonly subcommand?: Subcommand,
  ) {
    super(message);
  }
}

/** An option as given. */
export interface Given {
  readonly name: string;
  readonly rawName: string;
  readonly value: string | undefined;
  readonly inlineValue: boolean | undefined;
}

/** Throws if the option is unknown, not valid for the command, or lacks its value. */
export function valueOf(
  { name, rawName, value, inlineValue }: Given,
  command: Name | undefined,
  subcommand: Subcommand | undefined,
): readonly [name: string, value: string] {
  const option = Object.hasOwn(OPTIONS, name) ? OPTIONS[name] : undefined;
  if (!option) throw new UsageError(`Unknown option ${rawName}.`, subcommand);
  if (command !== undefined && !option.subcommands.some(each => each === command))
    throw new UsageError(
      `--${name} is only valid with ${option.subcommands.join(", ").replace(/, ([^,]*)$/, " and $1")}.`,
      subcommand,
    );
  if (option.type === "boolean") {
    if (value !== undefined) throw new UsageError(`--${name} takes no value.`, subcommand);
    return [name, ""];
  }
  // A value that looks like an option means that the value was omitted: `--agent --log debug`.
  if (value === undefined || value.trim() === "" || (!inlineValue && value.startsWith("-")))
    throw new UsageError(`--${name} needs a value.`, subcommand);
  return [name, value];
}

export class Values {
  readonly #given: readonly (readonly [name: string, value: string])[];

  constructor(given: readonly (readonly [name: string, value: string])[], subcommand: Subcommand | undefined) {
    this.#given = given;
    const twice = given.find(
      ([name], i) => OPTIONS[name]?.multiple !== true && given.findIndex(([key]) => key === name) !== i,
    );
    if (twice) throw new UsageError(`--${twice[0]} is given twice.`, subcommand);
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
