/** Launches with extensions that do not start, or that exit. */
import { deepEqual, equal, match, rejects } from "node:assert/strict";
import type { ExtensionConfig } from "../../src/protocol/agents/extensions";
import { realClock } from "../rpc/clock";
import { hurriedClock } from "../testing/accelerated-clock";
import { WireProxy } from "../testing/chain/memory-chain";
import { program } from "../testing/programs/programs";
import { commandOf } from "./distributions/agent-command";
import { launch } from "./launch";
import {
  NEVER,
  local,
  extension,
  rule,
  rogue,
  ADA,
  ELIZA,
  replyTo,
  LaunchFixture,
  statusText,
} from "../testing/extensions/launch-fixture";

suite("launch with extensions", () => {
  const LEFT_OUT: readonly (readonly [what: string, extension: ExtensionConfig, sentence: string])[] = [
    [
      "is missing",
      extension("Bad", { local: { command: "/nowhere/bad" } }),
      "The agent extension “Bad” could not be started: “/nowhere/bad” was not found or is not executable.",
    ],
    [
      "has no usable distribution",
      extension("Bad", { cargo: { crate: "bad" } }),
      "The agent extension Bad has no command for this computer.",
    ],
    [
      "belongs to another version",
      extension("Bad", { symposium: { subcommand: "bad" } }),
      "The agent extension “Bad” is not part of this version of Symposium.",
    ],
    [
      "exits before its request",
      rogue("Bad", "--die-on-initialize"),
      "The agent extension “Bad” exited unexpectedly (exit code 3).",
    ],
    [
      "exits during its request",
      rogue("Bad", "--die-after-forward"),
      "The agent extension “Bad” exited unexpectedly (exit code 3).",
    ],
    [
      "is not an extension",
      rogue("Bad", "--not-a-proxy"),
      "The agent extension “Bad” is skipped: it is not an agent extension: it implements neither proxy/initialize nor _proxy/initialize.",
    ],
    [
      "violates the protocol",
      rogue("Bad", "--change-version"),
      "The agent extension “Bad” is skipped: it responded with protocol version 99, its successor with 1.",
    ],
  ];
  for (const [what, bad, sentence] of LEFT_OUT) {
    test(`excludes an extension that ${what}, with a sentence, and keeps the others`, async () => {
      await using fixture = new LaunchFixture();
      const connection = await fixture.launch(ADA, [rule("House rules", "Be brief."), bad]);
      deepEqual(connection.missing, [{ id: "bad", sentence }]);
      equal((await replyTo(connection, "hello")).text, "You said: Be brief.\nhello");
      deepEqual(fixture.statuses, [`bad failed: ${sentence}`, "house-rules started"]);
    });
  }

  test("excludes an extension that hangs after the proxy time limit", async () => {
    await using fixture = new LaunchFixture();
    fixture.clock = hurriedClock(1000);
    const connection = await fixture.launch(ELIZA, [rogue("Bad", "--hang-initialize")]);
    deepEqual(
      connection.missing.map(({ sentence }) => sentence),
      ["The agent extension “Bad” is skipped: it did not respond within 30 seconds."],
    );
  });

  test("excludes an extension whose installation fails, with its reason", async () => {
    await using fixture = new LaunchFixture();
    fixture.command = async config =>
      config.id === "bad" ? Promise.reject(new Error("npm stopped (exit code 1).")) : commandOf(config);
    const connection = await fixture.launch(ADA, [
      extension("Bad", { npx: { package: "bad" } }),
      rule("House rules", "Be brief."),
    ]);
    deepEqual(connection.missing, [
      { id: "bad", sentence: "The agent extension “Bad” is skipped: npm stopped (exit code 1)." },
    ]);
    equal((await replyTo(connection, "hello")).text, "You said: Be brief.\nhello");
  });

  test("logs each excluded extension without the advice for the user", async () => {
    await using fixture = new LaunchFixture();
    await fixture.launch(ELIZA, [
      extension("Gone", { symposium: { subcommand: "gone" } }),
      rogue("Bad", "--die-on-initialize"),
    ]);
    deepEqual(fixture.warned, [
      "The agent extension “Gone” is not part of this version of Symposium.",
      "The agent extension “Bad” is skipped: “Bad” exited unexpectedly (exit code 3).",
    ]);
  });

  test("ends the agent when an extension exits later, naming the extension", async () => {
    await using fixture = new LaunchFixture();
    const connection = await fixture.launch(ADA, [
        rule("House rules", "Be brief."),
        rogue("Bad", "--die-on", "session/prompt"),
      ]),
      { closed } = await replyTo(connection, "hello");
    equal(
      closed?.message,
      "The agent extension “Bad” exited unexpectedly (exit code 3). The agent exited with it. Both restart with your next prompt.",
    );
    match(String(closed.cause), /session\/prompt came/);
    await connection[Symbol.asyncDispose]();
    deepEqual(fixture.statuses.slice(2), [
      "house-rules ended",
      "bad ended: The agent extension “Bad” exited unexpectedly (exit code 3).",
    ]);
  });

  test("fails when an initialized extension exits while another still initializes", async () => {
    const statuses: string[] = [],
      answered: (() => void)[] = [];
    const wires = [
      new WireProxy("slow", {
        initialize: (request, proxy) =>
          void proxy.successor("initialize", request.params).then(() => answered.forEach(each => each())),
      }),
      new WireProxy("bad", {}),
    ];
    const both = new Promise<void>(resolve => answered.push(resolve)),
      configs = [extension("Slow", { local: { command: "slow" } }), extension("Bad", { local: { command: "bad" } })];
    const launching = launch({ agent: ELIZA, cwd: "/", protocol: 1, extensions: configs }, NEVER, {
      version: "1",
      clock: realClock,
      log: () => undefined,
      onStatus: (id, status) => statuses.push(`${id} ${statusText(status)}`),
      startProcess: ({ command }) => {
        const { running } = wires.find(({ name }) => name === command)!;
        return {
          pid: undefined,
          channel: running.channel,
          stderr: () => "",
          exited: new Promise(() => undefined),
          [Symbol.asyncDispose]: () => running.stop(),
        };
      },
    });
    await both;
    await wires[1]!.die();
    await rejects(launching, /^AgentError: The agent extension bad died\./);
    deepEqual(statuses, ["bad failed: The agent extension bad died."]);
  });

  test("reports no failed extension when the agent exits", async () => {
    await using fixture = new LaunchFixture();
    const connection = await fixture.launch(ADA, [extension("Pass", local(program("pass-proxy")))]);
    const { closed } = await replyTo(connection, "crash 3");
    equal(closed?.message, "Ada exited unexpectedly (exit code 3). Ada restarts with your next prompt.");
    await connection[Symbol.asyncDispose]();
    deepEqual(fixture.statuses, ["pass started", "pass ended"]);
  });
});
