/** Current diagnostics of a file: pulled from the server if supported, else published. */
import type { IdeDiagnostic } from "../../../src/protocol/ide/ide";
import { lineAt } from "../../../src/protocol/ide/ide-text";
import { arrayOr, isObject, objectOr, type JsonObject } from "../../rpc/json";
import type { OpenDocument } from "./documents";
import type { LanguageServer, ServerTimeouts } from "./language-server";
import { diagnosticIn, fromTsserver } from "./lsp-parsers";
import { BETWEEN_MS, publishedIn } from "./server-readiness";
import { LSP_METHODS } from "./lsp-methods";

/**
 * `raw`: unmodified, because `textDocument/codeAction` returns them to the server. `isLate`: diagnostics may be
 * missing.
 */
export interface Diagnosed {
  readonly raw: readonly JsonObject[];
  readonly isLate: boolean;
}

/**
 * Command that forwards a request to tsserver. Its response contains all diagnostics, whereas published diagnostics
 * have no detectable end.
 */
const TSSERVER = "typescript.tsserverRequest";
const TSSERVER_REQUESTS = ["syntacticDiagnosticsSync", "semanticDiagnosticsSync", "suggestionDiagnosticsSync"];

export async function diagnose(
  server: LanguageServer,
  file: string,
  document: OpenDocument,
  timeouts: ServerTimeouts,
): Promise<Diagnosed> {
  if (server.runsCommand(TSSERVER)) return { raw: await tsserverDiagnostics(server, file, timeouts), isLate: false };
  const isReady = await server.settled(
      now => Math.max(server.readyIn(now), document.changedAt + BETWEEN_MS - now),
      timeouts,
    ),
    pulled = await pull(server, document, timeouts);
  if (pulled)
    return { raw: withoutDuplicates([...pulled, ...(server.published(file)?.diagnostics ?? [])]), isLate: !isReady };
  const isSettled = await server.settled(now => {
    const ready = server.readyIn(now),
      at = server.published(file)?.at;
    return Math.max(
      ready,
      publishedIn(
        { ...(server.documents.at(file) ?? document), ...(at === undefined ? {} : { publishedAt: at }) },
        now,
      ),
    );
  }, timeouts);
  return { raw: server.published(file)?.diagnostics ?? [], isLate: !isSettled || server.published(file) === undefined };
}

async function tsserverDiagnostics(
  server: LanguageServer,
  file: string,
  timeouts: ServerTimeouts,
): Promise<readonly JsonObject[]> {
  const found: JsonObject[] = [];
  for (const command of TSSERVER_REQUESTS)
    found.push(
      ...fromTsserver(
        await server.request(
          LSP_METHODS.workspace_executeCommand,
          { command: TSSERVER, arguments: [command, { file }] },
          timeouts,
        ),
      ),
    );
  return found;
}

/** Undefined if the server does not support pull diagnostics. */
async function pull(
  server: LanguageServer,
  { uri }: OpenDocument,
  timeouts: ServerTimeouts,
): Promise<readonly JsonObject[] | undefined> {
  const provider = server.capability("diagnosticProvider");
  if (provider === undefined) return undefined;
  const { identifier } = objectOr(provider);
  const answer = await server.request(
    LSP_METHODS.textDocument_diagnostic,
    { textDocument: { uri }, ...(typeof identifier === "string" ? { identifier } : {}) },
    timeouts,
  );
  return arrayOr(objectOr(answer).items).filter(isObject);
}

/** Removes duplicates: some servers return a diagnostic and also publish it. */
function withoutDuplicates(all: readonly JsonObject[]): readonly JsonObject[] {
  const seen = new Set<string>();
  return all.filter(({ range, message }) => {
    const key = JSON.stringify([range, message]),
      isNew = !seen.has(key);
    seen.add(key);
    return isNew;
  });
}

export function shown(raw: readonly JsonObject[], path: string, lines: readonly string[]): readonly IdeDiagnostic[] {
  return raw.flatMap(each => {
    const read = diagnosticIn(each);
    return read ? [{ path, ...read, ...lineAt(lines, read.range) }] : [];
  });
}
