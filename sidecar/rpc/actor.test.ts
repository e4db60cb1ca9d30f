import { deepEqual } from "node:assert/strict";
import { Actor } from "./actor";
import { Scope } from "./scope";

type Message = { kind: "say"; text: string } | { kind: "boom" };
class Speaker extends Actor<Message> {
  readonly received: string[] = [];
  constructor() {
    super("speaker");
  }
  protected override async handle(m: Message) {
    if (m.kind === "boom") throw new Error("boom");
    await new Promise(resolve => setImmediate(resolve));
    this.received.push(m.text);
  }
  protected override failed(m: Message, error: unknown) {
    this.received.push(`${m.kind} failed: ${String(error)}`);
  }
  protected override refused(m: Message) {
    this.received.push(`${m.kind} refused`);
  }
}

suite("Actor and Scope", () => {
  test("handles messages in order and continues after a failure", async () => {
    await using speaker = new Speaker();
    speaker.post({ kind: "say", text: "one" });
    speaker.post({ kind: "boom" });
    speaker.post({ kind: "say", text: "two" });
    for (let i = 0; i < 100 && speaker.received.length < 3; i++) await new Promise(resolve => setImmediate(resolve));
    deepEqual(speaker.received, ["one", "boom failed: Error: boom", "two"]);
  });

  test("finishes the current message after disposal and rejects the others", async () => {
    const speaker = new Speaker();
    speaker.post({ kind: "say", text: "begun" });
    speaker.post({ kind: "boom" });
    await Promise.resolve();
    await Promise.resolve();
    await speaker[Symbol.asyncDispose]();
    speaker.post({ kind: "say", text: "late" });
    deepEqual(speaker.received, ["begun", "boom refused", "say refused"]);
  });

  test("disposes a scope last-in first-out despite failures, and late entries immediately", async () => {
    const log: string[] = [];
    const scope = new Scope("test", e => log.push(String((e as Error).cause)));
    scope.defer(() => {
      log.push("first");
    });
    scope.defer(() => {
      throw new Error("second");
    });
    scope.defer(() => {
      log.push("third");
    });
    await scope[Symbol.asyncDispose]();
    scope.defer(() => {
      log.push("late");
    });
    deepEqual(log, ["third", "Error: second", "first", "late"]);
  });
});
