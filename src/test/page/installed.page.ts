import assert from "node:assert/strict";
import { lastExchange, openBox, sendPrompt, turnEnded } from "./harness";

suite("the packaged extension", () => {
  test("installed from its .vsix, it answers a prompt", async function () {
    const vsix = process.env.SYMPOSIUM_VSIX;
    if (vsix === undefined) {
      this["skipReason"] = "SYMPOSIUM_VSIX does not name a package; npm test makes one";
      this.skip();
    }
    const box = await openBox({ vsix });
    try {
      const frame = await box.open();
      await sendPrompt(frame, "I need some help");
      await turnEnded(frame);
      const { answer } = await lastExchange(frame);
      assert.notEqual(answer, "");
    } finally {
      await box.close();
    }
  });
});
