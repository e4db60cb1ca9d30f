/**
 * Placeholder in the arguments of a client under test for the command line of the kit's agent, quoted as in a POSIX
 * shell.
 */
export const AGENT_PLACEHOLDER = "{agent}";
