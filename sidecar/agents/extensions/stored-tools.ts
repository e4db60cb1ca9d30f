/**
 * Tools of a session as stored in the evidence file (`evidence-file.ts`). Limits the number of servers and the length
 * of names. Pure.
 */
import type { ToolDelivery } from "../../../src/protocol/chat/session-details";
import type { Retry } from "../../mcp/delivery/session-tools";
import type { DirectServer, OwnedServer, SessionTools } from "../../mcp/delivery/session-tools";
import { arrayOr, isObject, numberOr, type JsonObject } from "../../rpc/json";

/** Maximum number of servers. The first are kept. */
const MAX_SERVERS = 50;
/** Maximum length of a server's name and of its owner's, in characters. */
const MAX_NAME = 200;
const STAGES: readonly ToolDelivery["stage"][] = ["offered", "connected", "listed", "called"];
const RETRIES: readonly Retry[] = ["otherTransport", "sameTransport", "inVain"];

export function storedTools({ servers, direct, ...rest }: SessionTools): SessionTools {
  return {
    ...rest,
    servers: servers.slice(0, MAX_SERVERS).map(({ owner, delivery, isMissing }) => ({
      ...(owner === undefined ? {} : { owner: owner.slice(0, MAX_NAME) }),
      delivery: { ...delivery, server: delivery.server.slice(0, MAX_NAME) },
      isMissing,
    })),
    direct: direct.slice(0, MAX_SERVERS).map(({ owner, server }) => ({
      ...(owner === undefined ? {} : { owner: owner.slice(0, MAX_NAME) }),
      server: server.slice(0, MAX_NAME),
    })),
  };
}

/** Returns undefined for an invalid value. Drops invalid servers. */
export function readTools(value: unknown): SessionTools | undefined {
  if (!isObject(value)) return undefined;
  const retry = RETRIES.find(each => each === value.retry);
  if (retry === undefined) return undefined;
  return {
    servers: arrayOr(value.servers).flatMap(server => (isObject(server) ? serverOf(server) : [])),
    direct: arrayOr(value.direct).flatMap(server => (isObject(server) ? directOf(server) : [])),
    retry,
  };
}

function directOf({ owner, server }: JsonObject): readonly DirectServer[] {
  return typeof server === "string" ? [{ ...(typeof owner === "string" ? { owner } : {}), server }] : [];
}

function serverOf({ owner, delivery, isMissing }: JsonObject): readonly OwnedServer[] {
  if (!isObject(delivery)) return [];
  const { server, transport, offered, listFailed } = delivery,
    stage = STAGES.find(each => each === delivery.stage);
  if (typeof server !== "string" || (transport !== "http" && transport !== "stdio") || stage === undefined) return [];
  return [
    {
      ...(typeof owner === "string" ? { owner } : {}),
      delivery: {
        server,
        transport,
        stage,
        ...(typeof offered === "number" ? { offered } : {}),
        connections: numberOr(delivery.connections, 0),
        listed: numberOr(delivery.listed, 0),
        calls: numberOr(delivery.calls, 0),
        ...(listFailed === true ? { listFailed } : {}),
      },
      isMissing: isMissing === true,
    },
  ];
}
