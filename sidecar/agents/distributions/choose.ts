/**
 * Selects the distribution of an agent for this computer: the first, in the documents' order, that is well-formed and
 * whose tool or archive is available. Callers turn it into a documented command (`documented-command.ts`) or an
 * installation. Pure.
 */
import * as l10n from "@vscode/l10n";
import type {
  BinaryDistribution,
  Distribution,
  Environment,
  HttpDistribution,
  PackageDistribution,
  Platform,
} from "../../../src/protocol/agents/distribution";
import { currentArguments, currentPackage } from "../../../src/protocol/agents/built-in-agents";
import { isCrate, npmSpec, pythonSpec, type NpmSpec, type PythonSpec } from "../../../src/protocol/agents/package-spec";
import { isSegment, relativeParts } from "./folder-name";

/** Package tools. `uv` and `pipx` can replace each other. */
export type Tool = "npm" | "uv" | "pipx" | "cargo";

/** `tool` is undefined if the package is already installed and no tool could install it again. */
export type Choice =
  | { readonly kind: "local"; readonly command: string; readonly args: readonly string[]; readonly env: Environment }
  | { readonly kind: "symposium"; readonly subcommand: string; readonly args: readonly string[] }
  /** The address is not validated here: see `wrongAddress`. */
  | { readonly kind: "http"; readonly of: HttpDistribution }
  /** `of` has the current names of the package and its arguments. */
  | { readonly kind: "npx"; readonly of: PackageDistribution; readonly spec: NpmSpec; readonly tool: Tool | undefined }
  | {
      readonly kind: "uvx" | "pipx";
      readonly of: PackageDistribution;
      readonly spec: PythonSpec;
      readonly tool: Tool | undefined;
    }
  | { readonly kind: "cargo"; readonly of: NonNullable<Distribution["cargo"]>; readonly tool: Tool | undefined }
  | { readonly kind: "binary"; readonly of: BinaryDistribution; readonly platform: Platform };
export type ChoiceKind = Choice["kind"];

export interface Missing {
  /** Any one of these tools is sufficient. */
  readonly tools: readonly Tool[];
  /** Other platforms for which archives exist. */
  readonly platforms: readonly Platform[];
  /** Errors of invalid distributions, as clauses. */
  readonly wrong: readonly string[];
}

export interface ChoiceDeps {
  /** Platforms whose programs run here, the best first: see `platformsFor`. */
  readonly platforms: readonly Platform[];
  has(tool: Tool): boolean;
  isInstalled?(kind: ChoiceKind): boolean;
}

export function choose(distribution: Distribution, deps: ChoiceDeps): Choice | { readonly missing: Missing } {
  const tools = new Set<Tool>(),
    wrong: string[] = [];
  const ready = withoutInstallation(distribution);
  if (ready) return ready;
  for (const candidate of packages(distribution)) {
    if ("wrong" in candidate) {
      wrong.push(candidate.wrong);
      continue;
    }
    const { choice, by } = candidate;
    const tool = by.find(item => deps.has(item));
    if (tool !== undefined || deps.isInstalled?.(choice.kind) === true) return { ...choice, tool };
    for (const each of by) tools.add(each);
  }
  const archives = archiveFor(distribution, deps.platforms);
  if ("choice" in archives) return archives.choice;
  return { missing: { tools: [...tools], platforms: archives.platforms, wrong: [...wrong, ...archives.wrong] } };
}

/** Distributions that need neither a tool nor an archive. */
function withoutInstallation({ local, executable, symposium, http }: Distribution): Choice | undefined {
  if (local) return { kind: "local", command: local.command, args: local.args ?? [], env: local.env ?? {} };
  if (executable) return { kind: "local", command: executable.path, args: [], env: {} };
  if (symposium) return { kind: "symposium", subcommand: symposium.subcommand, args: symposium.args ?? [] };
  if (http) return { kind: "http", of: http };
  return undefined;
}

