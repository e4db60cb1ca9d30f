/** Turns: queue, stop, errors, and replay after the view was hidden. */
import { golden } from "./golden";

const CANCEL_MS = 10_000,
  GIVE_UP_MS = 60_000,
  SILENCE_MS = 180_000;

suite("golden transcripts: turns", () => {
  golden("turn-queue", "sends a queued prompt when the turn ends", async product => {
    await product.prompt("ask t");
    await product.prompt("say second");
    await product.choose("allow_once");
  });

  golden("turn-queue-held", "holds the queue after a stop until the user sends it", async product => {
    await product.prompt("hang");
    await product.prompt("say second");
    await product.send("chat/cancel", {});
    await product.frame();
    await product.send("chat/sendQueued", {});
    await product.frame();
  });

  golden("turn-queue-withdrawn", "removes a withdrawn prompt from the queue", async product => {
    await product.prompt("hang");
    await product.prompt("say never", "queued");
    await product.send("chat/withdraw", { messageId: "queued" });
    await product.frame();
    await product.send("chat/cancel", {});
    await product.frame();
  });

  golden("turn-stop", "cancels the agent's turn and shows its last words", async product => {
    await product.prompt("say Working.; wait-cancel; say Stopped.");
    await product.send("chat/cancel", {});
    await product.frame();
  });

  golden("turn-stop-ignored", "offers a restart, then leaves an agent that ignores the cancellation", async product => {
    await product.prompt("hang-forever");
    await product.send("chat/cancel", {});
    await product.frame(CANCEL_MS);
    await product.frame(GIVE_UP_MS);
    await product.frame();
  });

  golden("turn-refusal", "reports that the agent refused to continue", async product => {
    await product.prompt("say No.; stop refusal");
  });

  golden("turn-max-tokens", "reports that the answer reached its maximum length", async product => {
    await product.prompt("say Once upon a time; stop max_tokens");
  });

  golden("turn-error", "shows an error response of the agent and accepts the next prompt", async product => {
    await product.prompt("error -32603 The model is overloaded");
    await product.prompt("say I am back.");
  });

  golden("turn-repeated-prompt", "accepts a repeated message id without a second turn", async product => {
    await product.prompt("say once", "same");
    await product.prompt("say once", "same");
  });

  golden("turn-retry", "sends the same text again as a new prompt after a failure", async product => {
    await product.prompt("error -32603 Try again", "first");
    await product.prompt("say It worked.", "retry");
  });

  golden("turn-answered-twice", "ignores a second response to a prompt", async product => {
    await product.prompt("say once; answer-twice");
    await product.prompt("say next");
  });

  golden("turn-silent", "reports an agent that sends nothing for three minutes", async product => {
    await product.prompt("hang");
    await product.frame(SILENCE_MS);
    await product.send("chat/cancel", {});
    await product.frame();
  });

  golden("replay-short-gap", "repeats the events that a hidden view has missed", async product => {
    await product.prompt("say first");
    await product.prompt("say second");
    await product.send("chat/replay", { requestNumber: 1, at: { bootId: "boot", seq: 7 } });
    await product.frame();
  });

  golden("replay-running-turn", "shows a running turn to a view that returns in the middle", async product => {
    await product.prompt("think Let me see.; say Half of it; ask t; say and the rest");
    await product.send("chat/replay", { requestNumber: 2 });
    await product.choose("allow_once");
  });

  golden("replay-other-boot", "sends a snapshot to a view of an earlier sidecar", async product => {
    await product.prompt("say first");
    await product.send("chat/replay", { requestNumber: 3, at: { bootId: "earlier", seq: 2 } });
    await product.frame();
  });

  golden("chat-closed", "refuses a prompt to a closed conversation", async product => {
    await product.send("chat/close", {});
    await product.prompt("say too late");
  });
});
