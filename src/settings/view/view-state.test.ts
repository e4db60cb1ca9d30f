import { deepEqual, doesNotMatch, equal, ok } from "node:assert/strict";
import { installed, model, settingsOf, states } from "../../testing/settings-model-fixture";
import type { SettingsModel } from "./settings-model";
import { settingsView } from "./view-state";

suite("settings view", () => {
  test("shows the configuration and the reason for restrictions in an untrusted workspace", () => {
    const view = settingsView(model({ isTrusted: false, ...states(["ada", installed]), sidecar: "gone" }), true);
    ok(
      [...view.agents, ...view.extensions].every(
        ({ buttons, findings }) => buttons.length === 0 && findings.every(finding => finding.buttons.length === 0),
      ),
    );
    deepEqual(
      [view.isRestricted, view.isPage, view.notes.map(({ button }) => button?.action)],
      [true, true, ["trust"]],
    );
    doesNotMatch(JSON.stringify(view.agents), /…|installed/);
  });

  test("contains notes for invalid settings, a missing sidecar and outdated tabs", () => {
    const view = settingsView(
      model({ settings: settingsOf([{ id: "bad" }], "gone"), sidecar: "It stopped.", outdatedTabs: 2 }),
      false,
    );
    deepEqual(
      view.notes.map(({ tone, button }) => [tone, button?.action]),
      [
        ["warning", "settingsFile"],
        ["error", undefined],
        ["neutral", "newTab"],
      ],
    );
    equal(view.notes[2]?.sentence, "2 open tabs still use their old settings.");
    equal(
      settingsView(model({ outdatedTabs: 1 }), false).notes[0]?.sentence,
      "1 open tab still uses its old settings.",
    );
  });

  test("shows the age of the registry and its last error", () => {
    const registry = (of: SettingsModel["registry"]) =>
      settingsView(model({ registry: of, now: 7_200_000 }), false).registry;
    deepEqual(
      [
        registry({ isReading: false }),
        registry({ isReading: true, problem: "x" }),
        registry({ isReading: false, fetchedAt: 0 }),
        registry({ isReading: false, fetchedAt: 0, problem: "There is no network." }),
      ],
      [
        undefined,
        "Reading the registry…",
        "The registry was read 2 hours ago.",
        "There is no network. The registry was read 2 hours ago.",
      ],
    );
  });
});
