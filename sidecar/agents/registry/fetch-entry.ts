/**
 * Creates one settings entry from a document at an address entered by the user. All failures are `RegistryError`s with
 * a sentence.
 */
import * as l10n from "@vscode/l10n";
import type { Installable } from "../../../src/protocol/agents/agent-service";
import { isObject, parseJson, type JsonObject } from "../../rpc/json";
import { isFromLoopback } from "../../http/secure-url";
import { NO_VERSION, readEntry, withVersion, type ReadOptions } from "./document";
import { documentAddress } from "./document-address";
import { fetchBytes, RegistryError, type FetchDeps } from "../../http/fetch-document";
import { imported } from "./updates";

const FILES: Readonly<Record<Installable, string>> = { agent: "agent.json", extension: "extension.json" };
const MAX_BYTES = 128 * 1024,
  TIMEOUT_MS = 20_000;

export async function documentAt(
  address: string,
  kind: Installable,
  deps: Omit<FetchDeps, "etag"> & Pick<ReadOptions, "httpArchives">,
): Promise<JsonObject> {
  const found = documentAddress(address, FILES[kind]);
  if ("wrong" in found) throw new RegistryError("insecure", found.wrong);
  const answer = await fetchBytes(found.url, deps, {
    maxBytes: MAX_BYTES,
    timeoutMs: TIMEOUT_MS,
    accept: "application/json, text/plain",
  }).catch((error: unknown) => {
    throw error instanceof RegistryError
      ? new RegistryError(
          error.code,
          l10n.t`The ${FILES[kind]} could not be downloaded from ${new URL(found.url).host}. ${error.message}`,
          { cause: error },
        )
      : error;
  });
  return entryIn(answer.kind === "fresh" ? new TextDecoder().decode(answer.content) : "", kind, {
    loopback: isFromLoopback(found.url),
    httpArchives: deps.httpArchives ?? false,
  });
}

/** Throws a `RegistryError`. Exported for tests. */
export function entryIn(text: string, kind: Installable, options: ReadOptions): JsonObject {
  const value = parseJson(text),
    file = FILES[kind];
  if (value === undefined)
    throw new RegistryError(
      "wrong",
      l10n.t`The content at this URL is not JSON. Check that the URL points to ${file} itself.`,
    );
  if (isObject(value) && Array.isArray(value.agents))
    throw new RegistryError(
      "wrong",
      l10n.t`This is a registry, not an ${file}. Set symposium.registryUrl to its URL instead.`,
    );
  const entry = readEntry(withVersion(value), kind, options);
  if ("why" in entry) throw new RegistryError("wrong", l10n.t`The ${file} cannot be used: ${entry.why}`);
  const { version, ...rest } = imported(entry);
  return { ...rest, ...(version === NO_VERSION ? {} : { version }), _source: "custom" };
}
