/** Sessions of an agent: start, options, sign-in, restart, and a chat restored after the sidecar exited. */
import { emptyConversation, type Conversation } from "../../../src/protocol/chat/chat";
import { golden } from "./golden";

const OPTIONS = ["--options"];
const EARLIER: Conversation = {
  ...emptyConversation({ id: "scripted", name: "Scripted" }, "/"),
  title: "Files",
  entries: [
    { kind: "user", id: "old-1", text: "Which files are here?" },
    { kind: "agent", id: "old-2", text: "Two: a.ts and b.ts." },
  ],
  turn: { state: "running", messageId: "old-1" },
};

suite("golden transcripts: sessions", () => {
  golden(
    "session-start",
    "initializes the agent, opens a session and sends the first prompt",
    product => product.prompt("say Hello."),
    { withStart: true },
  );

  golden("session-close", "closes one of two sessions and keeps the agent's process", async product => {
    const first = product.sessionId;
    await product.newChat({ conversation: "two" });
    await product.frame();
    await product.send("chat/close", { sessionId: first });
    await product.frame();
    await product.prompt("say Still here.");
  });

  golden("session-mode", "sets the mode that the user chooses", async product => {
    await product.send("chat/setControl", { controlId: "acp:mode", value: "code" });
    await product.frame();
    await product.prompt("chosen");
  });

  golden(
    "session-options",
    "sets a model and shows the option that depends on it",
    async product => {
      await product.send("chat/setControl", { controlId: "model", value: "large" });
      await product.frame();
      await product.send("chat/setControl", { controlId: "fast", value: true });
      await product.frame();
      await product.prompt("chosen");
    },
    { flags: OPTIONS },
  );

  golden(
    "session-option-refused",
    "restores the former value of an option that the agent refuses",
    async product => {
      await product.send("chat/setControl", { controlId: "model", value: "locked" });
      await product.frame();
    },
    { flags: OPTIONS },
  );

  golden(
    "session-option-by-agent",
    "shows a mode and an option that the agent changes",
    product => product.prompt("mode code; option effort low; option fast true"),
    { flags: OPTIONS },
  );

  golden(
    "session-options-restored",
    "sets the user's earlier choices again before the first prompt",
    product => product.prompt("chosen"),
    { flags: OPTIONS, withStart: true, chat: { controls: { model: "large", gone: "x" } } },
  );

  golden(
    "session-models",
    "sets a model with the earlier method session/set_model",
    async product => {
      const [, model] = product.conversation.controls;
      await product.send("chat/setControl", { controlId: model?.id ?? "", value: "large" });
      await product.frame();
      await product.prompt("chosen");
    },
    { flags: ["--models"] },
  );

  golden("session-commands", "shows commands, a title and usage of the agent", product =>
    product.prompt(
      "commands plan:Makes a plan <goal>,test:Runs the tests; title Tests of a.ts; usage 1200 200000 0.02 USD",
    ),
  );

  golden("session-restart", "restarts the agent on request and opens a new session", async product => {
    await product.prompt("hang");
    await product.send("chat/restartAgent", {});
    await product.frame();
    await product.frame();
    await product.prompt("say New process.");
  });

  golden(
    "session-restored",
    "continues a chat whose sidecar exited, with the reason that the agent forgot it",
    product => product.prompt("say I start anew."),
    { withStart: true, earlier: EARLIER },
  );

  golden(
    "start-slow",
    "reports an agent that has not started after 10 and 30 seconds",
    async product => {
      await product.frame(10_000);
      await product.frame(20_000);
      await product.prompt("say never sent");
    },
    { flags: ["--hang-init"], withStart: true },
  );

  golden(
    "start-initialize-fails",
    "reports an agent whose initialize fails and keeps the prompt",
    product => product.prompt("say never sent"),
    { flags: ["--fail-init"], withStart: true },
  );

  golden(
    "start-session-fails",
    "reports an agent whose session/new fails",
    product => product.prompt("say never sent"),
    { flags: ["--fail-new-session", "The folder is not trusted."], withStart: true },
  );

  golden(
    "sign-in",
    "asks the user to sign in and continues with the waiting prompt",
    async product => {
      await product.prompt("say You are signed in.");
      await product.send("chat/answerElicitation", {
        elicitationId: product.entry("elicitation").id,
        choice: { kind: "accept", values: { method: "scripted" } },
      });
      await product.frame();
      await product.frame();
    },
    { flags: ["--auth-required"], withStart: true },
  );

  golden(
    "sign-in-declined",
    "fails the start when the user declines to sign in",
    async product => {
      await product.send("chat/answerElicitation", {
        elicitationId: product.entry("elicitation").id,
        choice: { kind: "decline" },
      });
      await product.frame();
    },
    { flags: ["--auth-required"], withStart: true },
  );
});
