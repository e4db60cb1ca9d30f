/**
 * URIs of recorded contents (`symposium-review:`). The path is that of the file, so that VS Code selects its language
 * and its editor. The query names the content. Pure.
 */
import type { RecordedFile, ReviewPath } from "../protocol/review/review";

export const REVIEW_SCHEME = "symposium-review";

/** The members of a URI. */
export interface ContentUri {
  readonly scheme: string;
  readonly path: string;
  readonly query: string;
}

/** Without an `oid`, the content is empty: the file did not or does not exist. */
export interface ContentRef extends ReviewPath {
  readonly oid?: string;
}

/** `uriPath`: path of the file's own URI. */
export function contentUri(
  { root, path }: ReviewPath,
  uriPath: string,
  recorded: RecordedFile | undefined,
): ContentUri {
  const query = new URLSearchParams({ root, path, ...(recorded === undefined ? {} : { oid: recorded.oid }) });
  return { scheme: REVIEW_SCHEME, path: uriPath, query: query.toString() };
}

/** Undefined for another URI. */
export function contentRef({ scheme, query }: Pick<ContentUri, "scheme" | "query">): ContentRef | undefined {
  if (scheme !== REVIEW_SCHEME) return undefined;
  const params = new URLSearchParams(query),
    root = params.get("root"),
    path = params.get("path"),
    oid = params.get("oid");
  return root === null || path === null ? undefined : { root, path, ...(oid === null ? {} : { oid }) };
}
