import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { validated } from "../wire/schema";
import { settingsToHost, type SettingsToHost } from "./settings-to-host";

const validate = (value: unknown) => validated(settingsToHost, value);

const MESSAGES: readonly SettingsToHost[] = [
  { type: "ready" },
  { type: "row", of: "agent", id: "a", action: "install" },
  { type: "row", of: "recommendation", id: "crate a", action: "add" },
  { type: "bypass", id: "a", isOn: true },
  { type: "enable", id: "e", isOn: false },
  { type: "setting", id: "e", name: "tools", value: { search: true } },
  { type: "setting", id: "e", name: "words", value: ["a", "b"] },
  { type: "setting", id: "e", name: "limit", value: 0.5 },
  { type: "setting", id: "e", name: "limit" },
  { type: "move", id: "e", to: 0 },
  { type: "add", what: "extension" },
  { type: "note", action: "trust" },
  { type: "modifier", isOn: true },
  { type: "updates", mode: "auto" },
  { type: "checkUpdates" },
  { type: "showDismissed" },
  { type: "open", what: "walkthrough" },
  { type: "log", level: "info", message: "" },
];

suite("settings page message validation", () => {
  test("accepts every valid message and drops unknown fields", () => {
    for (const message of MESSAGES) {
      deepEqual(validate(message), { ok: true, message });
      deepEqual(validate({ ...message, more: 1 }), { ok: true, message });
    }
  });

  test("rejects an unknown or invalid message with a reason", () => {
    for (const wrong of [
      undefined,
      "ready",
      {},
      { type: "reload" },
      { type: "toString" },
      { type: "row", of: "proxy", id: "a", action: "install" },
      { type: "row", of: "agent", id: "", action: "install" },
      { type: "row", of: "agent", id: "a", action: "format" },
      { type: "row", of: "agent", id: "a".repeat(513), action: "install" },
      { type: "bypass", id: "a" },
      { type: "bypass", id: "a", isOn: "yes" },
      { type: "move", id: "a", to: -1 },
      { type: "move", id: "a", to: 0.5 },
      { type: "add", what: "trust" },
      { type: "note", action: "install" },
      { type: "updates", mode: "always" },
      { type: "open", what: "https://x" },
      { type: "log", level: "trace", message: "" },
      { type: "log", level: "info", message: "x".repeat(4_097) },
    ]) {
      const validation = validate(wrong);
      ok(!validation.ok && validation.why.startsWith("message"), JSON.stringify(wrong));
    }
  });

  test("never throws for any JSON", () =>
    fc.assert(
      fc.property(fc.jsonValue(), value => {
        equal(typeof validate(value).ok, "boolean");
      }),
    ));
});
