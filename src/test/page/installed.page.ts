import assert from "node:assert/strict";
import { lastExchange, openBox, sendPrompt, turnEnded, type Box } from "./harness";

suite("packaged extension", () => {
  let box: Box | undefined;
  suiteSetup(async () => {
    const vsix = process.env.SYMPOSIUM_VSIX;
    assert.ok(vsix !== undefined, "SYMPOSIUM_VSIX names no package; npm test makes one");
    box = await openBox({ vsix });
  });
  suiteTeardown(() => box?.close());

  test("answers a prompt after installation from its .vsix", async () => {
    assert.ok(box);
    const frame = await box.open();
    await sendPrompt(frame, "I am unhappy");
    await turnEnded(frame);
    const { question, answer } = await lastExchange(frame);
    assert.match(question, /I am unhappy/);
    assert.match(answer, /unhappy/i);
  });
});