type Installable = Exclude<Choice, { kind: "local" | "symposium" | "http" | "binary" }>;
type Candidate = { readonly choice: Installable; readonly by: readonly Tool[] } | { readonly wrong: string };

function packages({ npx, uvx, pipx, cargo }: Distribution): readonly Candidate[] {
  return [
    ...(npx ? [npmCandidate(npx)] : []),
    ...(uvx ? [pythonCandidate("uvx", uvx, ["uv", "pipx"])] : []),
    ...(pipx ? [pythonCandidate("pipx", pipx, ["pipx", "uv"])] : []),
    ...(cargo ? [cargoCandidate(cargo)] : []),
  ];
}

function npmCandidate(given: PackageDistribution): Candidate {
  const { package: name, args } = given,
    of = {
      ...given,
      package: currentPackage(name),
      ...(args === undefined ? {} : { args: currentArguments(name, args) }),
    },
    spec = npmSpec(of.package);
  if (!spec) return { wrong: l10n.t("“npx” does not name a package") };
  return isCommand(of.cmd)
    ? { choice: { kind: "npx", of, spec, tool: undefined }, by: ["npm"] }
    : { wrong: l10n.t("the “cmd” of “npx” is not a valid command name") };
}

function pythonCandidate(kind: "uvx" | "pipx", of: PackageDistribution, by: readonly Tool[]): Candidate {
  const spec = pythonSpec(of.package);
  if (!spec) return { wrong: l10n.t`“${kind}” does not name a package` };
  return isCommand(of.cmd)
    ? { choice: { kind, of, spec, tool: undefined }, by }
    : { wrong: l10n.t`the “cmd” of “${kind}” is not a valid command name` };
}

function cargoCandidate(of: NonNullable<Distribution["cargo"]>): Candidate {
  const { crate, version, binary } = of;
  if (!isCrate(crate)) return { wrong: l10n.t("“cargo” does not name a crate") };
  if (version !== undefined && !(/^\d/.test(version) && isSegment(version)))
    return { wrong: l10n.t("the “version” of “cargo” is not a valid version") };
  return isCommand(binary)
    ? { choice: { kind: "cargo", of, tool: undefined }, by: ["cargo"] }
    : { wrong: l10n.t("the “binary” of “cargo” is not a valid program name") };
}

function archiveFor(
  { binary = {} }: Distribution,
  platforms: readonly Platform[],
): { readonly choice: Choice } | Pick<Missing, "platforms" | "wrong"> {
  const wrong: string[] = [];
  for (const platform of platforms) {
    const of = binary[platform];
    if (!of) continue;
    if (relativeParts(of.cmd)) return { choice: { kind: "binary", of, platform } };
    wrong.push(l10n.t`the “cmd” of “${platform}” points outside of its archive`);
  }
  const others = Object.keys(binary).filter((key): key is Platform => !platforms.some(platform => platform === key));
  return { platforms: wrong.length > 0 ? [] : others, wrong };
}

function isCommand(name: string | undefined): boolean {
  return name === undefined || /^\w[\w.+-]{0,99}$/.test(name);
}

const TOOL_NAMES: Readonly<Record<Tool, string>> = {
  npm: l10n.t("Node.js with npm"),
  uv: "uv",
  pipx: "pipx",
  cargo: l10n.t("Rust with cargo"),
};

/** Returns the reason as a sentence for the user. */
export function missingSentence(name: string, { tools, platforms, wrong }: Missing): string {
  const [first] = wrong;
  if (tools.length > 0)
    return l10n.t`${name} needs ${anyOf(tools.map(tool => TOOL_NAMES[tool]))}, which was not found.`;
  if (platforms.length > 0)
    return l10n.t`${name} does not support this computer: it has archives for ${platforms.join(", ")} only.`;
  return first === undefined
    ? l10n.t`${name} has no supported distribution.`
    : l10n.t`${name} cannot be started: ${first}.`;
}

function anyOf(names: readonly string[]): string {
  return names.length < 2 ? names.join("") : l10n.t`${names.slice(0, -1).join(", ")} or ${names.at(-1) ?? ""}`;
}
