/** Describes tools that did not reach an agent's model: their servers and the reason (issue 14 item 1). Pure. */
import * as l10n from "@vscode/l10n";
import { enumerated } from "../../../src/protocol/text/phrases";
import type { ConfigurationEntry } from "../../../src/protocol/agents/own-configuration";
import type { ToolDelivery } from "../../../src/protocol/chat/session-details";
import { assertNever } from "../../../src/protocol/wire/wire";
import type { Retry } from "../../mcp/delivery/session-tools";
import { ownerName, type SessionTools } from "../../mcp/delivery/session-tools";
import { visibleText } from "../../../src/protocol/text/visible-text";

export function adviceFor(retry: Retry, place: Place = "tab"): string {
  switch (retry) {
    case "otherTransport":
      return place === "client"
        ? l10n.t("Start a new session, which offers them over another connection.")
        : l10n.t("Open a new tab or chat, which offers them over another connection.");
    case "sameTransport":
      return place === "client"
        ? l10n.t("Start a new session to try again, or use another agent.")
        : l10n.t("Open a new tab or chat to try again, or select another agent.");
    case "inVain":
      return l10n.t("They were offered over every connection that it supports. Select another agent to use them.");
    default:
      return assertNever(retry, "retry");
  }
}

/** Advice for an agent that connects to no server of a session (issue 14 item 5). */
function adviceAbout(configuration: NonNullable<MissingTools["configuration"]>, agent: string, place: Place): string {
  switch (configuration) {
    case "absent":
      return l10n.t`An entry in its own configuration can provide them. ${ADD[place]}`;
    case "outdated":
      return l10n.t(
        "The entry in its own configuration is from another version of Symposium. Select “Update Configuration…” in the agent's row of Symposium's settings.",
      );
    case "added":
      return l10n.t("It did not use the entry in its own configuration either. Select another agent to use them.");
    case "edited":
      return l10n.t(
        "Its own configuration has an entry that Symposium did not write. The agent's row of Symposium's settings shows it.",
      );
    case "refused":
      return l10n.t(
        "Its own configuration cannot be changed. Select “Check” in the agent's row of Symposium's settings to see the reason.",
      );
    case "unknown":
      return l10n.t`${agent} cannot use tools of extensions. If it reads MCP servers from a configuration file, name the file in “ownConfiguration” of its entry in symposium.agents.`;
    default:
      return assertNever(configuration, "configuration");
  }
}

/** Steps that add the entry. Only a tab of Symposium has the button. */
const ADD: Readonly<Record<Place, string>> = {
  tab: l10n.t("Select “Add to Agent's Configuration…” to add it."),
  chat: l10n.t("To add it, open a tab with this agent in Symposium and send a prompt."),
  client: l10n.t("To add it, open a tab with this agent in Symposium for VS Code and send a prompt."),
};

/** Follow-up to a `missingToolsSentence` that no longer applies. */
export function listedLate(agent: string): string {
  return l10n.t`${agent} has requested the missing tools now: its model has them.`;
}

/** Display location of the sentence: a tab of Symposium, VS Code's chat, or the output of a command. */
export type Place = "tab" | "chat" | "client";

/** `missing`: each server with its display name. `all`: the number of servers of the session. */
export interface MissingTools {
  readonly agent: string;
  readonly missing: readonly { readonly name: string; readonly delivery: ToolDelivery }[];
  readonly all: number;
  /** The next session's transport. Absent: no advice. */
  readonly retry?: Retry;
  /** Default: a tab. */
  readonly place?: Place;
  /**
   * State of Symposium's entry in the agent's own configuration. "unknown": the agent's configuration file is unknown.
   * Absent: an entry would not help.
   */
  readonly configuration?: ConfigurationEntry["kind"] | "unknown" | undefined;
}

/** The missing tools of a session. */
export function missingOf({ servers, retry }: SessionTools): Pick<MissingTools, "missing" | "all" | "retry"> {
  const missing = servers
    .filter(({ isMissing }) => isMissing)
    .map(({ owner, delivery }) => ({ name: ownerName(owner, delivery.server), delivery }));
  return { missing, all: servers.length, retry };
}

/**
 * The configuration is the fallback for an agent that connected to no server over any transport (issue 14 item 5).
 * `kind`: state of the agent's own configuration. Undefined: the configuration file is unknown.
 */
export function configurationAdvice(
  { servers, retry }: SessionTools,
  kind: ConfigurationEntry["kind"] | undefined,
): MissingTools["configuration"] {
  const isIgnored = servers.every(({ delivery: { stage } }) => stage === "offered");
  return retry === "inVain" && isIgnored ? (kind ?? "unknown") : undefined;
}

/** Returns `undefined` if no tools are missing. */
export function missingToolsSentence({
  agent,
  missing,
  all,
  retry,
  place = "tab",
  configuration,
}: MissingTools): string | undefined {
  const broken = missing.filter(({ delivery }) => delivery.listFailed),
    unlisted = missing.filter(each => !broken.includes(each));
  const sentences: string[] = [];
  if (unlisted.length > 0) {
    const cause = causeOf(
      unlisted.map(({ delivery }) => delivery),
      all,
    );
    sentences.push(`${unrequested(agent, unlisted)}: ${cause}`, l10n.t("Its model does not have these tools."));
    if (retry !== undefined)
      sentences.push(configuration === undefined ? adviceFor(retry, place) : adviceAbout(configuration, agent, place));
  }
  if (broken.length > 0) {
    const names = namesOf(broken);
    sentences.push(
      broken.length === 1
        ? l10n.t`${agent} does not have the tools of ${names}: the MCP server did not list them. The reason is in the log.`
        : l10n.t`${agent} does not have the tools of ${names}: the MCP servers did not list them. The reasons are in the log.`,
    );
  }
  return sentences.length === 0 ? undefined : sentences.join(" ");
}

function namesOf(servers: MissingTools["missing"]): string {
  return enumerated([...new Set(servers.map(({ name }) => visibleText(name)))]);
}

/** Includes the number of tools if it is known for every server. */
function unrequested(agent: string, servers: MissingTools["missing"]): string {
  const names = namesOf(servers),
    counts = servers.map(({ delivery: { offered } }) => offered);
  return counts.every(each => each !== undefined)
    ? l10n.t`${agent} did not request the tools of ${names} (0 of ${counts.reduce((sum, each) => sum + each, 0)})`
    : l10n.t`${agent} did not request the tools of ${names}`;
}

function causeOf(missing: readonly ToolDelivery[], all: number): string {
  if (missing.some(({ stage }) => stage === "connected"))
    return l10n.t("it connected to the MCP server and did not list its tools in time.");
  const isOne = missing.length === 1;
  if (missing.length === all)
    return isOne
      ? l10n.t("it did not connect to this MCP server.")
      : l10n.t("it did not connect to any of these MCP servers.");
  return isOne
    ? l10n.t("it did not connect to this MCP server, although it uses others.")
    : l10n.t("it did not connect to these MCP servers, although it uses others.");
}
