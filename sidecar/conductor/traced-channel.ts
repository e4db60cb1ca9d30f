/**
 * Traces the messages of a channel. `holder` is the component that uses the channel, on the agent's side of the link.
 * `peer` is the component at the other end.
 */
import type { Channel } from "../rpc/channel";
import type { Trace } from "./component";

export function traced(channel: Channel, holder: string, peer: string, link: number, trace: Trace): Channel {
  return {
    start: receiver =>
      channel.start({
        receive: frame => {
          trace.message(peer, holder, frame, link, "down");
          return receiver.receive(frame);
        },
        closed: reason => receiver.closed(reason),
      }),
    send: frame => {
      trace.message(holder, peer, frame, link, "up");
      return channel.send(frame);
    },
    drained: () => channel.drained(),
    [Symbol.asyncDispose]: () => channel[Symbol.asyncDispose](),
  };
}

/**
 * Component names in a trace. The viewer of the Rust conductor draws `client` first and `agent` last, and sorts all
 * others as text. The components between them are therefore numbered from the client on.
 */
export function traceNames(middle: readonly string[]): readonly string[] {
  const digits = String(middle.length).length;
  return ["client", ...middle.map((name, i) => `${String(i + 1).padStart(digits, "0")} ${name}`), "agent"];
}
