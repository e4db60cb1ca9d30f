// The Anthropic Messages API, as far as agents use it.
import { pieces, sendJson, startEvents } from "./reply.mjs";

export const path = /\/messages$/;

const textOf = content => typeof content === "string" ? content : (content ?? []).filter(part => part.type === "text").map(part => part.text).join("\n");

export function read(body) {
  return {
    entries: (body.messages ?? []).map(({ role, content }) => {
      const parts = typeof content === "string" ? [] : content;
      const results = parts.filter(part => part.type === "tool_result").map(part => textOf(part.content));
      return { role, text: textOf(content), calls: parts.filter(part => part.type === "tool_use").length, results };
    }),
    tools: (body.tools ?? []).map(({ name, input_schema: schema }) => ({ name, properties: Object.keys(schema?.properties ?? {}) })),
    schema: body.output_format?.schema ?? body.output_config?.format?.schema,
  };
}

export async function write(response, { body }, { text, thinking, calls }) {
  const usage = { input_tokens: 100, output_tokens: 20, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
  const content = [
    ...(thinking ? [{ type: "thinking", thinking, signature: "c2ln" }] : []),
    ...(text ? [{ type: "text", text }] : []),
    ...calls.map(({ id, name, args }) => ({ type: "tool_use", id: `toolu_${id}`, name, input: args })),
  ];
  const ending = { stop_reason: calls.length > 0 ? "tool_use" : "end_turn", stop_sequence: null };
  const message = { id: `msg_${Date.now()}`, type: "message", role: "assistant", model: body.model };
  if (!body.stream) return sendJson(response, { ...message, content, ...ending, usage });

  const events = startEvents(response);
  const send = (type, values) => events(`event: ${type}\n`, { type, ...values });
  send("message_start", { message: { ...message, content: [], stop_reason: null, stop_sequence: null, usage } });
  for (const [index, block] of content.entries()) {
    send("content_block_start", { index, content_block: emptied(block) });
    for await (const delta of deltasOf(block)) send("content_block_delta", { index, delta });
    send("content_block_stop", { index });
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
    for await (const json of pieces(JSON.stringify(block.input))) yield { type: "input_json_delta", partial_json: json };
  }
}
