/** Settings of an extension as controls. Pure. */
import { expectedValue, warningOf } from "../../src/protocol/agents/extension-settings";
import { MAX_TEXT } from "../../src/protocol/agents/setting-limits";
import type { SettingControl } from "../../src/protocol/agents/setting-schema";
import { isObject } from "../../src/protocol/wire/json";
import type { ExtensionRow, SettingRow } from "../../src/protocol/settings/settings-view";
import { brief, line, prose } from "./display-text";
import { piece, textPiece, type Piece } from "./element-tree";
import { button, fold, sign, type Around, type Fold } from "./render-parts";
import { fieldText, type Draft } from "./setting-input";
import { controlId, type SettingRef } from "./settings-actions";
import { correctionText, othersText, perLine, rangeText, texts } from "./settings-texts";

export function settingsFold(row: ExtensionRow, around: Around): Fold | undefined {
  const { id, name, settings, buttons } = row;
  if (!settings) return undefined;
  const canEdit = buttons.some(({ action }) => action === "edit");
  return fold(around, `settings ${id}`, texts.settings, name, foldId =>
    piece(
      "div",
      "settings",
      {
        key: "settings",
        attributes: { id: foldId, role: "group", "aria-label": `${texts.settings}: ${line(name)}` },
      },
      ...settings.rows.map(each => setting({ id, name: each.name }, each, around)),
      ...(settings.others.length === 0
        ? []
        : [textPiece("p", "about under", prose(othersText(settings.others)), { key: "others" })]),
      ...(canEdit
        ? [
            button({
              key: "edit",
              label: texts.editInFile,
              about: name,
              action: { kind: "send", message: { type: "row", of: "extension", id, action: "edit" } },
              weight: "link",
              isOff: around.isRestricted,
            }),
          ]
        : []),
    ),
  );
}

/** Common parts of the controls. */
interface Control {
  readonly of: SettingRef;
  readonly row: SettingRow;
  readonly draft: Draft | undefined;
  /** Attributes of the input, without its type. */
  readonly attributes: Readonly<Record<string, string | undefined>>;
}

function setting(of: SettingRef, row: SettingRow, { drafts, isRestricted }: Around): Piece {
  const { control, isChanged, problem } = row,
    id = controlId(of),
    draft = drafts.find(each => each.of.id === of.id && each.of.name === of.name),
    warning = warningOf(control, row.value),
    about = aboutOf(control);
  const below = [
    about === ""
      ? undefined
      : textPiece("p", "about under", prose(about), { key: "about", attributes: { id: `${id}-about` } }),
    caution("warning", id, warning),
    caution("problem", id, draft ? undefined : problem),
    draft === undefined
      ? undefined
      : textPiece("p", "mistake", correctionText(expectedValue(control)), {
          key: "mistake",
          attributes: { id: `${id}-mistake`, role: "alert" },
        }),
  ].filter(each => each !== undefined);
  const described = below.map(each => each.attributes?.["id"]).join(" ");
  const attributes = {
    id,
    "aria-describedby": described === "" ? undefined : described,
    "aria-invalid": draft ? "true" : undefined,
    disabled: isRestricted ? "" : undefined,
  };
  const isGroup = control.type === "choices",
    all = { of, row, draft, attributes };
  const group = {
    id,
    role: "group",
    "aria-labelledby": `${id}-name`,
    "aria-describedby": attributes["aria-describedby"],
  };
  const name = textPiece(isGroup ? "span" : "label", "setting-name", labelOf(control), {
    key: "name",
    attributes: isGroup ? { id: `${id}-name` } : { for: id },
  });
  const hasName = control.type !== "boolean";
  return piece(
    "div",
    "setting",
    {
      key: of.name,
      isPlace: true,
      attributes: { "data-changed": isChanged ? "" : undefined, ...(isGroup ? group : {}) },
    },
    piece(
      "div",
      "setting-head",
      { key: "head" },
      hasName ? name : field(all),
      isChanged || draft ? changed(of, row, isRestricted) : undefined,
    ),
    hasName ? field(all) : undefined,
    ...below,
  );
}

