/** What single agents need although the protocol does not ask for it: each with its reason, and only for them. Pure. */

/**
 * Gemini reads a file before it makes it, and takes an error for "not there" by its words; but its library throws error answers as
 * objects without any. It could not make a file in an editor that reads for it; it asks about existence elsewhere.
 */
export function readsMissingAsEmpty(agentName: string): boolean { return agentName === "gemini-cli"; }
