/** Rows of agents and extensions. Pure. */
import * as l10n from "@vscode/l10n";
import type {
  AgentRow,
  ExtensionRow,
  Finding,
  Progress,
  RecommendationRow,
  RowButton,
  RowKind,
} from "../../src/protocol/settings/settings-view";
import { rowId, word, type UserAction } from "./settings-actions";
import { piece, textPiece, type Piece } from "./element-tree";
import { arrow, grip, type Movement } from "./render-move";
import { button, fold, marks, picture, sign, type Around, type Fold } from "./render-parts";
import { settingsFold } from "./render-settings";
import { line, lines, prose } from "./display-text";
import { texts } from "./settings-texts";

export function agentRow(row: AgentRow, around: Around): Piece {
  const choose = row.buttons.find(({ action }) => action === "choose"),
    radio = `use-${rowId("agent", row.id)}`;
  const head = piece(
    "div",
    "head",
    {},
    {
      tag: "input",
      key: "use",
      isChecked: row.isCurrent,
      action: { kind: "agent", id: row.id },
      attributes: {
        type: "radio",
        name: "agent",
        id: radio,
        "aria-label": `${texts.selectAgent}: ${line(row.name)}`,
        title: choose && line(choose.label),
        disabled: around.isRestricted ? "" : undefined,
      },
    },
    picture(row.icon, row.name),
    heading(nameId("agent", row), row.name, radio),
    marks(row.marks),
  );
  return frame(
    "agent",
    row,
    { "aria-current": row.isCurrent ? "true" : undefined },
    head,
    body(
      "agent",
      row,
      row.buttons.filter(each => each !== choose),
      around,
    ),
    bypass(row, around),
  );
}

export function extensionRow(row: ExtensionRow, around: Around, movement: Movement): Piece {
  const box = `on-${rowId("extension", row.id)}`;
  const bin = row.buttons.find(({ action }) => action === "remove");
  const head = piece(
    "div",
    "head",
    {},
    grip(row, around, movement),
    ...(movement.isGrabbed ? [arrow("up", row), arrow("down", row)] : []),
    {
      tag: "input",
      key: "on",
      isChecked: row.isEnabled,
      action: { kind: "switch", of: { kind: "enable", id: row.id } },
      attributes: {
        type: "checkbox",
        id: box,
        "aria-label": l10n.t`Enable ${line(row.name)}`,
        disabled: around.isRestricted ? "" : undefined,
      },
    },
    ...(row.icon === undefined ? [] : [picture(row.icon, row.name)]),
    heading(nameId("extension", row), row.name, box),
    marks(row.marks),
    ...(bin ? [binButton(bin, row, around)] : []),
  );
  const moving = movement.isGrabbed ? "grabbed" : movement.isDragged ? "dragged" : undefined;
  return frame(
    "extension",
    row,
    { "data-moving": moving, "data-drop": movement.mark, "data-off": row.isEnabled ? undefined : "" },
    head,
    body(
      "extension",
      row,
      row.buttons.filter(each => each !== bin),
      around,
      settingsFold(row, around),
    ),
  );
}

export function recommendationRow(row: RecommendationRow, around: Around): Piece {
  const head = piece("div", "head", {}, picture(undefined, row.name), heading(nameId("recommendation", row), row.name));
  return frame("recommendation", row, {}, head, body("recommendation", row, row.buttons, around));
}

type AnyRow = Pick<AgentRow, "id" | "name" | "description" | "origin" | "progress" | "findings">;

/** The prefix avoids collisions: as a suffix it could be part of another row's id. */
const nameId = (of: RowKind, { id }: AnyRow): string => `name-${rowId(of, id)}`;

function frame(
  of: RowKind,
  row: AnyRow,
  attributes: Readonly<Record<string, string | undefined>>,
  ...children: readonly (Piece | undefined)[]
): Piece {
  return piece(
    "li",
    "row",
    {
      key: row.id,
      isPlace: true,
      attributes: {
        id: rowId(of, row.id),
        "data-of": of,
        "data-id": row.id,
        "aria-labelledby": nameId(of, row),
        ...attributes,
      },
    },
    ...children,
  );
}

/** `control`: id of the input that a click on the name toggles. */
function heading(id: string, name: string, control?: string): Piece {
  const written: Piece = { tag: "bdi", text: line(name), attributes: { title: line(name) } };
  return piece(
    "h3",
    "name",
    { attributes: { id } },
    control === undefined ? written : piece("label", "", { attributes: { for: control } }, written),
  );
}

function body(of: RowKind, row: AnyRow, buttons: readonly RowButton[], around: Around, settings?: Fold): Piece {
  const { description, origin, progress } = row;
  const cancel = progress ? buttons.find(({ action }) => action === "cancel") : undefined;
  return piece(
    "div",
    "body",
    {},
    ...(description === undefined || description.trim() === "" ? [] : [labelled("about", description)]),
    ...(origin.trim() === "" ? [] : [labelled("origin", origin)]),
    ...(progress ? [progressBar(of, row, progress, cancel, around)] : []),
    findings(of, row, around),
    ...actions(
      of,
      row,
      buttons.filter(each => each !== cancel),
      around,
      settings,
    ),
  );
}

/** Clipped to the available space; the full text is in the tooltip and available to screen readers. */
function labelled(name: string, text: string): Piece {
  const all = prose(text);
  return textPiece("p", [name, "clipped"].join(" "), all, {
    key: name,
    attributes: { dir: "auto", title: all },
  });
}

