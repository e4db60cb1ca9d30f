/** Why an agent does not start, in words that the settings view, the command line and the log share. */

export const CAUSES = [
  "fine",
  "notFound",
  "notOnPath",
  "noPermission",
  "exited",
  "hung",
  "garbage",
  "protocolVersion",
  "offline",
  "halfInstalled",
  "noPackage",
  "noNode",
  "noPython",
  "noCargo",
  "noPlatform",
  "signIn",
  "noFolder",
  "refused",
] as const;
export type Cause = (typeof CAUSES)[number];

/** What a button does. `page`: opens `url`. */
export interface Fix {
  readonly act: "install" | "reinstall" | "settings" | "logs" | "signIn" | "retry" | "page";
  readonly label: string;
  readonly url?: string;
}

/** `sentence`: what is the matter, in one. `detail`: what the agent, or its tool, said itself; without secrets. */
export interface Diagnosis {
  readonly cause: Cause;
  readonly sentence: string;
  readonly fix?: Fix;
  readonly detail?: string;
}
