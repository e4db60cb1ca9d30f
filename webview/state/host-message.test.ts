import { ok } from "node:assert/strict";
import { isHostToPage } from "./host-message";

test("messages of the host are recognized by their type", () => {
  ok(isHostToPage({ type: "requestReplay" }));
  for (const message of [undefined, "requestReplay", {}, { type: "toString" }, { type: "hologram" }])
    ok(!isHostToPage(message), JSON.stringify(message));
});
