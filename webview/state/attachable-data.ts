/** Selects the attachable parts of dragged, dropped or pasted data. Pure. */
import * as l10n from "@vscode/l10n";

/** MIME types used by VS Code's explorer and editors, and by other sources. */
const EDITOR_URI_LIST = "application/vnd.code.uri-list",
  URI_LIST = "text/uri-list",
  FILES = "Files";

/** Whether the data may be attachable. During a drag only the types are available. */
export function mayAttach(types: readonly string[]): boolean {
  return [EDITOR_URI_LIST, URI_LIST, FILES].some(type => types.includes(type));
}

export interface Dropped<F> {
  readonly uris: readonly string[];
  readonly images: readonly F[];
  /** Files of the operating system that are not images. */
  readonly others: readonly F[];
}

/**
 * Drags from VS Code contain URIs. From other sources, image files take precedence. A link to a web page is text, which
 * the prompt accepts.
 */
export function attachableParts<F extends { readonly type: string }>(
  text: (type: string) => string,
  files: readonly F[],
): Dropped<F> {
  const images = files.filter(({ type }) => type.startsWith("image/"));
  const editorUris = urisIn(text(EDITOR_URI_LIST));
  const uris = editorUris.length > 0 || images.length > 0 ? editorUris : urisIn(text(URI_LIST));
  return uris.length > 0
    ? { uris, images: [], others: [] }
    : { uris, images, others: files.filter(file => !images.includes(file)) };
}

/** Parses `text/uri-list`. Returns the URIs that an editor can open. */
function urisIn(list: string): readonly string[] {
  return list
    .split(/\r?\n/)
    .map(line => line.trim())
    .filter(
      line =>
        line !== "" &&
        !line.startsWith("#") &&
        /^[a-z][a-z0-9+.-]*:/i.test(line) &&
        !/^(?:https?|data|blob|javascript|about|mailto):/i.test(line),
    );
}

/** Whether a paste attaches images. Text takes precedence over its image, unless the text contains only file names. */
export function pastesImages(
  text: string,
  files: readonly { readonly type: string; readonly name: string }[],
): boolean {
  return (
    files.some(({ type }) => type.startsWith("image/")) &&
    (text.trim() === "" || text.split(/\r?\n/).every(line => files.some(({ name }) => name === line.trim())))
  );
}

export const OTHER_FILES = l10n.t(
  "Only images can be dropped from outside VS Code. " +
    "Hold Shift and drag a file from the Explorer, or select “Add to Symposium” in its menu.",
);
