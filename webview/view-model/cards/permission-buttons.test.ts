import { deepEqual, equal } from "node:assert/strict";
import type { PermissionOptionKind } from "../../../src/protocol/chat/chat";
import { permissionButtons } from "./permission-buttons";

const option = (kind: PermissionOptionKind, name: string, optionId: string = kind) => ({ optionId, name, kind });
const labels = (...options: readonly ReturnType<typeof option>[]) => {
  const { buttons, splitMenu, menuButtons } = permissionButtons({ options });
  return [buttons, splitMenu?.buttons ?? [], menuButtons].map(level => level.map(({ label }) => label));
};

suite("permission buttons", () => {
  test("allow once, allow always and reject, with the rest in the menu", () => {
    deepEqual(
      labels(
        option("reject_always", "Never"),
        option("reject_once", "No"),
        option("allow_always", "Always allow"),
        option("allow_once", "Yes"),
      ),
      [["Allow Once", "Allow Always", "Reject"], [], ["Reject Always", "Allow Everything…"]],
    );
  });

  test("keep a name that says more, as text", () => {
    deepEqual(labels(option("allow_once", "Yes, and accept *edits*"), option("reject_once", "No, keep planning"))[0], [
      "Yes\\, and accept \\*edits\\*",
      "No\\, keep planning",
    ]);
  });

  test("keep the names of several options of one kind", () => {
    deepEqual(labels(option("allow_once", "Allow", "a"), option("allow_once", "Yes", "b"))[0], ["Allow", "Yes"]);
  });

  test("show further permanent allowances in a menu after the first one", () => {
    const { splitMenu } = permissionButtons({
      options: [option("allow_always", "npm test", "a"), option("allow_always", "all of npm", "b")],
    });
    deepEqual(splitMenu, {
      after: "option:a",
      buttons: [{ id: "option:b", label: "all of npm", weight: "plain" }],
    });
  });

  test("show a permanent rejection that is the only one, and never allow everything in Symposium's own requests", () => {
    deepEqual(labels(option("reject_always", "Never")), [["Reject Always"], [], []]);
    equal(permissionButtons({ options: [option("allow_once", "Yes")], isOurs: true }).menuButtons.length, 0);
  });
});
