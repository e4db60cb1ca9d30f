/** Type guards for messages from the host. They check only the shape on which the page relies. */
import { isObject, type Fields } from "../../src/protocol/json";
import { UPDATE_MODES, type HostToSettings, type SettingsView } from "../../src/protocol/settings-view";

export const isText = (value: unknown): value is string => typeof value === "string";
export const isTexts = (value: unknown): value is readonly string[] => Array.isArray(value) && value.every(isText);
const isSwitch = (value: unknown): boolean => typeof value === "boolean";
const isMaybe =
  (is: (value: unknown) => boolean) =>
  (value: unknown): boolean =>
    value === undefined || is(value);
const isEach =
  (is: (value: Fields) => boolean) =>
  (value: unknown): boolean =>
    Array.isArray(value) && value.every(each => isObject(each) && is(each));

const isButton = (button: Fields): boolean =>
  isText(button["act"]) && isText(button["label"]) && isMaybe(isText)(button["about"]);
const isMark = (mark: Fields): boolean => isText(mark["tone"]) && isText(mark["text"]);
const isFinding = (finding: Fields): boolean =>
  isText(finding["tone"]) &&
  isText(finding["sentence"]) &&
  isMaybe(isText)(finding["detail"]) &&
  isEach(isButton)(finding["buttons"]);
const isProgress = (value: unknown): boolean =>
  isObject(value) && isText(value["label"]) && isMaybe(percent => typeof percent === "number")(value["percent"]);
const isNote = (note: Fields): boolean =>
  isText(note["tone"]) &&
  isText(note["sentence"]) &&
  isMaybe(way => isObject(way) && isText(way["act"]) && isText(way["label"]))(note["button"]);

const isRow = (row: Fields): boolean =>
  ["id", "name", "origin"].every(key => isText(row[key])) &&
  ["description", "icon"].every(key => isMaybe(isText)(row[key])) &&
  isEach(isMark)(row["marks"]) &&
  isMaybe(isProgress)(row["progress"]) &&
  isEach(isFinding)(row["findings"]) &&
  isEach(isButton)(row["buttons"]);

const isView = (value: unknown): value is SettingsView =>
  isObject(value) &&
  isEach(row => isRow(row) && isSwitch(row["isCurrent"]) && isMaybe(isSwitch)(row["bypass"]))(value["agents"]) &&
  isEach(row => isRow(row) && isSwitch(row["isEnabled"]))(value["extensions"]) &&
  isEach(isNote)(value["notes"]) &&
  isMaybe(isText)(value["registry"]) &&
  UPDATE_MODES.some(mode => mode === value["updates"]) &&
  ["requireModifier", "isRestricted", "isPage"].every(key => isSwitch(value[key]));

/** Messages that fail the check are logged and ignored. */
export function isHostToSettings(value: unknown): value is HostToSettings {
  if (!isObject(value)) return false;
  switch (value["type"]) {
    case "view":
      return isView(value["view"]);
    case "say":
      return isText(value["text"]);
    case "reveal":
      return (value["of"] === "agent" || value["of"] === "extension") && isText(value["id"]);
    default:
      return false;
  }
}
