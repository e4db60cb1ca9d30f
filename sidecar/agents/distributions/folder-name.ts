/** Validates ids and versions from untrusted documents as folder names below `~/.symposium/bin`. Pure. */

/** Folder name for an entry without a version. */
export const UNVERSIONED = "unversioned";

/** Returns the version for display. */
export function displayedVersion(release: string): { readonly version?: string } {
  return release === UNVERSIONED ? {} : { version: release };
}

const MAX_LENGTH = 100;
/** Device names of Windows, which are reserved with any file extension (`nul.txt`). */
const DEVICE = /^(con|prn|aux|nul|conin\$|conout\$|com\d|lpt\d)(\.|$)/i;

/**
 * Whether a text is a valid folder name on every system: no separators, no `.` or `..`, no leading dot or hyphen, no
 * trailing dot (Windows drops it), and no Windows device name.
 */
export function isSegment(text: string): boolean {
  return (
    text.length <= MAX_LENGTH &&
    /^[A-Za-z0-9@][A-Za-z0-9@._+~!-]*$/.test(text) &&
    !text.endsWith(".") &&
    !DEVICE.test(text)
  );
}

/**
 * Splits a program's path within an archive: `./bin/agent`, `bin\\agent.exe`. Returns undefined if the path is
 * absolute, leaves the archive, or is a path on one system only.
 */
export function relativeParts(file: string): readonly string[] | undefined {
  if (/[\p{Cc}:]|^[\\/~]/u.test(file)) return undefined;
  const parts = file.split(/[\\/]/).filter(part => part !== ".");
  return parts.length === 0 || parts.some(part => part.trim() === "" || /^\.+$/.test(part)) ? undefined : parts;
}
