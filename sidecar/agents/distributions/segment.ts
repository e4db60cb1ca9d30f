/** Ids and versions become folder names below `~/.symposium/bin`, and come from documents that others wrote. Pure. */

/** The folder of what names no version. */
export const UNVERSIONED = "unversioned";

/** As people are told it. */
export function toldVersion(release: string): { readonly version?: string } {
  return release === UNVERSIONED ? {} : { version: release };
}

const LONGEST = 100;
/** With an extension they are devices, too: `nul.txt`. */
const DEVICE = /^(con|prn|aux|nul|conin\$|conout\$|com\d|lpt\d)(\.|$)/i;

/**
 * Whether a text is one folder's name on every system: no separators, no `.` and `..`, nothing hidden, no option, no
 * trailing dot (Windows drops it), no device of Windows.
 */
export function isSegment(text: string): boolean {
  return (
    text.length <= LONGEST &&
    /^[A-Za-z0-9@][A-Za-z0-9@._+~!-]*$/.test(text) &&
    !text.endsWith(".") &&
    !DEVICE.test(text)
  );
}

/**
 * The parts of a program's path within what was unpacked: `./bin/agent`, `bin\\agent.exe`. Undefined: it is absolute,
 * leads out, or is a path on one system and something else on another.
 */
export function relativeParts(file: string): readonly string[] | undefined {
  if (/[\p{Cc}:]|^[\\/~]/u.test(file)) return undefined;
  const parts = file.split(/[\\/]/).filter(part => part !== ".");
  return parts.length === 0 || parts.some(part => part.trim() === "" || /^\.+$/.test(part)) ? undefined : parts;
}
