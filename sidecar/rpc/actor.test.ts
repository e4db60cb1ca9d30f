import { deepEqual } from "node:assert/strict";
import { Actor } from "./actor";
import { Scope } from "./scope";

type Message = { kind: "say"; text: string } | { kind: "boom" };
class Speaker extends Actor<Message> {
  readonly heard: string[] = [];
  constructor() {
    super("speaker");
  }
  protected override async handle(m: Message) {
    if (m.kind === "boom") throw new Error("boom");
    await new Promise(resolve => setImmediate(resolve));
    this.heard.push(m.text);
  }
  protected override failed(m: Message, error: unknown) {
    this.heard.push(`${m.kind} failed: ${String(error)}`);
  }
  protected override refused(m: Message) {
    this.heard.push(`${m.kind} refused`);
  }
}

suite("actor and scope", () => {
  test("an actor handles messages in order and survives a failing one", async () => {
    await using speaker = new Speaker();
    speaker.post({ kind: "say", text: "one" });
    speaker.post({ kind: "boom" });
    speaker.post({ kind: "say", text: "two" });
    for (let i = 0; i < 100 && speaker.heard.length < 3; i++) await new Promise(resolve => setImmediate(resolve));
    deepEqual(speaker.heard, ["one", "boom failed: Error: boom", "two"]);
  });

  test("a disposed actor finishes what it began and refuses the rest", async () => {
    const speaker = new Speaker();
    speaker.post({ kind: "say", text: "begun" });
    speaker.post({ kind: "boom" });
    await Promise.resolve();
    await Promise.resolve();
    await speaker[Symbol.asyncDispose]();
    speaker.post({ kind: "say", text: "late" });
    deepEqual(speaker.heard, ["begun", "boom refused", "say refused"]);
  });

  test("a scope closes last-in first-out, past failures, and disposes late arrivals", async () => {
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
