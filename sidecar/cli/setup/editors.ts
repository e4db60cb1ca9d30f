/**
 * The configuration that makes another editor start `symposium-acp-agent run`. Pure.
 *
 * Sources, read in November 2026: Zed https://zed.dev/docs/ai/external-agents and its `agent_servers` settings,
 * JetBrains https://www.jetbrains.com/help/ai-assistant/acp.html, CodeCompanion
 * https://codecompanion.olimorris.dev/configuration/adapters-acp, agent-shell https://github.com/xenodium/agent-shell,
 * Toad https://github.com/batrachianai/toad. Each has a page in `docs/editors`.
 */
import path from "node:path";
import { assertNever } from "../../../src/protocol/wire/wire";
import type { JsonObject } from "../../rpc/json";
import type { StartCommand } from "./start-command";

export const EDITORS = ["zed", "jetbrains", "neovim", "emacs", "toad"] as const;
export type Editor = (typeof EDITORS)[number];

export interface Machine {
  readonly platform: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export type EditorSetup =
  /** `values` are merged into the JSON file of the editor. */
  | {
      readonly kind: "file";
      readonly name: string;
      readonly file: string;
      readonly values: JsonObject;
      readonly next: string;
    }
  /** `text` belongs in a file that only the user can edit. `next`: where it belongs. */
  | { readonly kind: "text"; readonly text: string; readonly next: string };

export interface StartCommands {
  /** For files that Symposium edits. */
  readonly absolute: StartCommand;
  /** For text that the user inserts. */
  readonly short: StartCommand;
}

const NAME = "Symposium";

export function editorSetup(editor: Editor, { absolute, short }: StartCommands, machine: Machine): EditorSetup {
  switch (editor) {
    case "zed":
      return {
        kind: "file",
        name: "Zed",
        file: zedSettings(machine),
        values: { agent_servers: { [NAME]: { type: "custom", ...absolute } } },
        next: `In Zed, open the agent panel and start a thread with “${NAME}”.`,
      };
    case "jetbrains":
      return {
        kind: "file",
        name: "JetBrains IDEs",
        file: pathsOf(machine).join(machine.home, ".jetbrains", "acp.json"),
        values: { agent_servers: { [NAME]: { ...absolute } } },
        next: `In the AI Chat of the IDE, select “${NAME}”.`,
      };
    case "neovim":
      return {
        kind: "text",
        text: codeCompanion(short),
        next: "Merge this with the CodeCompanion setup of your init.lua. Then run :CodeCompanionChat.",
      };
    case "emacs":
      return {
        kind: "text",
        text: agentShell(short),
        next: "Add this to your init file. Then run M-x symposium-start.",
      };
    case "toad":
      return { kind: "text", text: toad(short), next: "Run this command in the folder of your project." };
    default:
      return assertNever(editor, "editor");
  }
}

/** Zed uses the XDG folder on Linux only. */
function zedSettings(machine: Machine): string {
  const { platform, home, env } = machine,
    paths = pathsOf(machine),
    config = paths.join(home, ".config");
  const folder =
    platform === "win32"
      ? paths.join(env["APPDATA"] || paths.join(home, "AppData", "Roaming"), "Zed")
      : paths.join((platform === "darwin" ? undefined : env["XDG_CONFIG_HOME"]) || config, "zed");
  return paths.join(folder, "settings.json");
}

function pathsOf({ platform }: Machine): typeof path.posix {
  return platform === "win32" ? path.win32 : path.posix;
}

/** The preset for Goose sends no credentials and selects no sign-in method. */
function codeCompanion({ command, args, env }: StartCommand): string {
  const variables = Object.entries(env).map(([name, value]) => `${name} = ${lua(value)}`);
  return `require("codecompanion").setup({
  adapters = {
    acp = {
      symposium = function()
        return require("codecompanion.adapters").extend("goose", {
          name = "symposium",
          formatted_name = "${NAME}",
          commands = { default = { ${[command, ...args].map(lua).join(", ")} } },${
            variables.length === 0 ? "" : `\n          env = { ${variables.join(", ")} },`
          }
          defaults = { timeout = 120000 }, -- in milliseconds: the first start installs the agent
        })
      end,
    },
  },
  interactions = { chat = { adapter = "symposium" } },
})
`;
}

function agentShell({ command, args, env }: StartCommand): string {
  const variables = Object.entries(env).map(([name, value]) => lisp(`${name}=${value}`));
  return `(defun symposium-make-config ()
  "Return the agent-shell configuration of ${NAME}."
  (agent-shell-make-agent-config
   :identifier 'symposium
   :mode-line-name "${NAME}"
   :buffer-name "${NAME}"
   :shell-prompt "${NAME}> "
   :shell-prompt-regexp "${NAME}> "
   :client-maker
   (lambda (buffer)
     (acp-make-client :command ${lisp(command)}
                      :command-params '(${args.map(lisp).join(" ")})${
                        variables.length === 0
                          ? ""
                          : `\n                      :environment-variables '(${variables.join(" ")})`
                      }
                      :context-buffer buffer))))

(with-eval-after-load 'agent-shell
  (add-to-list 'agent-shell-agent-configs (symposium-make-config)))

(defun symposium-start ()
  "Start an agent-shell with ${NAME}."
  (interactive)
  (require 'agent-shell)
  (agent-shell-start :config (symposium-make-config)))
`;
}

/** Toad runs the command in a shell. */
function toad({ command, args, env }: StartCommand): string {
  const words = [
    ...Object.entries(env).map(([name, value]) => `${name}=${shell(value)}`),
    ...[command, ...args].map(shell),
  ];
  return `toad acp ${shell(words.join(" "))} . --title ${NAME}\n`;
}

/** A control character has three digits, because a digit can follow. */
function lua(text: string): string {
  const escaped = text.replaceAll(/["\\\p{Cc}]/gu, char =>
    char < " " ? `\\${String(char.charCodeAt(0)).padStart(3, "0")}` : /["\\]/.test(char) ? `\\${char}` : char,
  );
  return `"${escaped}"`;
}

function lisp(text: string): string {
  return `"${text.replaceAll(/["\\]/g, "\\$&")}"`;
}

/** A word of a POSIX shell. */
function shell(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
