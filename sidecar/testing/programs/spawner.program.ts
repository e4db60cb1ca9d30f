/**
 * Minimal sidecar for tests that kill it. Starts a scripted agent with a ledger and prints one line of JSON, `{"ready":
 * ChildProcessRecord}`, after the agent's `initialize` response. Then it runs until it is killed. When its stdin ends,
 * it stops the agent and exits. Arguments: STORAGE RUN [AGENT-FLAG…]
 */
import { openLedger } from "../../process/process-ledger";
import { startProcess } from "../../process/stdio-process";
import { realClock } from "../../rpc/clock";
import { Peer } from "../../rpc/peer";
import type { ChildProcessRecord } from "../../../src/protocol/sidecar";
import { scriptedAgent } from "./programs";

const [storage = "", run = "", ...flags] = process.argv.slice(2);

async function main(): Promise<void> {
  const ledger = openLedger(storage, run);
  let record: ChildProcessRecord | undefined;
  const child = startProcess(scriptedAgent(flags), {
    clock: realClock,
    ledger,
    log: () => undefined,
    report: {
      started: started => {
        record = started;
      },
      ended: () => undefined,
    },
  });
  const peer = new Peer(child.channel, {
    request: request => request.respond({}),
    notification: () => undefined,
    closed: () => undefined,
  });
  await peer.request("initialize", { protocolVersion: 1, clientCapabilities: {} });
  process.stdout.write(`${JSON.stringify({ ready: record })}\n`);
  process.stdin
    .on(
      "end",
      () =>
        void child[Symbol.asyncDispose]().then(() => {
          ledger.close();
          process.exit(0);
        }),
    )
    .resume();
}

void main();
