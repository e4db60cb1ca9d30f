/** What somebody drags over the page, or has dropped, or pasted: what of it can be attached. Pure. */

/** As VS Code's explorer and editors give what is dragged, and as others do. */
const EDITOR = "application/vnd.code.uri-list",
  LIST = "text/uri-list",
  FILES = "Files";

/** Whether it may be something to attach: while it is dragged only its types can be seen. */
export function mayAttach(types: readonly string[]): boolean {
  return [EDITOR, LIST, FILES].some(type => types.includes(type));
}

export interface Dropped<F> {
  readonly uris: readonly string[];
  readonly images: readonly F[];
  /** Files of the system that are no images. */
  readonly others: readonly F[];
}

/**
 * What VS Code drags comes with its address; of what others drag an image is taken as it is. A link to a page is text,
 * for the prompt to take.
 */
export function droppedOf<F extends { readonly type: string }>(
  text: (type: string) => string,
  files: readonly F[],
): Dropped<F> {
  const images = files.filter(({ type }) => type.startsWith("image/"));
  const ofEditor = urisIn(text(EDITOR));
  const uris = ofEditor.length > 0 || images.length > 0 ? ofEditor : urisIn(text(LIST));
  return uris.length > 0
    ? { uris, images: [], others: [] }
    : { uris, images, others: files.filter(file => !images.includes(file)) };
}

/** Addresses of something that an editor can open: one a line, without comments. */
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

/** Of what is pasted: text goes before an image of it, but for the name that a file has. */
export function pastesImages(
  text: string,
  files: readonly { readonly type: string; readonly name: string }[],
): boolean {
  return (
    files.some(({ type }) => type.startsWith("image/")) &&
    (text.trim() === "" || text.split(/\r?\n/).every(line => files.some(({ name }) => name === line.trim())))
  );
}

export const OTHER_FILES =
  "Only images can be dropped from outside of VS Code. Drag a file from its Explorer and hold Shift, or choose “Add to Symposium” in the file's menu.";
