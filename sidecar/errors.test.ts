import { deepEqual, equal } from "node:assert/strict";
import {
  AgentError,
  agentExited,
  agentWithoutAcp,
  agentWithUnsupportedAcp,
  restartsIn,
  withLastOutput,
} from "./errors";

suite("user-facing errors", () => {
  test("distinguishes a missing protocol version from an unsupported one", () => {
    equal(
      agentWithoutAcp("Ada", {}).message,
      "Ada is not an ACP agent: its response to initialize has no protocol version. Check its command in the setting symposium.agents.",
    );
    equal(
      agentWithUnsupportedAcp("Ada", 2, 1, {}).message,
      "Ada uses ACP version 2; this session supports version 1. Turn on the setting symposium.experimentalProtocolV2.",
    );
    equal(
      agentWithUnsupportedAcp("Ada", 7, 2, {}).message,
      "Ada uses ACP version 7; this session supports versions 1 and 2. Update the agent, or Symposium.",
    );
  });

  test("describes a process exit separately from its consequence", () => {
    const error = agentExited("Ada", "exit code 3", "one\ntwo\nthree\n\nfour\n");
    deepEqual([error.what, error.cause], ["Ada exited unexpectedly (exit code 3).", "two\nthree\nfour"]);
    equal(error.message, "Ada exited unexpectedly (exit code 3). Ada restarts with your next prompt.");
    deepEqual(
      [restartsIn("Ada", 1), restartsIn("Ada", 5)],
      ["Ada restarts in 1 second.", "Ada restarts in 5 seconds."],
    );
  });

  test("uses the last output as the cause if an error has none", () => {
    const error = withLastOutput(
      new AgentError("protocol", "No.", { cause: { code: -1 }, advice: "Do this." }),
      "a\nb\n",
    );
    deepEqual([error.code, error.what, error.message, error.cause], ["protocol", "No.", "No. Do this.", "a\nb"]);
    const exited = withLastOutput(agentExited("Ada", "exit code 1", "", 42), "last");
    deepEqual([exited.cause, exited.status, exited.readUntil], ["last", "exit code 1", 42]);
    equal(withLastOutput(agentExited("Ada", "exit code 1", "own"), "other").cause, "own");
  });
});
