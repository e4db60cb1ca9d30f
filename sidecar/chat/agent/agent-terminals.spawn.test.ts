import { deepEqual, equal, match, ok, rejects, throws } from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { realpathSync } from "node:fs";
import { applyEvent, emptyConversation, TERMINAL_LIMIT, type TerminalView } from "../../../src/protocol/chat/chat";
import { startChild } from "../../process/child";
import { openLedger } from "../../process/process-ledger";
import { temporaryFolder } from "../../testing/drive";
import { hurriedClock } from "../../testing/accelerated-clock";
import { AgentTerminals } from "./agent-terminals";
import type { State } from "../session-model";
import { startSession } from "../session-state";
import { terminal, type TerminalEvent } from "../session-terminals";

/** Terminals with real processes, and their display in a session. */
class Fixture implements AsyncDisposable {
  readonly #folder = temporaryFolder();
  readonly #ledger = openLedger(this.#folder.path, randomUUID(), {
    warn: message => {
      throw new Error(message);
    },
  });
  readonly cwd = realpathSync(this.#folder.path);
  readonly terminals: AgentTerminals;
  #state: State = startSession(emptyConversation({ id: "a", name: "Ada" }, "/w"), "s-", undefined)[0];
  #page = this.#state.conversation;
  /** Called at the next change of the display. */
  #onChange: () => void = () => undefined;

  constructor() {
    const clock = hurriedClock(1),
      processes = {
        clock,
        ledger: this.#ledger,
        report: { started: () => undefined, ended: () => undefined },
        log: () => undefined,
      };
    this.terminals = new AgentTerminals("x", this.cwd, spec => startChild(spec, processes), clock, {
      started: view => this.#apply({ kind: "terminalStarted", terminal: view }),
      printed: (terminalId, text, isCut) => this.#apply({ kind: "terminalPrinted", terminalId, text, isCut }),
      ended: (terminalId, exit) => this.#apply({ kind: "terminalEnded", terminalId, exit }),
    });
  }
  #apply(event: TerminalEvent): void {
    const [state, effects] = terminal(this.#state, event);
    this.#state = state;
    for (const effect of effects) if (effect.kind === "emit") this.#page = applyEvent(this.#page, effect.event);
    deepEqual(this.#page.terminals, state.conversation.terminals, "the page would show something else");
    this.#onChange();
  }
  get shown(): readonly TerminalView[] {
    return this.#page.terminals ?? [];
  }
  create(params: object): string {
    return String(this.terminals.create(params).terminalId);
  }
  /** Runs Node, a command that exists on every system. */
  node(code: string, overrides: object = {}): string {
    return this.create({ command: process.execPath, args: ["-e", code], ...overrides });
  }
  async until(isTrue: () => boolean): Promise<void> {
    while (!isTrue())
      await new Promise<void>(resolve => {
        this.#onChange = resolve;
      });
  }
  async [Symbol.asyncDispose](): Promise<void> {
    await this.terminals.leave();
    this.#ledger.close();
    this.#folder[Symbol.dispose]();
  }
}

suite("agent terminal", () => {
  test("runs a command and reports its output and exit code", async () => {
    await using fixture = new Fixture();
    const terminalId = fixture.node(
      "process.stdout.write('out ž'); process.stderr.write('err'); process.exitCode = 3",
      {
        env: [{ name: "A", value: "1" }, { name: 5 }],
      },
    );
    deepEqual(await fixture.terminals.waitForExit({ terminalId }), { exitCode: 3, signal: null });
    const { output, ...rest } = fixture.terminals.output({ terminalId });
    equal([...String(output)].sort().join(""), [..."out žerr"].sort().join(""));
    deepEqual(rest, { truncated: false, exitStatus: { exitCode: 3, signal: null } });
    deepEqual(
      fixture.shown.map(({ output: shown, command, cwd, ...view }) => [
        String(shown).length,
        command.includes("-e"),
        cwd,
        view,
      ]),
      [[8, true, fixture.cwd, { terminalId, isCut: false, exit: { code: 3 } }]],
    );
  });

  test("uses the agent's environment and folder, and runs a line without arguments in the shell", async () => {
    await using fixture = new Fixture();
    const first = fixture.node("process.stdout.write(process.env.GREETING + ' ' + process.cwd())", {
      env: [{ name: "GREETING", value: "hi" }],
      cwd: fixture.cwd,
    });
    await fixture.terminals.waitForExit({ terminalId: first });
    equal(fixture.terminals.output({ terminalId: first }).output, `hi ${fixture.cwd}`);
    const two = fixture.create({ command: "echo one && echo two" });
    await fixture.terminals.waitForExit({ terminalId: two });
    match(String(fixture.terminals.output({ terminalId: two }).output), /^one\s+two\s+$/);
  });

  test("shows only the command line of a shell, including an explicit shell", async () => {
    await using fixture = new Fixture();
    const shells: readonly (readonly [command: string, args: readonly string[], shown: string])[] = [
      ["/bin/sh", ["-c", "echo 'a b'"], "echo 'a b'"],
      ["cmd.exe", ["/d", "/s", "/c", "dir"], "dir"],
      ["/no/such/sh", ["a b"], '/no/such/sh "a b"'],
      ["/no/such/push", ["-c", "x"], "/no/such/push -c x"],
      ["/no/such/sh", ["other.sh", "-c", "ls"], "/no/such/sh other.sh -c ls"],
    ];
    for (const [command, args] of shells) fixture.create({ command, args });
    deepEqual(
      fixture.shown.map(({ command }) => command),
      shells.map(([, , shown]) => shown),
    );
  });

  test("shows other programs with the name of a shell completely", async () => {
    await using fixture = new Fixture();
    const shells: readonly (readonly [
      command: string,
      args: readonly string[],
      shown: string,
      env?: readonly object[],
    ])[] = [
      ["/no/such/sh", ["-c", "ls"], "/no/such/sh -c ls"],
      ["./bash", ["-c", "ls"], "./bash -c ls"],
      ["/no/such rm -rf x", ["a b"], `"/no/such rm -rf x" "a b"`],
      ["sh", ["-c", "ls"], "sh -c ls", [{ name: "PATH", value: "/no/such" }]],
      ["/no/such/ls", ["", "a\u3164"], `/no/such/ls "" "a\u3164"`],
    ];
    for (const [command, args, , env = []] of shells) fixture.create({ command, args, env });
    deepEqual(
      fixture.shown.map(({ command }) => command),
      shells.map(([, , shown]) => shown),
    );
  });

  test("reports a missing command and exit code 127", async () => {
    await using fixture = new Fixture();
    const terminalId = fixture.create({ command: "/no/such/program", args: ["x"] });
    deepEqual(await fixture.terminals.waitForExit({ terminalId }), { exitCode: 127, signal: null });
    match(String(fixture.terminals.output({ terminalId }).output), /no\/such\/program/);
  });

  test("keeps the end of the output, cut between characters, within the limits", async () => {
    await using fixture = new Fixture();
    const few = fixture.node("process.stdout.write('žluťoučký')", { outputByteLimit: 4 });
    await fixture.terminals.waitForExit({ terminalId: few });
    deepEqual(
      fixture.terminals.output({ terminalId: few }),
      { output: "ký", truncated: true, exitStatus: { exitCode: 0, signal: null } },
      "four bytes begin within a character",
    );
    const endless = fixture.node(
      "const line = 'x'.repeat(1023) + '\\n', go = () => { while (process.stdout.write(line)); process.stdout.once('drain', go); }; go();",
      { outputByteLimit: 1e12 },
    );
    await fixture.until(() => fixture.shown.at(-1)?.isCut === true);
    const { output, truncated } = fixture.terminals.output({ terminalId: endless });
    ok(String(output).length <= 16 * 1024 * 1024);
    equal(typeof truncated, "boolean");
    ok((fixture.shown.at(-1)?.output.length ?? 0) <= TERMINAL_LIMIT);
    await fixture.terminals.release({ terminalId: endless });
  });

  test("keeps the output after kill, and releases it only for the agent", async () => {
    await using fixture = new Fixture();
    const terminalId = fixture.node("process.stdout.write('ready'); setInterval(() => {}, 1000)");
    await fixture.until(() => fixture.shown[0]?.output === "ready");
    deepEqual(fixture.terminals.output({ terminalId }), { output: "ready", truncated: false });
    deepEqual(await fixture.terminals.kill({ terminalId }), {});
    match(JSON.stringify(fixture.terminals.output({ terminalId }).exitStatus), /"signal":"SIG|"exitCode":1/);
    await fixture.terminals.release({ terminalId });
    throws(() => fixture.terminals.output({ terminalId }), /Terminal .* does not exist/);
    await rejects(fixture.terminals.waitForExit({ terminalId }), /Terminal .* does not exist/);
    await rejects(fixture.terminals.kill({ terminalId: "none" }), /Terminal none does not exist/);
    equal(fixture.shown[0]?.output, "ready");
  });

  test("stops all processes when the session ends", async () => {
    await using fixture = new Fixture();
    const terminalId = fixture.node("setInterval(() => {}, 1000)"),
      ended = fixture.terminals.waitForExit({ terminalId });
    await fixture.terminals.leave();
    match(JSON.stringify(await ended), /SIG|"exitCode":1/);
  });

  test("rejects invalid commands and more than the maximum number of terminals", async () => {
    await using fixture = new Fixture();
    for (const command of ["", " ", undefined, "a\0b"])
      throws(() => fixture.create({ command }), /a command is required/);
    throws(() => fixture.create({ command: "ls", cwd: "here" }), /an absolute path is required/);
    const failing = new AgentTerminals(
      "y",
      fixture.cwd,
      () => ({ kind: "failed", why: new Promise(() => undefined) }),
      hurriedClock(1),
      { started: () => undefined, printed: () => undefined, ended: () => undefined },
    );
    for (let i = 0; i < 100; i++) failing.create({ command: "x" });
    throws(() => failing.create({ command: "x" }), /100 terminals are open/);
  });
});
