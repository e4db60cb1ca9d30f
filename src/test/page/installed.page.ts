import assert from "node:assert/strict";
import { lastExchange, openBox, sendPrompt, turnEnded } from "./harness";

suite("the packaged extension", () => {
  test("installed from its .vsix, it answers a prompt", async () => {
    const vsix = process.env.SYMPOSIUM_VSIX;
    assert.ok(vsix !== undefined, "SYMPOSIUM_VSIX names no package; npm test makes one");
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
