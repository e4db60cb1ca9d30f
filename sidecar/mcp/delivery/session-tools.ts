/** Tools of one session's MCP servers, by the extension that added each server (issue 14 item 1). Pure. */
import * as l10n from "@vscode/l10n";
import type { ToolDelivery } from "../../../src/protocol/chat/session-details";
import { visibleText } from "../../../src/protocol/text/visible-text";

/**
 * Transport of the next session after a session without a list: the other one, the same one, or neither because each
 * has already failed.
 */
export type Retry = "otherTransport" | "sameTransport" | "inVain";

export interface OwnedServer {
  /** Display name of the extension that added the server; absent if unknown. */
  readonly owner?: string;
  readonly delivery: ToolDelivery;
  /** Whether the agent's model lacks the tools, as decided after the first completed turn. */
  readonly isMissing: boolean;
}

/** `owner`: as in `OwnedServer`. */
export interface DirectServer {
  readonly owner?: string;
  readonly server: string;
}

export interface SessionTools {
  readonly servers: readonly OwnedServer[];
  /** Servers that the agent connects to directly, so that nothing is recorded about them. */
  readonly direct: readonly DirectServer[];
  /** Transport of the agent's next session if tools are missing. */
  readonly retry: Retry;
}

/** Name of the server's owner for a sentence. */
export function ownerName(owner: string | undefined, server: string): string {
  return owner === undefined ? l10n.t`the MCP server “${visibleText(server)}”` : visibleText(owner);
}

/** Returns one line per server: its counts and connection state, or a note that Symposium cannot observe the server. */
export function toolLines({ servers, direct }: Pick<SessionTools, "servers" | "direct">): readonly string[] {
  const isOnly = (owner: string | undefined): boolean =>
    [...servers, ...direct].filter(other => other.owner === owner).length === 1;
  return [
    ...servers.map(
      ({ owner, delivery }) => `${lineName(owner, delivery.server, isOnly(owner))}: ${countsOf(delivery)}`,
    ),
    ...direct.map(({ owner, server }) => `${lineName(owner, server, isOnly(owner))}: ${notObserved()}`),
  ];
}

function notObserved(): string {
  return l10n.t("Symposium cannot observe this MCP server, because the agent connects to it directly");
}

/** `isOnly`: the owner has one server, so its name identifies the server. */
function lineName(owner: string | undefined, server: string, isOnly: boolean): string {
  if (owner !== undefined && isOnly) return visibleText(owner);
  return owner === undefined
    ? l10n.t`MCP server “${visibleText(server)}”`
    : l10n.t`${visibleText(owner)}, MCP server “${visibleText(server)}”`;
}

function countsOf({ offered, connections, listed, calls, listFailed }: ToolDelivery): string {
  const counts = [
    offered === undefined ? l10n.t("an unknown number offered") : l10n.t`${offered} offered`,
    connections === 0 ? l10n.t("not connected") : l10n.t("connected"),
    l10n.t`${listed} listed`,
    l10n.t`${calls} called`,
  ].join(", ");
  return listFailed === true ? l10n.t`${counts} (the MCP server did not list them)` : counts;
}