const labelOf = (control: SettingControl): string =>
  control.type === "number" && control.unit !== undefined
    ? `${line(control.label)} (${line(control.unit)})`
    : line(control.label);

function aboutOf(control: SettingControl): string {
  const { description } = control,
    hint =
      control.type === "number" ? rangeText(control.min, control.max) : control.type === "texts" ? perLine : undefined;
  return [description, hint].filter(part => part !== undefined && part !== "").join(" ");
}

function caution(key: string, id: string, sentence: string | undefined): Piece | undefined {
  return sentence === undefined
    ? undefined
    : piece(
        "p",
        "hazard",
        { key, attributes: { id: `${id}-${key}` } },
        sign("warning"),
        textPiece("span", "", prose(sentence)),
      );
}

/** Also resets a text that does not fit. */
function changed(of: SettingRef, { control, isChanged }: SettingRow, isRestricted: boolean): Piece {
  return piece(
    "span",
    "changed",
    { key: "changed" },
    isChanged ? textPiece("span", "mark", texts.changed) : undefined,
    button({
      key: "reset",
      label: texts.reset,
      about: control.label,
      action: { kind: "reset", of },
      weight: "link",
      isOff: isRestricted,
    }),
  );
}

function checkbox({ of, attributes }: Control, label: string, isOn: boolean, id: string, option?: string): Piece {
  return piece(
    "label",
    "option",
    { key: `option ${option ?? ""}` },
    {
      tag: "input",
      isChecked: isOn,
      action: { kind: "setting", of, ...(option === undefined ? {} : { option }) },
      attributes: { ...attributes, id, type: "checkbox" },
    },
    textPiece("span", "", line(label)),
  );
}

function field(all: Control): Piece {
  const {
      of,
      row: { control, value },
      draft,
      attributes,
    } = all,
    edited = {
      key: "field",
      action: { kind: "setting", of },
      value: draft?.text ?? fieldText(value),
    } as const;
  switch (control.type) {
    case "number":
      return {
        ...edited,
        tag: "input",
        attributes: {
          ...attributes,
          class: "number",
          type: "number",
          min: String(control.min),
          max: String(control.max),
          step: control.isWhole === true ? "1" : "any",
        },
      };
    case "text":
      return {
        ...edited,
        tag: "input",
        attributes: {
          ...attributes,
          type: "text",
          maxlength: String(control.maxLength ?? MAX_TEXT),
          spellcheck: "false",
          dir: "auto",
        },
      };
    case "texts":
      return {
        ...edited,
        tag: "textarea",
        attributes: { ...attributes, rows: "3", spellcheck: "false", dir: "auto" },
      };
    case "choice":
      return {
        ...edited,
        tag: "select",
        attributes,
        children: control.options.map(option =>
          textPiece("option", "", brief(option.label), { key: option.value, attributes: { value: option.value } }),
        ),
      };
    case "choices":
      return options(all, control);
    case "boolean":
      return checkbox(all, control.label, value === true, controlId(of));
  }
}

function options(all: Control, control: Extract<SettingControl, { readonly type: "choices" }>): Piece {
  const {
    of,
    row: { value },
    attributes,
  } = all;
  return piece(
    "div",
    "options",
    { key: "field" },
    ...control.options.flatMap((option, i) => {
      const id = `${controlId(of)}-${i}`,
        isOn = isObject(value) && value[option.value] === true,
        about = option.description === undefined ? undefined : `${id}-about`;
      return [
        checkbox(
          { ...all, attributes: { ...attributes, "aria-describedby": about } },
          option.label,
          isOn,
          id,
          option.value,
        ),
        ...(about === undefined
          ? []
          : [
              textPiece("p", "about under below", prose(option.description ?? ""), {
                key: `about ${option.value}`,
                attributes: { id: about },
              }),
            ]),
      ];
    }),
  );
}
