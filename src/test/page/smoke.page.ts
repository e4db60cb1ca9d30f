import assert from "node:assert/strict";
import { lastExchange, openBox, sendPrompt, turnEnded, type Box } from "./harness";

suite("chat view from the source folder", () => {
  let box: Box;
  suiteSetup(async () => {
    box = await openBox();
  });
  suiteTeardown(() => box.close());

  test("shows Eliza's answer to a typed prompt", async () => {
    const frame = await box.open();
    await sendPrompt(frame, "I am unhappy");
    await turnEnded(frame);
    const { question, answer } = await lastExchange(frame);
    assert.match(question, /I am unhappy/);
    assert.match(answer, /unhappy/i);
  });

  test("shows another answer to another text", async () => {
    const first = (await lastExchange(box.frame)).answer;
    await sendPrompt(box.frame, "My mother hates computers");
    await turnEnded(box.frame);
    const { question, answer } = await lastExchange(box.frame);
    assert.match(question, /My mother hates computers/);
    assert.notEqual(answer, first);
  });
});
