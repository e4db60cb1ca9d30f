/** The tool `run_terminal`. */
import { numberOr, stringOr } from "../../rpc/json";
import { ToolFailure, type Tool } from "../tool";
import type { Consent } from "../consent";
import type { Commands } from "./commands";
import { textOf } from "./file-tools";
import { kindOf, type Folders } from "./folders";

export interface TerminalToolDeps {
  readonly folders: Folders;
  readonly consent: Consent;
  readonly commands: Commands;
}

const TIMEOUT_MS = 30_000,
  MAX_MS = 600_000;
/** Maximum number of characters of the command in the title. */
const MAX_SHOWN = 200;

export function terminalTool({ folders, consent, commands }: TerminalToolDeps): Tool {
  return {
    name: "run_terminal",
    title: "Run a command",
    description:
      "Runs a command with the shell (sh; on Windows cmd), without input, and returns {stdout, stderr, code}. In an editor's terminal, stdout includes stderr. The user is asked. The timeout stops the command and its child processes.",
    inputSchema: {
      type: "object",
      required: ["command"],
      properties: {
        command: { type: "string", description: "A line for the shell." },
        cwd: {
          type: "string",
          description: "Folder to run in, inside of the session's folders; default: the working folder.",
        },
        timeout: { type: "number", description: `Milliseconds; default ${TIMEOUT_MS}, at most ${MAX_MS}.` },
      },
    },
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
    async call(args, call) {
      const command = textOf(args, "command"),
        timeoutMs = numberOr(args.timeout, TIMEOUT_MS),
        place = await folders.inside(stringOr(args.cwd, "."));
      if (command.trim() === "" || command.includes("\0")) throw new ToolFailure("The command is missing or empty.");
      if (!(timeoutMs >= 1 && timeoutMs <= MAX_MS))
        throw new ToolFailure(`The timeout must be from 1 to ${MAX_MS} milliseconds.`);
      if ((await kindOf(place))?.kind !== "folder")
        throw new ToolFailure(`${place.shown} is not a folder: a command cannot run there.`);
      const title = `Run ${command.length > MAX_SHOWN ? `${command.slice(0, MAX_SHOWN)}…` : command}${place.shown === "." ? "" : ` in ${place.shown}`}`;
      const action = {
        title,
        kind: "execute",
        content: [],
        rawInput: { command, cwd: place.real },
        standing: { key: `run_terminal\n${place.real}\n${command}`, name: "Always Allow This Command (This Session)" },
      } as const;
      const { stdout, stderr, code, note } = await consent.carryOut(action, call, async card => {
        const result = await commands.run({ command, cwd: place.real, timeoutMs }, call.signal, content =>
          card.show(content),
        );
        if (result.code !== 0) card.failed();
        return result;
      });
      return {
        structured: { stdout, stderr, code, ...(note === undefined ? {} : { note }) },
        ...(code === null ? { isError: true } : {}),
      };
    },
  };
}
