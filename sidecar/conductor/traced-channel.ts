/**
 * A channel whose messages are traced. `here` is the component that holds it, on the agent's side of the link; `there`
 * is the component at the other end. Created only when there is a trace.
 */
import type { Channel } from "../rpc/channel";
import type { Trace } from "./component";

export function traced(channel: Channel, here: string, there: string, link: number, trace: Trace): Channel {
  return {
    start: receiver =>
      channel.start({
        receive: frame => {
          trace.message(there, here, frame, link, "down");
          return receiver.receive(frame);
        },
        closed: reason => receiver.closed(reason),
      }),
    send: frame => {
      trace.message(here, there, frame, link, "up");
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
