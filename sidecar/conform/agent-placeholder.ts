/** In arguments of a client under test: the command line of the kit's agent, quoted as in a POSIX shell. */
export const AGENT_PLACEHOLDER = "{agent}";
