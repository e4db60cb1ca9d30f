/** Prepares the output of an agent's terminal for a read-only terminal of VS Code. Pure. */

/**
 * Removes control sequences that do more than show text: titles, links, clipboard access, shell integration marks. Uses
 * CR LF line endings, as terminals require.
 */
export function printout(
  output: string,
  exit: { readonly code?: number; readonly signal?: string } | undefined,
): string {
  const shown = output.replace(STRINGS, "").replace(CONTROLS, "").replaceAll(/\r?\n/g, "\r\n");
  const end = exit?.signal ?? (exit?.code === undefined ? undefined : `exit code ${exit.code}`);
  return end === undefined ? shown : `${shown}\r\n\x1b[2m${end.replaceAll(/[^ -~]/g, "")}\x1b[0m\r\n`;
}

/**
 * OSC, DCS, SOS, PM and APC strings up to their terminator (ECMA-48, 5.6). If the terminator is missing, only the
 * introducer is removed.
 */
const STRINGS = /(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)|\x1b[\]PX^_]/g;
/** C1 controls, and C0 controls other than white space, bell and escape. */
const CONTROLS = /[\x00-\x06\x0e-\x1a\x1c-\x1f\x7f-\x9f]/g;
