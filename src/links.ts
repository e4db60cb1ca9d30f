/**
 * Links of the form `vscode://symposium-dev.symposium/…`, which any web page or program can open.
 *
 *     /session/ID          opens the stored session
 *     /new?prompt=TEXT     opens a tab with a draft
 *
 * Invariants:
 * - A link never sends a prompt and changes nothing that is stored.
 * - Hidden characters of a prompt are shown, because its author is unknown to the user.
 * - A link that cannot be opened is reported with the reason.
 */
import * as l10n from "@vscode/l10n";
import type { HostAction } from "./chat/chat-deps";
import { NOT_TRUSTED } from "./errors";
import type { SessionSummary } from "./protocol/sessions/sessions";
import { visibleText } from "./protocol/text/visible-text";
import { errorMessage } from "./protocol/wire/errors";

export type Link =
  | { readonly kind: "session"; readonly conversation: string }
  | { readonly kind: "draft"; readonly text: string }
  | { readonly kind: "invalid"; readonly problem: string };

export interface LinkDeps {
  isTrusted(): boolean;
  sessions(): Promise<readonly SessionSummary[]>;
  /** Asks for a folder outside the workspace, and reports failures. */
  openSession(session: SessionSummary): Promise<void>;
  /** Opens a tab with this text in its prompt. */
  openDraft(text: string): Promise<void>;
  notify(message: string, actions: readonly HostAction[]): Promise<void>;
}

/** Maximum length of a prompt in a link, in UTF-16 units. */
export const MAX_PROMPT = 8_000;
const PROMPT = "prompt=";

/**
 * `query` is already decoded, as in `vscode.Uri`. The prompt is therefore the last parameter and extends to the end,
 * because an `&` of its text cannot be distinguished from a separator.
 */
export function linkOf(path: string, query: string): Link {
  const [, conversation] = /^\/session\/([\w-]{1,100})\/?$/.exec(path) ?? [];
  if (conversation !== undefined) return { kind: "session", conversation };
  if (!/^\/new\/?$/.test(path))
    return { kind: "invalid", problem: l10n.t("Symposium cannot open this link. It starts with /session or /new.") };
  const text = query.startsWith(PROMPT) ? query.slice(PROMPT.length) : "";
  if (text.trim() === "") return { kind: "invalid", problem: l10n.t("This link to Symposium contains no prompt.") };
  return text.length > MAX_PROMPT
    ? { kind: "invalid", problem: l10n.t`The prompt of this link has more than ${MAX_PROMPT} characters.` }
    : { kind: "draft", text: visibleText(text) };
}

/** `scheme`: of the editor. `extension`: id of this extension. */
export const sessionLink = (scheme: string, extension: string, conversation: string): string =>
  `${scheme}://${extension}/session/${conversation}`;

export async function openLink(deps: LinkDeps, path: string, query: string): Promise<void> {
  const link = linkOf(path, query);
  if (link.kind === "invalid") return deps.notify(link.problem, []);
  if (link.kind === "draft")
    return deps.isTrusted() ? deps.openDraft(link.text) : deps.notify(NOT_TRUSTED, ["manageTrust"]);
  try {
    const session = (await deps.sessions()).find(
      ({ ref }) => ref.kind === "stored" && ref.conversation === link.conversation,
    );
    await (session === undefined
      ? deps.notify(l10n.t("The session of this link is not stored on this computer."), [])
      : deps.openSession(session));
  } catch (error) {
    await deps.notify(errorMessage(error), ["showLogs"]);
  }
}
