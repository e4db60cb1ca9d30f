/** What an agent's terminal printed, for a terminal of VS Code that only shows it. Pure. */

/**
 * Without what a terminal does beyond showing text: titles, links, the clipboard, marks of a shell's integration. Lines
 * end as terminals want them.
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
 * OSC, DCS, SOS, PM and APC, up to where they end: ECMA-48, 5.6. One that does not end hides nothing but its
 * introducer.
 */
const STRINGS = /(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)|\x1b[\]PX^_]/g;
/** Of eight bits, and those that are no white space, bell or escape. */
const CONTROLS = /[\x00-\x06\x0e-\x1a\x1c-\x1f\x7f-\x9f]/g;
