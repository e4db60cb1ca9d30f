/** Forms and pages of the agent (elicitation). */
import { golden } from "./golden";
import type { Product } from "./product";

const SCHEMA = {
  type: "object",
  properties: {
    name: { type: "string", title: "Name", minLength: 2 },
    level: { type: "string", enum: ["low", "high"] },
    count: { type: "integer", minimum: 1 },
  },
  required: ["name"],
};
const FORM = `form message="Which package?" requestedSchema=${JSON.stringify(SCHEMA)}`;

async function accept(product: Product, values: Readonly<Record<string, string | number>>): Promise<void> {
  await product.send("chat/answerElicitation", {
    elicitationId: product.entry("elicitation").id,
    choice: { kind: "accept", values },
  });
  await product.frame();
}

suite("golden transcripts: forms and pages", () => {
  golden("form-accepted", "returns the values of a form to the agent only", async product => {
    await product.prompt(FORM);
    await accept(product, { name: "web", level: "high", count: 2 });
  });

  golden("form-invalid", "keeps a form open whose values are invalid", async product => {
    await product.prompt(FORM);
    await accept(product, { name: "w", count: 0 });
    await accept(product, { name: "web" });
  });

  golden("form-declined", "tells the agent that the user declined", async product => {
    await product.prompt(FORM);
    await product.send("chat/answerElicitation", {
      elicitationId: product.entry("elicitation").id,
      choice: { kind: "decline" },
    });
    await product.frame();
  });

  golden("form-stopped", "cancels an open form when the user stops the turn", async product => {
    await product.prompt(FORM);
    await product.send("chat/cancel", {});
    await product.frame();
  });

  golden("page-visited", "opens a page after the user's consent and marks it when it is done", async product => {
    await product.prompt("visit https://example.com/login; visited visit; say Welcome.");
    await accept(product, {});
  });
});
