/** Input boxes for an agent or extension that the user adds by hand. */
import * as l10n from "@vscode/l10n";
import { homedir } from "node:os";
import * as vscode from "vscode";
import type { Installable } from "../../protocol/agents/agent-service";
import type { Fields } from "../../protocol/wire/json";
import {
  customEntry,
  nameOf,
  sourceOf,
  wrongArguments,
  wrongName,
  wrongSource,
  type CustomKind,
  type CustomSource,
} from "./custom-entry";

/** An entry for the settings, or the URL of an entry. */
export type CustomAnswer =
  | { readonly kind: "entry"; readonly entry: Fields & { readonly id: string } }
  | { readonly kind: "url"; readonly url: string };

/** `taken`: existing ids. `undefined`: the user cancelled. */
export async function askCustom(
  installable: Installable,
  { kind, prompt, placeHolder }: CustomSource,
  taken: readonly string[],
): Promise<CustomAnswer | undefined> {
  const steps = kind === "url" ? 1 : 3,
    what = installable === "agent" ? l10n.t("Add Agent") : l10n.t("Add Agent Extension");
  const box = (step: number, options: vscode.InputBoxOptions): Thenable<string | undefined> =>
    vscode.window.showInputBox({
      ignoreFocusOut: true,
      ...options,
      title: steps === 1 ? what : l10n.t`${what} (${step} of ${steps})`,
    });
  const typed = await box(1, { prompt, placeHolder, validateInput: text => wrongSource(kind, atHome(text)) });
  if (typed === undefined) return undefined;
  const source = sourceOf(atHome(typed));
  if (kind === "url") return { kind, url: source };
  const args = await box(2, { ...argumentsOf(installable, kind), validateInput: line => wrongArguments(kind, line) });
  if (args === undefined) return undefined;
  const name = await box(3, {
    prompt: l10n.t("Name in Symposium"),
    value: nameOf({ kind, source }),
    validateInput: wrongName,
  });
  return name === undefined ? undefined : { kind: "entry", entry: customEntry({ kind, source, args, name }, taken) };
}

function argumentsOf(
  installable: Installable,
  kind: CustomKind,
): { readonly prompt: string; readonly placeHolder: string } {
  return kind === "server"
    ? {
        prompt: l10n.t(
          "Optional HTTP header. It is stored in plain text in settings.json, where you can add more headers",
        ),
        placeHolder: l10n.t("Authorization: Bearer …"),
      }
    : {
        prompt: l10n.t("Optional arguments, separated by spaces. Quote arguments that contain spaces"),
        placeHolder: installable === "agent" ? "--acp" : "--verbose",
      };
}

/** Expands `~`, which only a shell would expand. */
function atHome(text: string): string {
  return text.replace(/^\s*(["']?)~(?=[\\/])/, (_, quote: string) => quote + homedir());
}
