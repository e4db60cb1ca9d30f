/** The answer to a permission request, as Markdown. Pure. */
import * as l10n from "@vscode/l10n";
import type { PermissionAnswered } from "../../../src/protocol/chat/chat";
import { literal } from "../text/markdown-safe";

export function permissionOutcome(answered: PermissionAnswered): string {
  if (answered.kind === "cancelled") return l10n.t`**Not answered**: ${literal(answered.why)}`;
  const verdict = answered.optionKind.startsWith("allow") ? l10n.t("✓ **Allowed**") : l10n.t("✗ **Rejected**");
  const who = answered.by === "bypass" ? l10n.t("without asking, because you allowed everything") : l10n.t("by you");
  return `${verdict} ${who}: “${literal(answered.name)}”`;
}
