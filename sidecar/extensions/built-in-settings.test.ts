import { deepEqual, equal, notEqual } from "node:assert/strict";
import fc from "fast-check";
import { BUILT_IN_SETTINGS, SPARKLE_SETTINGS } from "../../src/protocol/agents/built-in-settings";
import { withSetting } from "../../src/protocol/agents/extension-settings";
import { BUILT_IN_EXTENSIONS } from "../../src/protocol/agents/extensions";
import { settingValue } from "../../src/protocol/testing/setting-values";
import { rig as proxyRig } from "../testing/chain/proxy-rig";
import { ExtensionRig } from "../testing/extensions/extension-rig";
import { builtInExtension } from "./built-in";
import { readSettings } from "./sparkle/settings";

suite("settings of built-in extensions", () => {
  test("exist for each extension", () =>
    deepEqual(Object.keys(BUILT_IN_SETTINGS).sort(), BUILT_IN_EXTENSIONS.map(({ id }) => id).sort()));

  for (const [id, schema] of Object.entries(BUILT_IN_SETTINGS))
    test(`are accepted by ${id} with each value that its controls can produce`, async () => {
      using rig = new ExtensionRig();
      const extension = await builtInExtension(id);
      const entries = Object.entries(schema).map(([name, control]) => [name, settingValue(control)] as const);
      fc.assert(
        fc.property(fc.record(Object.fromEntries(entries)), values => {
          const settings = Object.entries(schema).reduce(
            (before, [name, control]) => withSetting(before, name, control, values[name]),
            {},
          );
          const definition = extension?.define(settings, rig.fixture);
          notEqual(definition, undefined);
          if (definition) proxyRig(definition.create);
          deepEqual(rig.logged, []);
        }),
        { numRuns: 50 },
      );
    });

  test("select the sparkler that the field shows", () =>
    fc.assert(
      fc.property(settingValue(SPARKLE_SETTINGS.sparkler), sparkler => {
        const { sparkler: effective } = readSettings({ sparkler }, { log: () => undefined });
        equal(effective, sparkler === "" ? undefined : sparkler);
      }),
    ));
});
