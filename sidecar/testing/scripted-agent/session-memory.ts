/** The sessions of the scripted agent and their prompts in a file, for agents that a later process resumes. */
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { objectOr, parseJson } from "../../../src/protocol/wire/json";

export class SessionMemory {
  constructor(private readonly file: string) {}

  /** Begins a session and returns its id. */
  begin(): string {
    const sessionId = `session-${new Set(this.#lines().map(({ sessionId }) => sessionId)).size + 1}`;
    this.#append({ sessionId });
    return sessionId;
  }

  has(sessionId: string): boolean {
    return this.#lines().some(line => line.sessionId === sessionId);
  }

  prompts(sessionId: string): readonly string[] {
    return this.#lines().flatMap(line =>
      line.sessionId === sessionId && typeof line.prompt === "string" ? [line.prompt] : [],
    );
  }

  add(sessionId: string, prompt: string): void {
    this.#append({ sessionId, prompt });
  }

  #append(line: object): void {
    appendFileSync(this.file, `${JSON.stringify(line)}\n`);
  }

  #lines(): readonly Readonly<Record<string, unknown>>[] {
    const text = existsSync(this.file) ? readFileSync(this.file, "utf8") : "";
    return text
      .split("\n")
      .filter(line => line !== "")
      .map(line => objectOr(parseJson(line)));
  }
}
