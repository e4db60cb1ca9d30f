/**
 * Connections whose client has not sent a valid token yet. Any program of this machine can open them.
 *
 * Invariants: each is closed at its deadline; when there are too many, the oldest is closed; a connection is forgotten
 * as soon as it is closed, or its client is known.
 */
import type { Socket } from "node:net";
import type { Clock } from "../../rpc/clock";

export interface UnknownLimits {
  /** From the connection's start to its first request with a valid token. */
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

  /** Its client has sent a valid token. */
  known(socket: Socket): void {
    this.#deadlines.get(socket)?.[Symbol.dispose]();
    this.#deadlines.delete(socket);
  }
}
