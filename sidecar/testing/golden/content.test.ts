/** Content of a turn: text, plans, tool calls, edits, files and unknown updates. */
import { ErrorCode } from "../../../src/protocol/wire/errors";
import { RpcError } from "../../rpc/message";
import { MemoryAgent } from "../memory-agent";
import { golden } from "./golden";
import type { ProductOptions } from "./product";

/** The end of a turn. */
const ENDED = /"stopReason"/;
/** An editor with one file. */
const EDITOR: ProductOptions = {
  host: ({ method, params }) => {
    if (method === "editor/writeTextFile") return {};
    if (method === "editor/readTextFile" && params.path.endsWith("a.ts")) return { text: "unsaved\nlines\n" };
    throw new RpcError(ErrorCode.noFile, "There is no such file.");
  },
};

suite("golden transcripts: content", () => {
  golden("content-stream", "joins the chunks of an answer into one entry", async product => {
    await product.prompt("say The first ; say and the second; ask t; say half.");
    await product.choose("allow_once");
  });

  golden("content-thoughts", "separates thoughts from the answer", product =>
    product.prompt("think The user greets me.; think  I greet back.; say Hello."),
  );

  golden("content-plan", "replaces the plan of a turn", product =>
    product.prompt("plan read|[>] write|test; say Reading.; plan [x] read|[x] write|[>] test"),
  );

  golden("content-tool", "updates a tool call from its start to its result", product =>
    product.prompt(
      'tool t read Read a.ts; toolupdate t in_progress rawInput={"path":"a.ts"} locations=/project/a.ts:3; toolupdate t completed text="3 lines" rawOutput={"lines":3}',
    ),
  );

  golden("content-tool-unannounced", "shows an update of a tool call that was never announced", product =>
    product.prompt('toolupdate lost completed title="Ran tests" text="2 passed"'),
  );

  golden("content-tool-left-open", "cancels a tool call that the agent left open at the end of its turn", product =>
    product.prompt("tool t execute npm test; toolupdate t in_progress; say Done."),
  );

  golden("content-edit", "shows the diff of an edit before the user allows it", async product => {
    await product.prompt(
      'tool t edit Edit a.ts; ask t kind=edit diff={"path":"/project/a.ts","oldText":"a = 1","newText":"a = 2"}; toolupdate t completed',
    );
    await product.choose("allow_once");
  });

  golden("content-kinds", "shows images, audio, links and resources of an answer", product =>
    product.prompt('show image audio link=file:///project/a.ts resource=file:///project/b.ts hologram="x"'),
  );

  golden("content-attachments", "sends attached files as links and a selection with its text", async product => {
    await product.send("chat/prompt", {
      messageId: "m1",
      blocks: [
        { type: "text", text: "received" },
        { type: "attachment", attachment: { kind: "file", path: `${product.cwd}/a.ts` } },
        {
          type: "attachment",
          attachment: {
            kind: "selection",
            name: "b.ts",
            path: "/project/b.ts",
            text: "let b;",
            startLine: 2,
            endLine: 2,
          },
        },
      ],
    });
    await product.until(ENDED, 0);
  });

  golden("content-notice", "shows notices and a compaction of the agent", product =>
    product.prompt(
      "notice warning Low on credits | 2 requests are left; compact c in_progress; compact-say c The user wants tests.; compact c completed",
    ),
  );

  golden("content-unknown", "ignores updates, requests and notifications that it does not know", product =>
    product.prompt("unknown-update; unknown-request; unknown-notification; say Still here."),
  );

  golden(
    "invalid-params",
    "rejects malformed requests of the agent",
    async product => {
      const [agent] = agents;
      const send = async (method: string, params: object): Promise<void> => {
        await agent?.peer.request(method, { sessionId: "s1", ...params }).catch(() => undefined);
      };
      await send("fs/read_text_file", {});
      await send("fs/read_text_file", { path: "relative.ts" });
      await send("session/request_permission", { toolCall: 7, options: "none" });
      await send("terminal/output", { terminalId: "unknown" });
      void send("elicitation/create", { mode: "form", message: 7 });
      await product.frame();
    },
    {
      agent: () => {
        const agent = new MemoryAgent();
        agents.push(agent);
        return agent.channel;
      },
    },
  );

  golden(
    "files-read",
    "reads a file with the unsaved changes of the editor",
    async product => {
      await product.promptUntil(`read ${product.cwd}/a.ts`, ENDED);
    },
    EDITOR,
  );

  golden(
    "files-write",
    "writes a file through the editor",
    async product => {
      await product.promptUntil(`write ${product.cwd}/new.ts let c;`, ENDED);
    },
    EDITOR,
  );

  golden(
    "files-outside",
    "asks the user before the agent reads a file outside the workspace",
    async product => {
      await product.promptUntil("read /etc/hosts", /"attention":"answer"/);
      await product.chooseUntil("reject_once", ENDED);
    },
    EDITOR,
  );
});

const agents: MemoryAgent[] = [];
