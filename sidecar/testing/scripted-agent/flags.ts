/** What the scripted agent does wrong as a process, by its command line; README.md beside the program says what each means. */
import { parseArgs } from "node:util";

export interface Flags {
  readonly ignoreSigterm: boolean;
  readonly ignoreStdinEnd: boolean;
  readonly withChild: boolean;
  readonly setsidChild: boolean;
  readonly slowInit: number;
  readonly hangInit: boolean;
  readonly failInit: boolean;
  readonly failNewSession: string | undefined;
  readonly authRequired: boolean;
  readonly exitAtStart: number | undefined;
  readonly exitAfterInit: number | undefined;
  readonly earlyCommands: boolean;
  readonly models: boolean;
  readonly options: boolean;
  readonly textOnly: boolean;
  readonly log: string | undefined;
}

/** Throws for what it does not know. */
export function parseFlags(argv: readonly string[]): Flags {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      "ignore-sigterm": { type: "boolean" }, "ignore-stdin-end": { type: "boolean" }, "with-child": { type: "boolean" }, "setsid-child": { type: "boolean" },
      "slow-init": { type: "string" }, "hang-init": { type: "boolean" }, "fail-init": { type: "boolean" }, "fail-new-session": { type: "string" },
      "auth-required": { type: "boolean" }, "exit-at-start": { type: "string" }, "exit-after-init": { type: "string" }, "early-commands": { type: "boolean" },
      models: { type: "boolean" }, options: { type: "boolean" }, "text-only": { type: "boolean" }, log: { type: "string" },
    },
  });
  const number = (text: string | undefined): number | undefined => text === undefined ? undefined : Number(text);
  return {
    ignoreSigterm: values["ignore-sigterm"] ?? false, ignoreStdinEnd: values["ignore-stdin-end"] ?? false,
    withChild: values["with-child"] ?? false, setsidChild: values["setsid-child"] ?? false,
    slowInit: number(values["slow-init"]) ?? 0, hangInit: values["hang-init"] ?? false, failInit: values["fail-init"] ?? false,
    failNewSession: values["fail-new-session"], authRequired: values["auth-required"] ?? false,
    exitAtStart: number(values["exit-at-start"]), exitAfterInit: number(values["exit-after-init"]),
    earlyCommands: values["early-commands"] ?? false, models: values.models ?? false, options: values.options ?? false, textOnly: values["text-only"] ?? false, log: values.log,
  };
}
