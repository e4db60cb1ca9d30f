/** Permission requests and their responses. */
import { MemoryAgent } from "../memory-agent";
import { golden } from "./golden";

const CALL = "tool t execute rm build",
  OPTIONS = "options=allow_once,allow_always,reject_once,reject_always";

suite("golden transcripts: permission requests", () => {
  for (const kind of ["allow_once", "allow_always", "reject_once", "reject_always"] as const)
    golden(`permission-${kind.replace("_", "-")}`, `forwards the choice of ${kind}`, async product => {
      await product.prompt(`${CALL}; ask t ${OPTIONS}; toolupdate t completed`);
      await product.choose(kind);
    });

  golden("permission-two-questions", "answers two open questions in the user's order", async product => {
    await product.prompt("ask* one title=One; ask* two title=Two");
    const { id } = product.entry("permission");
    const first = product.conversation.entries.find(entry => entry.kind === "permission");
    await product.choose("reject_once");
    await product.send("chat/answerPermission", {
      permissionId: first?.id ?? id,
      choice: { kind: "option", optionId: "allow_once" },
    });
    await product.frame();
  });

  golden("permission-stop", "answers an open question “cancelled” when the user stops the turn", async product => {
    await product.prompt(`${CALL}; ask t; say not reached`);
    await product.send("chat/cancel", {});
    await product.frame();
  });

  golden("permission-withdrawn", "closes the card of a question that the agent withdraws", async product => {
    await product.promptUntil("ask* t title=rm; withdraw* 1", /#\d+ = {"stopReason":"end_turn"}/);
  });

  golden("permission-answered-twice", "ignores a second answer to the same question", async product => {
    await product.prompt(`${CALL}; ask t; hang`);
    await product.choose("allow_once");
    await product.choose("reject_once");
  });

  golden(
    "permission-no-turn",
    "answers “cancelled” to a question outside a turn",
    async product => {
      const [agent] = agents;
      const asked = agent?.peer.request("session/request_permission", {
        sessionId: "s1",
        toolCall: { toolCallId: "t", title: "rm" },
        options: [{ optionId: "yes", name: "Yes", kind: "allow_once" }],
      });
      await asked;
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
    "bypass-setting",
    "allows every request of an agent with bypassPermissions",
    async product => {
      await product.prompt(`${CALL}; ask t ${OPTIONS}; toolupdate t completed`);
    },
    { bypass: true },
  );

  golden(
    "bypass-from-card",
    "allows the open request and stores the setting when bypassed until revoked",
    async product => {
      await product.prompt(`${CALL}; ask t; ask u`);
      await product.send("chat/bypass", { until: "revoked" });
      await product.frame();
    },
  );

  golden("bypass-ended", "asks again when the bypass of a session ends", async product => {
    await product.prompt("ask t title=first");
    await product.send("chat/bypass", { until: "sessionEnds" });
    await product.frame();
    await product.send("chat/endBypass", {});
    await product.prompt("ask t title=second");
    await product.choose("reject_once");
  });
});

const agents: MemoryAgent[] = [];
