/**
 * The sessions that the scripted agent stores, in a JSON file with the response to `session/list`. The file is read for
 * each request, so that a test can add sessions. `_meta.updates` of a session: the updates that `session/load` replays.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { arrayOr, objectOr } from "../../rpc/json";
import { RpcCode, RpcError } from "../../rpc/message";

type JsonObject = Readonly<Record<string, unknown>>;

export class StoredSessions {
  constructor(private readonly file: string) {}

  list(): JsonObject {
    return objectOr(JSON.parse(readFileSync(this.file, "utf8")));
  }

  updates(sessionId: string): readonly unknown[] {
    const session = this.#sessions().find(each => each.sessionId === sessionId);
    if (session === undefined) throw new RpcError(RpcCode.notFound, `no session ${sessionId}`);
    return arrayOr(objectOr(session._meta).updates);
  }

  delete(sessionId: string): void {
    const sessions = this.#sessions().filter(each => each.sessionId !== sessionId);
    writeFileSync(this.file, JSON.stringify({ ...this.list(), sessions }));
  }

  #sessions(): readonly JsonObject[] {
    return arrayOr(this.list().sessions).map(objectOr);
  }
}
