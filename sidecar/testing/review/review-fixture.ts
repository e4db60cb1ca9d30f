/** A review service with sessions, over the snapshots of a fixture. */
import { deepEqual } from "node:assert/strict";
import { randomUUID } from "node:crypto";
import type { Review } from "../../../src/protocol/review/review";
import type { HostToSidecar } from "../../../src/protocol/sidecar";
import { FakeClock } from "../../../src/protocol/testing/fake-clock";
import type { Calls, ParamsOf, ResultOf } from "../../../src/protocol/wire/wire";
import { ReviewLogs } from "../../review/review-logs";
import { ReviewService, type Recording, type ReviewDeps } from "../../review/review-service";
import { NEVER } from "../sessions/chat-fixture";
import { SnapshotFixture } from "./snapshot-fixture";

export const FILES = { "w/a.txt": "1\n2\n3\n4\n5\n", "w/b.txt": "1\n2\n3\n" };

/** The folder `w` with two files. */
export function folderWithFiles(...options: ConstructorParameters<typeof SnapshotFixture>): SnapshotFixture {
  const fixture = new SnapshotFixture(...options);
  for (const [name, content] of Object.entries(FILES)) fixture.write(name, content);
  return fixture;
}

export function begin(recording: Recording, entryId: string): Promise<void> {
  return recording.begin({ entryId, title: `Prompt ${entryId}` }, "A session");
}

export class ReviewFixture implements AsyncDisposable {
  readonly clock = new FakeClock();
  readonly reviews = new Map<string, Review>();
  readonly stored = new Set<string>();
  readonly errors: string[] = [];
  readonly progress: string[] = [];
  service: ReviewService;
  #onShown = (): void => undefined;

  constructor(
    readonly fixture: SnapshotFixture,
    readonly deps: Partial<ReviewDeps> = {},
  ) {
    this.service = this.opened();
  }

  opened(): ReviewService {
    return new ReviewService({
      clock: this.clock,
      snapshots: this.fixture.store,
      logs: new ReviewLogs(this.fixture.at("storage")),
      lease: async () => ({ release: async () => undefined }),
      isStored: id => this.stored.has(id),
      isRestricted: false,
      date: () => 0,
      notifyChanged: review => {
        this.reviews.set(review.id, review);
        this.#onShown();
      },
      notifyProgress: ({ done, total }) => this.progress.push(`${done}/${total}`),
      log: (message, error) => this.errors.push(`${message}: ${String(error)}`),
      ...this.deps,
    });
  }

  session(
    id: string = randomUUID(),
    folders: readonly string[] = ["w"],
  ): { readonly id: string; readonly recording: Recording } {
    this.stored.add(id);
    const own = folders.map(name => this.fixture.at(name)),
      recording = this.service.record({ id, kind: "chat", agentName: "Ada", folders: own });
    if (recording === undefined) throw new Error("nothing is recorded");
    return { id, recording };
  }

  ask<M extends keyof Calls<HostToSidecar> & keyof ReviewService["handlers"]>(
    method: M,
    params: ParamsOf<HostToSidecar, M>,
  ): Promise<ResultOf<HostToSidecar, M>> {
    return (
      this.service.handlers[method] as unknown as (
        params: ParamsOf<HostToSidecar, M>,
        signal: typeof NEVER,
      ) => Promise<ResultOf<HostToSidecar, M>>
    )(params, NEVER);
  }

  /** The unreviewed files: path, lines, and marks. */
  async files(): Promise<readonly string[]> {
    const { reviews } = await this.ask("review/list", { folders: [this.fixture.folder] });
    return reviews.flatMap(({ files }) =>
      files.map(({ path, added, removed, shared }) => `${path} +${added} −${removed}${shared ? " shared" : ""}`),
    );
  }

  /** Resolves after the next notification. */
  shown(): Promise<void> {
    return new Promise(resolve => {
      this.#onShown = resolve;
      this.clock.advance(1_000);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.service[Symbol.asyncDispose]();
    deepEqual(this.errors, []);
  }
}
