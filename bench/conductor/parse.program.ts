/**
 * A naive hop: every message is parsed, gets another id and is serialised. All messages of one chunk are written at
 * once.
 */
import type { Readable, Writable } from "node:stream";
import { startProgram } from "./child";
import { answerMeter } from "./meter";

interface Message {
  id?: unknown;
  readonly method?: string;
}

answerMeter();
const agent = startProgram("agent");
const fromClient = renumbering(),
  fromAgent = renumbering();
forward(process.stdin, agent.stdin, message =>
  message.method === undefined ? fromAgent.answered(message) : fromClient.asked(message),
);
forward(agent.stdout, process.stdout, message =>
  message.method === undefined ? fromClient.answered(message) : fromAgent.asked(message),
);
agent.on("exit", () => process.exit());

function forward(from: Readable, to: Writable, change: (message: Message) => void): void {
  let rest = "";
  from.setEncoding("utf8").on("data", (chunk: string) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    let text = "";
    for (const line of lines) {
      const message = JSON.parse(line) as Message;
      change(message);
      text += JSON.stringify(message) + "\n";
    }
    if (text !== "" && !to.write(text)) {
      from.pause();
      to.once("drain", () => from.resume());
    }
  });
  from.on("end", () => to.end());
}

function renumbering(): { asked(message: Message): void; answered(message: Message): void } {
  const ids = new Map<unknown, unknown>();
  let last = 0;
  return {
    asked(message) {
      if (message.id === undefined) return;
      ids.set(++last, message.id);
      message.id = last;
    },
    answered(message) {
      const own = message.id;
      message.id = ids.get(own);
      ids.delete(own);
    },
  };
}
