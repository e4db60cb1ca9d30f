// The part of the Anthropic Messages API that agents use.
import { pause, pieces, sendJson, startEvents } from "./reply.mjs";

export const path = /\/messages$/;

let messages = 0;

const partsIn = (content, type) => (Array.isArray(content) ? content.filter(part => part.type === type) : []);
const textOf = content =>
  typeof content === "string"
    ? content
    : partsIn(content, "text")
        .map(part => part.text)
        .join("\n");

export function read(body) {
  // Tools that the agent hides until the model has found them.
  const toolResults = (body.messages ?? []).flatMap(({ content }) => partsIn(content, "tool_result"));
  const found = new Set(
    toolResults.flatMap(({ content }) => partsIn(content, "tool_reference")).map(part => part.tool_name),
  );
  return {
    entries: (body.messages ?? []).map(({ role, content }) => {
      const results = partsIn(content, "tool_result")
        .filter(part => partsIn(part.content, "tool_reference").length === 0)
        .map(part => textOf(part.content));
      return { role, text: textOf(content), calls: partsIn(content, "tool_use").map(part => part.name), results };
    }),
    tools: (body.tools ?? [])
      .filter(tool => !tool.defer_loading || found.has(tool.name))
      .map(({ name, input_schema: schema }) => ({ name, properties: Object.keys(schema?.properties ?? {}) })),
    schema: body.output_format?.schema ?? body.output_config?.format?.schema,
  };
}

export async function write(response, { body }, { scenario, text, thinking, calls, hold }) {
  // Requests outside the script report no tokens, because agents send them at any time and sum the usage.
  const [input, output] = scenario === undefined ? [0, 0] : [100, 20];
  const usage = {
    input_tokens: input,
    output_tokens: output,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
  };
  const content = [
    ...(thinking ? [{ type: "thinking", thinking, signature: "c2ln" }] : []),
    ...(text ? [{ type: "text", text }] : []),
    ...calls.map(({ id, name, args }) => ({ type: "tool_use", id: `toolu_${id}`, name, input: args })),
  ];
  const ending = { stop_reason: calls.length > 0 ? "tool_use" : "end_turn", stop_sequence: null };
  const message = { id: `msg_${++messages}`, type: "message", role: "assistant", model: body.model };
  if (!body.stream) return sendJson(response, { ...message, content, ...ending, usage });

  const events = startEvents(response);
  const send = (type, values) => events(`event: ${type}\n`, { type, ...values });
  send("message_start", { message: { ...message, content: [], stop_reason: null, stop_sequence: null, usage } });
  for (const [index, block] of content.entries()) {
    send("content_block_start", { index, content_block: emptied(block) });
    for await (const delta of deltasOf(block)) send("content_block_delta", { index, delta });
    if (hold && block.type === "text") return;
    await pause();
    send("content_block_stop", { index });
    await pause();
  }
  send("message_delta", { delta: ending, usage: { output_tokens: usage.output_tokens } });
  send("message_stop", {});
  response.end();
}

function emptied(block) {
  if (block.type === "text") return { type: "text", text: "" };
  return block.type === "thinking" ? { type: "thinking", thinking: "", signature: "" } : { ...block, input: {} };
}

async function* deltasOf(block) {
  if (block.type === "text") {
    for await (const text of pieces(block.text)) yield { type: "text_delta", text };
  } else if (block.type === "thinking") {
    yield { type: "thinking_delta", thinking: block.thinking };
    yield { type: "signature_delta", signature: block.signature };
  } else {
    for await (const json of pieces(JSON.stringify(block.input)))
      yield { type: "input_json_delta", partial_json: json };
  }
}
