// The part of the OpenAI Chat Completions API that agents use.
import { pause, pieces, sendJson, startEvents } from "./reply.mjs";

export const path = /\/chat\/completions$/;

let completions = 0;

const textOf = content =>
  typeof content === "string" ? content : (content ?? []).map(part => part.text ?? "").join("\n");

export function read(body) {
  return {
    entries: (body.messages ?? []).map(({ role, content, tool_calls: calls = [] }) => ({
      role: role === "developer" ? "system" : role,
      text: role === "tool" ? "" : textOf(content),
      calls: calls.map(call => call.function.name),
      results: role === "tool" ? [textOf(content)] : [],
    })),
    tools: (body.tools ?? []).map(({ function: { name, parameters } }) => ({
      name,
      properties: Object.keys(parameters?.properties ?? {}),
    })),
    schema: body.response_format?.json_schema?.schema,
  };
}

export async function write(response, { body }, { text, thinking, calls, hold }) {
  const base = { id: `chatcmpl-${++completions}`, created: 0, model: body.model };
  const usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };
  const toolCalls = calls.map(({ id, name, args }) => ({
    id,
    type: "function",
    function: { name, arguments: JSON.stringify(args) },
  }));
  const ending = toolCalls.length > 0 ? "tool_calls" : "stop";
  if (!body.stream) {
    const message = {
      role: "assistant",
      content: text || null,
      ...(toolCalls.length > 0 ? { tool_calls: toolCalls } : {}),
    };
    const choices = [{ index: 0, message, finish_reason: ending }];
    return sendJson(response, { ...base, object: "chat.completion", choices, usage });
  }

  const events = startEvents(response);
  const sendChunk = values => events("", { ...base, object: "chat.completion.chunk", ...values });
  const send = (delta, finish_reason = null) => sendChunk({ choices: [{ index: 0, delta, finish_reason }] });
  send({ role: "assistant", content: "" });
  if (thinking) send({ reasoning_content: thinking });
  for await (const content of pieces(text)) send({ content });
  if (hold) return;
  await pause();
  for (const [index, call] of toolCalls.entries()) send({ tool_calls: [{ index, ...call }] });
  send({}, ending);
  sendChunk({ choices: [], usage });
  response.end("data: [DONE]\n\n");
}
