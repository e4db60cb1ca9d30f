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

/**
 * A recorded content, or the reviewed content at any time. Without an `oid`, the content is empty: the file did not or
 * does not exist.
 */
export interface ContentRef extends ReviewPath {
  readonly content: { readonly kind: "recorded"; readonly oid?: string } | { readonly kind: "reviewed" };
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

/** The reviewed content of the file, which changes with each *Keep*. */
export function reviewedUri({ root, path }: ReviewPath, uriPath: string): ContentUri {
  const query = new URLSearchParams({ root, path, content: "reviewed" });
  return { scheme: REVIEW_SCHEME, path: uriPath, query: query.toString() };
}

/** Undefined for another URI. */
export function contentRef({ scheme, query }: Pick<ContentUri, "scheme" | "query">): ContentRef | undefined {
  if (scheme !== REVIEW_SCHEME) return undefined;
  const params = new URLSearchParams(query),
    root = params.get("root"),
    path = params.get("path"),
    oid = params.get("oid");
  if (root === null || path === null) return undefined;
  if (params.get("content") === "reviewed") return { root, path, content: { kind: "reviewed" } };
  return { root, path, content: { kind: "recorded", ...(oid === null ? {} : { oid }) } };
}
