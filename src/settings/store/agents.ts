/**
 * Reads and changes the agents in the settings. Supported forms are the list, the older object form `{name: {command,
 * args, env?, bypassPermissions?}}`, and the older list `symposium.bypassPermissions`. Pure. Users edit the settings by
 * hand: an unreadable entry is skipped with one message, without affecting others.
 */
import * as l10n from "@vscode/l10n";
import { ELIZA, type AgentConfig, type Distribution } from "../../protocol/agents/agents";
import { readDistribution } from "../../protocol/agents/distribution";
import { BUILT_IN_AGENTS, currentPackage } from "../../protocol/agents/built-in-agents";
import { arrayOr, isFilled, isObject, objectOr, type Fields } from "../../protocol/wire/json";
import { CONFIGURATION_FORMATS, type OwnConfiguration } from "../../protocol/agents/own-configuration";

export interface AgentSettings {
  /** Built-in agents first, then the user's, each in their own order. */
  readonly agents: readonly AgentConfig[];
  /** Ids of the agents that the user selected or configured. The others are only offered. */
  readonly configured: readonly string[];
  /** Ids of agents with an entry in the user's settings, including overridden built-in ones. */
  readonly own: readonly string[];
  /** Always the id of one of `agents`. */
  readonly currentAgentId: string;
  /** Agents whose requests are allowed without asking. */
  readonly bypass: readonly string[];
  /** Messages for the user. */
  readonly problems: readonly string[];
}

/** The raw values of `symposium.agents`, `.currentAgentId` and `.bypassPermissions`. */
export interface RawAgentSettings {
  readonly agents: unknown;
  readonly currentAgentId: unknown;
  readonly bypassPermissions: unknown;
}

/** Excludes agents that need a program Symposium does not install; they are offered if configured or found. */
const BUILT_IN: readonly AgentConfig[] = BUILT_IN_AGENTS.filter(({ needs }) => needs === undefined);

export function readAgents(raw: RawAgentSettings): AgentSettings {
  const problems: string[] = [];
  const own = new Map<string, AgentConfig>();
  for (const entry of entriesOf(raw.agents, problems)) {
    const agent = readEntry(entry, problems);
    if (!agent) continue;
    if (own.has(agent.id))
      problems.push(l10n.t`symposium.agents contains “${agent.id}” twice. The first entry is used.`);
    else own.set(agent.id, agent);
  }
  const builtIn = BUILT_IN.map(agent => own.get(agent.id) ?? agent);
  const agents = [...builtIn, ...[...own.values()].filter(({ id }) => !BUILT_IN.some(agent => agent.id === id))];
  const currentAgentId = current(raw.currentAgentId, agents, problems);
  const configured = agents
    .filter(({ id }) => id === ELIZA.id || id === currentAgentId || own.has(id))
    .map(({ id }) => id);
  return {
    agents,
    configured,
    own: [...own.keys()],
    currentAgentId,
    bypass: bypassed(raw.bypassPermissions, agents, problems),
    problems,
  };
}

/**
 * Sets or clears `bypassPermissions` of this agent in a value of `symposium.agents`. Keeps the form and all other
 * fields.
 */
export function withBypass(value: unknown, agentId: string, isOn: boolean): unknown {
  if (isObject(value)) return { ...value, [agentId]: { ...objectOr(value[agentId]), bypassPermissions: isOn } };
  const entries = arrayOr(value),
    at = indexOf(entries, agentId);
  const entry = { ...objectOr(entries[at]), id: agentId, bypassPermissions: isOn };
  return at === -1 ? [...entries, entry] : entries.with(at, entry);
}

/**
 * Puts this entry into a value of `symposium.agents`, replacing the entry with the same id. Keeps `bypassPermissions`
 * and `ownConfiguration` of the replaced entry and drops those of `entry`, because only the user sets them. Converts
 * the older form to the list, because only the list supports distributions.
 */
export function withAgent(value: unknown, entry: Fields): unknown {
  const entries = isObject(value)
      ? Object.entries(value).map(([id, fields]) => listed(id, objectOr(fields)))
      : arrayOr(value),
    at = indexOf(entries, entry["id"]);
  const decided = (fields: Fields): Fields =>
    Object.fromEntries(USER_FIELDS.flatMap(name => (fields[name] === undefined ? [] : [[name, fields[name]]])));
  const others = Object.fromEntries(Object.entries(entry).filter(([name]) => !USER_FIELDS.includes(name)));
  const next = { ...others, ...decided(objectOr(entries[at])) };
  return at === -1 ? [...entries, next] : entries.with(at, next);
}

const USER_FIELDS: readonly string[] = ["bypassPermissions", "ownConfiguration"];

/** Removes this agent and keeps the form. Returns the same value if the agent is not in it. */
export function withoutAgent(value: unknown, agentId: string): unknown {
  if (isObject(value))
    return Object.hasOwn(value, agentId)
      ? Object.fromEntries(Object.entries(value).filter(([id]) => id !== agentId))
      : value;
  const entries = arrayOr(value),
    remaining = entries.filter(entry => !isObject(entry) || entry["id"] !== agentId);
  return remaining.length === entries.length ? value : remaining;
}

/** Index of the effective entry with this id, which is the first readable one. */
function indexOf(entries: readonly unknown[], id: unknown): number {
  const same = entries.flatMap((entry, i) => (isObject(entry) && entry["id"] === id ? [i] : []));
  return (
    same.find(
      i =>
        typeof id === "string" &&
        readEntry(
          { id, where: "", fields: objectOr(entries[i]), distribution: objectOr(entries[i])["distribution"] },
          [],
        ),
    ) ??
    same[0] ??
    -1
  );
}

