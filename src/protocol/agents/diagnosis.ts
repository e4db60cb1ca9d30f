/** Reasons why an agent does not start, shared by the settings view, the command line and the log. */

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

/** Action of a button. `page`: opens `url`. */
export interface Fix {
  readonly action: "install" | "reinstall" | "settings" | "logs" | "signIn" | "retry" | "page";
  readonly label: string;
  readonly url?: string;
}

/** `sentence`: the problem in one sentence. `detail`: output of the agent or its tool, redacted. */
export interface Diagnosis {
  readonly cause: Cause;
  readonly sentence: string;
  readonly fix?: Fix;
  readonly detail?: string;
}
