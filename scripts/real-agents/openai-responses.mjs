// The part of the OpenAI Responses API that agents use.
import { pause, pieces, sendJson, startEvents } from "./reply.mjs";

export const path = /\/responses$/;

let responses = 0;

function toolsIn(list = [], namespace) {
  return list.flatMap(tool =>
    tool.type === "namespace"
      ? toolsIn(tool.tools, tool.name)
      : [
          {
            name: qualified(namespace, tool.name ?? tool.type),
            type: tool.type,
            namespace,
            ownName: tool.name,
            isDeferred: tool.defer_loading === true,
            properties: tool.type === "custom" ? ["input"] : Object.keys(tool.parameters?.properties ?? {}),
          },
        ],
  );
}

/** A tool of a namespace has the name `NAMESPACE__TOOL` in the script. */
function qualified(namespace, name) {
  if (namespace === undefined) return name;
  return namespace.endsWith("__") ? `${namespace}${name}` : `${namespace}__${name}`;
}

/** All tools that the model can call: tools of the request, and tools that a search has returned. */
function offered({ tools, input }) {
  const found = itemsOf(input)
    .filter(({ type }) => type === "tool_search_output")
    .flatMap(item => toolsIn(item.tools));
  const known = new Set(found.map(({ name }) => name));
  return [...found, ...toolsIn(tools).filter(({ name, isDeferred }) => !isDeferred && !known.has(name))];
}

const itemsOf = input =>
  typeof input === "string" ? [{ type: "message", role: "user", content: input }] : (input ?? []);
const textOf = content =>
  typeof content === "string" ? content : (content ?? []).map(part => part.text ?? "").join("\n");

export function read(body) {
  return {
    entries: itemsOf(body.input).flatMap(entryOf),
    tools: offered(body).map(({ name, properties }) => ({ name, properties })),
    schema: body.text?.format?.schema,
  };
}

function entryOf({ type = "message", role, content, namespace, name, output }) {
  const entry = { role: "assistant", text: "", calls: [], results: [] };
  if (type === "message") return [{ ...entry, role: role === "developer" ? "system" : role, text: textOf(content) }];
  if (type === "tool_search_call") return [{ ...entry, calls: ["tool_search"] }];
  if (type === "tool_search_output") return [{ ...entry, role: "tool" }];
  if (type.endsWith("_call_output")) return [{ ...entry, role: "tool", results: [textOf(output)] }];
  return type.endsWith("_call") ? [{ ...entry, calls: [qualified(namespace, name)] }] : [];
}

export async function write(response, { body }, { text, thinking, calls, hold }) {
  const id = `resp_${++responses}`,
    known = new Map(offered(body).map(tool => [tool.name, tool]));
  const content = [{ type: "output_text", text, annotations: [] }];
  const output = [
    ...(thinking ? [{ type: "reasoning", id: `rs_${id}`, summary: [{ type: "summary_text", text: thinking }] }] : []),
    ...(text ? [{ type: "message", id: `msg_${id}`, role: "assistant", content }] : []),
    ...calls.map(call => itemOf(call, known.get(call.name))),
  ].map(item => ({ ...item, status: "completed" }));
  const usage = {
    input_tokens: 100,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 20,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 120,
  };
  const base = {
    id,
    object: "response",
    created_at: 0,
    model: body.model,
    error: null,
    incomplete_details: null,
    parallel_tool_calls: true,
    tools: [],
    metadata: {},
  };
  if (!body.stream) return sendJson(response, { ...base, status: "completed", output, usage });

  const events = startEvents(response);
  let sequence = 0;
  const send = (type, values) => events(`event: ${type}\n`, { type, sequence_number: sequence++, ...values });
  send("response.created", { response: { ...base, status: "in_progress", output: [] } });
  for (const [output_index, item] of output.entries()) {
    send("response.output_item.added", { output_index, item: emptied(item) });
    for await (const [type, values] of eventsOf(item)) send(type, { item_id: item.id, output_index, ...values });
    if (hold && item.type === "message") return;
    await pause();
    send("response.output_item.done", { output_index, item });
  }
  send("response.completed", { response: { ...base, status: "completed", output, usage } });
  response.end();
}

function itemOf({ id, name, args }, { type, namespace, ownName }) {
  const named = { call_id: id, name: ownName ?? name, ...(namespace === undefined ? {} : { namespace }) };
  if (type === "tool_search")
    return { type: "tool_search_call", id: `tsc_${id}`, call_id: id, execution: "client", arguments: args };
  if (type === "custom") return { type: "custom_tool_call", id: `ctc_${id}`, ...named, input: args.input };
  return { type: "function_call", id: `fc_${id}`, ...named, arguments: JSON.stringify(args) };
}

const EMPTY = { message: { content: [] }, reasoning: { summary: [] }, function_call: { arguments: "" } };
const emptied = item => ({ ...item, ...EMPTY[item.type], status: "in_progress" });

async function* eventsOf({ type, content, summary, arguments: args }) {
  if (type === "message") {
    const [{ text }] = content,
      at = { content_index: 0 };
    yield ["response.content_part.added", { ...at, part: { type: "output_text", text: "", annotations: [] } }];
    for await (const delta of pieces(text)) yield ["response.output_text.delta", { ...at, delta }];
    yield ["response.output_text.done", { ...at, text }];
    yield ["response.content_part.done", { ...at, part: content[0] }];
  } else if (type === "reasoning") {
    const [part] = summary,
      at = { summary_index: 0 };
    yield ["response.reasoning_summary_part.added", { ...at, part: { ...part, text: "" } }];
    yield ["response.reasoning_summary_text.delta", { ...at, delta: part.text }];
    yield ["response.reasoning_summary_text.done", { ...at, text: part.text }];
    yield ["response.reasoning_summary_part.done", { ...at, part }];
  } else if (type === "function_call") {
    for await (const delta of pieces(args)) yield ["response.function_call_arguments.delta", { delta }];
    yield ["response.function_call_arguments.done", { arguments: args }];
  }
}
