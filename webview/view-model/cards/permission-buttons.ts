/**
 * Buttons of a permission request: allow once, allow always, reject, and a menu with the rest. Pure.
 *
 * Invariants:
 * - Each option of the agent is offered once, in its order among the options of its kind.
 * - A name that says no more than the kind of its option is replaced by the usual label.
 * - *Allow Everything* requires an option to allow once, which the sidecar then selects.
 */
import * as l10n from "@vscode/l10n";
import type { Permission, PermissionOption, PermissionOptionKind } from "../../../src/protocol/chat/chat";
import { visibleLine } from "../../../src/protocol/text/visible-text";
import { literal } from "../text/markdown-safe";
import { ALLOW_EVERYTHING } from "./buttons";
import type { Card, CardButton } from "./card";

interface Kind {
  readonly label: string;
  /** Names that say no more than the label. */
  readonly usual: RegExp;
  readonly weight: CardButton["weight"];
}

const KINDS: Readonly<Record<PermissionOptionKind, Kind>> = {
  allow_once: {
    label: l10n.t("Allow Once"),
    usual: /^(yes|ok|allow|approve|accept|proceed)?( (this )?(once|one time))?$/i,
    weight: "main",
  },
  allow_always: {
    label: l10n.t("Allow Always"),
    usual: /^(yes, )?(always( (allow|approve|accept))?|(allow|approve|accept) always)$/i,
    weight: "plain",
  },
  reject_once: {
    label: l10n.t("Reject"),
    usual: /^(no|reject|deny|decline|cancel)?( (this )?(once|one time))?$/i,
    weight: "plain",
  },
  reject_always: {
    label: l10n.t("Reject Always"),
    usual: /^(no, )?(never( allow)?|always (reject|deny)|(reject|deny) always)$/i,
    weight: "plain",
  },
};

export function permissionButtons({
  options,
  isOurs,
}: Pick<Permission, "options" | "isOurs">): Pick<Card, "buttons" | "splitMenu" | "menuButtons"> {
  const of = (kind: PermissionOptionKind): readonly PermissionOption[] => options.filter(each => each.kind === kind),
    [always, ...otherAlways] = of("allow_always"),
    rejections = of("reject_once").length > 0 ? of("reject_once") : of("reject_always"),
    shown = [...of("allow_once"), ...(always === undefined ? [] : [always]), ...rejections],
    inMenu = of("reject_always").filter(option => !rejections.includes(option)),
    button = buttonOf(options);
  return {
    buttons: shown.map(option => button(option, literal)),
    splitMenu:
      always === undefined || otherAlways.length === 0
        ? undefined
        : { after: idOf(always), buttons: otherAlways.map(option => button(option, visibleLine)) },
    menuButtons: [
      ...inMenu.map(option => button(option, visibleLine)),
      ...(!isOurs && of("allow_once").length > 0 ? [ALLOW_EVERYTHING] : []),
    ],
  };
}

const idOf = ({ optionId }: PermissionOption): string => `option:${optionId}`;

/** Two options of a kind keep their names, which distinguish them. */
function buttonOf(options: readonly PermissionOption[]) {
  return (option: PermissionOption, rendered: (text: string) => string): CardButton => {
    const { label, usual, weight } = KINDS[option.kind] ?? KINDS.reject_once,
      isUsual = usual.test(option.name.trim()) && options.filter(({ kind }) => kind === option.kind).length === 1;
    return { id: idOf(option), label: isUsual ? label : rendered(option.name), weight };
  };
}
