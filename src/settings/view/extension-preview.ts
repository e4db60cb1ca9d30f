/** Text of the document that previews the additions of extensions to prompts. Pure. */
import * as l10n from "@vscode/l10n";
import type { ExtensionAddition } from "../../protocol/agents/agent-service";
import type { ExtensionConfig } from "../../protocol/agents/extensions";
import { readableText, visibleLine } from "../../protocol/text/visible-text";

/** `additions`: those of the built-in extensions. Other programs can only be observed while they run. */
export function previewText(
  extensions: readonly Pick<ExtensionConfig, "id" | "name" | "_source">[],
  additions: readonly ExtensionAddition[],
): string {
  const sections = extensions.map(({ id, name, _source }) => {
    const addition = additions.find(each => each.id === id);
    return [`# ${visibleLine(name)}`, "", addition ? aboutOf(addition) : aboutProgram(_source)].join("\n");
  });
  return [
    l10n.t("These agent extensions are on. This is what they add to the text that an agent receives from you."),
    ...sections,
    "",
  ].join("\n\n");
}

function aboutOf({ text }: ExtensionAddition): string {
  return text === undefined
    ? l10n.t("Adds no text to prompts. It offers tools to the agent.")
    : `${l10n.t(
        "Added after your first prompt of a session, or to the system prompt of an agent that supports it:",
      )}\n\n${readableText(text)}`;
}

function aboutProgram(source: ExtensionConfig["_source"]): string {
  return source === "built-in"
    ? l10n.t("Its text could not be read. See the log.")
    : l10n.t(
        "A separate program, whose text is unknown before it runs. Each prompt that it changes shows its additions.",
      );
}
