/**
 * Connections whose client has not sent a valid token yet. Any program on this machine can open them.
 *
 * Invariants:
 * - Each connection is closed at its deadline.
 * - Above the maximum number, the oldest connection is closed.
 * - A connection is removed as soon as it is closed or its client has sent a valid token.
 */
import type { Socket } from "node:net";
import type { Clock } from "../../rpc/clock";

export interface UnknownLimits {
  /** Time from the start of a connection to its first request with a valid token. */
  readonly ms: number;
  readonly sockets: number;
}

export class UnknownSockets {
  /** Oldest first. */
  readonly #deadlines = new Map<Socket, Disposable>();

  constructor(
    private readonly clock: Clock,
    private readonly limits: UnknownLimits,
  ) {}

  add(socket: Socket): void {
    this.#deadlines.set(
      socket,
      this.clock.after(this.limits.ms, () => socket.destroy()),
    );
    socket.once("close", () => this.known(socket));
    const [oldest] = this.#deadlines.keys();
    if (this.#deadlines.size > this.limits.sockets) oldest?.destroy();
  }

  /** Call when the client has sent a valid token. */
  known(socket: Socket): void {
    this.#deadlines.get(socket)?.[Symbol.dispose]();
    this.#deadlines.delete(socket);
  }
}