/**
 * Converts an entry of the older form. An entry without a command cannot become a distribution and is kept unchanged.
 */
function listed(id: string, fields: Fields): Fields {
  const { command, args, env, ...others } = fields;
  return command === undefined
    ? { ...fields, id }
    : {
        ...others,
        id,
        distribution: {
          local: { command, ...(args === undefined ? {} : { args }), ...(env === undefined ? {} : { env }) },
        },
      };
}

interface RawEntry {
  readonly id: string;
  readonly where: string;
  readonly fields: Fields;
  readonly distribution: unknown;
}

/** Normalizes both forms. In the object form the key is both id and name. */
function entriesOf(value: unknown, problems: string[]): readonly RawEntry[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) {
    return value.flatMap((fields: unknown, i): RawEntry[] => {
      const where = l10n.t`Entry ${i + 1} of symposium.agents`;
      if (!isObject(fields) || typeof fields["id"] !== "string" || fields["id"].trim() === "") {
        problems.push(l10n.t`${where} has no “id” and is ignored.`);
        return [];
      }
      return [
        {
          id: fields["id"],
          where: l10n.t`“${fields["id"]}” in symposium.agents`,
          fields,
          distribution: fields["distribution"],
        },
      ];
    });
  }
  if (isObject(value)) {
    return Object.entries(value).flatMap(([id, fields]): RawEntry[] => {
      const where = l10n.t`“${id}” in symposium.agents`;
      if (!isObject(fields) || id.trim() === "") {
        problems.push(l10n.t`${where} is not an agent and is ignored.`);
        return [];
      }
      const { command, args, env } = fields;
      return [
        {
          id,
          where,
          fields,
          distribution:
            command === undefined
              ? undefined
              : { local: { command, ...(args === undefined ? {} : { args }), ...(env === undefined ? {} : { env }) } },
        },
      ];
    });
  }
  problems.push(l10n.t("symposium.agents is not a list of agents and is ignored."));
  return [];
}

function readEntry({ id, where, fields, distribution }: RawEntry, problems: string[]): AgentConfig | undefined {
  const builtIn = builtInAgent(id);
  const read = distribution === undefined ? builtIn?.distribution : readDistribution(distribution),
    currentDistribution = read && withCurrentPackage(read);
  if (currentDistribution === undefined) {
    problems.push(
      distribution === undefined
        ? l10n.t`${where} has no “distribution” with a start command and is ignored.`
        : l10n.t(
            "The distribution of {0} is invalid. Use “local” with a “command”, “npx”, “uvx” or “pipx” " +
              "with a “package”, “cargo” with a “crate”, or “binary” with an archive. The agent is ignored.",
            where,
          ),
    );
    return undefined;
  }
  const { name, bypassPermissions, version, description, _source, ownConfiguration } = fields,
    configuration = readConfiguration(ownConfiguration);
  if (ownConfiguration !== undefined && !configuration)
    problems.push(
      l10n.t(
        "“ownConfiguration” of {0} is invalid. It needs “file”, an absolute path or a path that " +
          "starts with ~/, and “format”: {1}.",
        where,
        CONFIGURATION_FORMATS.join(", "),
      ),
    );
  if (bypassPermissions !== undefined && typeof bypassPermissions !== "boolean")
    problems.push(l10n.t`“bypassPermissions” of ${where} is neither true nor false. Symposium asks you.`);
  return {
    id,
    name: typeof name === "string" && name.trim() !== "" ? name : (builtIn?.name ?? id),
    distribution: currentDistribution,
    ...(typeof bypassPermissions === "boolean" ? { bypassPermissions } : {}),
    ...(isFilled(version) ? { version } : {}),
    ...(configuration ? { ownConfiguration: configuration } : {}),
    ...(isFilled(description)
      ? { description }
      : builtIn?.description === undefined
        ? {}
        : { description: builtIn.description }),
    ...(_source === "registry" || _source === "custom" ? { _source } : {}),
  };
}

function readConfiguration(value: unknown): OwnConfiguration | undefined {
  const { file, format } = objectOr(value),
    known = CONFIGURATION_FORMATS.find(each => each === format);
  return known && typeof file === "string" && /^(~[\\/]|[\\/]|[a-z]:[\\/])./i.test(file)
    ? { file, format: known }
    : undefined;
}

/** Replaces renamed packages by their current names. */
function withCurrentPackage(distribution: Distribution): Distribution {
  const { npx } = distribution;
  return npx ? { ...distribution, npx: { ...npx, package: currentPackage(npx.package) } } : distribution;
}

function current(value: unknown, agents: readonly AgentConfig[], problems: string[]): string {
  if (value === undefined || value === "") return ELIZA.id;
  const known = agents.find(({ id }) => id === value);
  if (known) return known.id;
  problems.push(
    l10n.t(
      "symposium.currentAgentId contains “{0}”, which is not a configured agent. New tabs use {1}.",
      typeof value === "string" ? value : JSON.stringify(value),
      ELIZA.name,
    ),
  );
  return ELIZA.id;
}

/** An agent's own field takes precedence, even if it is `false`. The older list applies to agents without the field. */
function bypassed(value: unknown, agents: readonly AgentConfig[], problems: string[]): readonly string[] {
  const valid = value === undefined || (Array.isArray(value) && value.every(isFilled));
  if (!valid) problems.push(l10n.t("symposium.bypassPermissions is not a list of agent ids and is ignored."));
  const older: readonly unknown[] = valid && Array.isArray(value) ? value : [];
  return agents.filter(({ id, bypassPermissions }) => bypassPermissions ?? older.includes(id)).map(({ id }) => id);
}

const builtInAgent = (id: string): AgentConfig | undefined => BUILT_IN_AGENTS.find(agent => agent.id === id);