function progressBar(
  of: RowKind,
  row: AnyRow,
  { label, percent }: Progress,
  cancel: RowButton | undefined,
  around: Around,
): Piece {
  const whole =
    percent === undefined || !Number.isFinite(percent)
      ? undefined
      : String(Math.round(Math.max(0, Math.min(percent, 100))));
  return piece(
    "div",
    "progress",
    { key: "progress" },
    textPiece("span", "progress-label", prose(label)),
    ...(whole === undefined
      ? []
      : [textPiece("span", "percent", `${whole} %`, { key: "percent", attributes: { "aria-hidden": "true" } })]),
    {
      tag: "progress",
      key: "bar",
      attributes: { max: "100", value: whole, "aria-label": `${prose(label)}: ${line(row.name)}` },
    },
    ...(cancel ? [rowButton(of, row, cancel, around)] : []),
  );
}

/** `settings`: the disclosure before *More*. */
function actions(
  of: RowKind,
  row: AnyRow,
  buttons: readonly RowButton[],
  around: Around,
  [settingsToggle, settings]: Fold | readonly [] = [],
): readonly Piece[] {
  if (buttons.length === 0 && !settingsToggle) return [];
  const [main, rest] = [buttons.filter(({ isMain }) => isMain), buttons.filter(({ isMain }) => !isMain)];
  const shown = main.map(each => rowButton(of, row, each, around));
  if (rest.length === 0)
    return [piece("div", "buttons", { key: "buttons" }, ...shown, settingsToggle), ...(settings ? [settings] : [])];
  const [toggle, extra] = fold(around, moreFold(of, row.id), texts.more, row.name, id =>
    piece(
      "div",
      "buttons more",
      { key: "more", attributes: { id } },
      ...rest.map(each => rowButton(of, row, each, around)),
    ),
  );
  return [
    piece("div", "buttons", { key: "buttons" }, ...shown, settingsToggle, toggle),
    ...[extra, settings].filter(each => each !== undefined),
  ];
}

/** Name of the disclosure *More*. */
const moreFold = (of: RowKind, id: string): string => `more ${of} ${id}`;

const pressed = (of: RowKind, { id }: AnyRow, { action }: RowButton): UserAction => ({
  kind: "send",
  message: { type: "row", of, id, action },
});

function rowButton(
  of: RowKind,
  row: AnyRow,
  each: RowButton,
  { isRestricted }: Around,
  weight: "main" | "plain" = "plain",
): Piece {
  return button({
    key: `action ${each.action}`,
    label: each.label,
    about: each.about ?? row.name,
    action: pressed(of, row, each),
    weight,
    isOff: isRestricted,
  });
}

function findings(of: RowKind, row: AnyRow, around: Around): Piece | undefined {
  return row.findings.length === 0
    ? undefined
    : piece(
        "ul",
        "findings",
        { key: "findings", attributes: { role: "list" } },
        ...row.findings.map((each, i) => finding(of, row, each, i, around)),
      );
}

function finding(
  of: RowKind,
  row: AnyRow,
  { tone, sentence, detail, buttons }: Finding,
  i: number,
  around: Around,
): Piece {
  const [toggle, content] =
    detail === undefined || detail.trim() === ""
      ? []
      : fold(around, `detail ${of} ${row.id} ${i}`, texts.detail, row.name, id =>
          // Scrollable content must be reachable by keyboard.
          textPiece("pre", "detail", lines(detail), {
            key: "detail",
            attributes: { id, tabindex: "0", role: "group", "aria-label": texts.detail },
          }),
        );
  return piece(
    "li",
    "finding",
    { key: `finding ${i}`, attributes: { "data-tone": tone } },
    sign(tone),
    piece(
      "div",
      "finding-body",
      {},
      textPiece("p", "sentence", prose(sentence), { attributes: { dir: "auto" } }),
      content,
      ...(buttons.length === 0 && !toggle
        ? []
        : [
            piece(
              "div",
              "buttons",
              { key: "buttons" },
              ...buttons.map((each, n) => rowButton(of, row, each, around, n === 0 && each.isMain ? "main" : "plain")),
              toggle,
            ),
          ]),
    ),
  );
}

/** A switch that is off belongs to *More*; one that is on is always visible. */
function bypass({ id, name, bypass: isOn }: AgentRow, { isRestricted, unfolded }: Around): Piece | undefined {
  if (isOn === undefined || (!isOn && !unfolded.includes(moreFold("agent", id)))) return undefined;
  const about = `bypass-${word(id)}`;
  return piece(
    "div",
    "bypass",
    { key: "bypass", attributes: { "data-tone": isOn ? "warning" : undefined } },
    piece(
      "label",
      "option",
      {},
      {
        tag: "input",
        isChecked: isOn,
        action: { kind: "switch", of: { kind: "bypass", id } },
        attributes: {
          type: "checkbox",
          "aria-label": `${texts.bypass}: ${line(name)}`,
          "aria-describedby": isOn ? about : undefined,
          disabled: isRestricted ? "" : undefined,
        },
      },
      textPiece("span", "", texts.bypass),
    ),
    ...(isOn
      ? [
          piece(
            "p",
            "hazard",
            { key: "hazard", attributes: { id: about } },
            sign("warning"),
            textPiece("span", "", texts.bypassIsOn),
          ),
        ]
      : []),
  );
}

function binButton(each: RowButton, row: ExtensionRow, { isRestricted }: Around): Piece {
  return piece(
    "button",
    "bin",
    {
      key: "bin",
      action: pressed("extension", row, each),
      attributes: {
        type: "button",
        "aria-label": `${line(each.label)}: ${line(each.about ?? row.name)}`,
        title: line(each.label),
        disabled: isRestricted ? "" : undefined,
      },
    },
    sign("bin"),
  );
}
