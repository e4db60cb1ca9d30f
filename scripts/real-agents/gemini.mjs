// The part of the Gemini API that agents use.
import { pause, pieces, sendJson, startEvents } from "./reply.mjs";

export const path = /\/models\/[^:]+:(?:streamGenerateContent|generateContent)$/;

const resultOf = ({ response }) => (typeof response?.output === "string" ? response.output : JSON.stringify(response));

export function read(body) {
  return {
    entries: (body.contents ?? []).map(({ role, parts = [] }) => ({
      role: role === "model" ? "assistant" : "user",
      text: parts
        .filter(part => part.text && !part.thought)
        .map(part => part.text)
        .join("\n"),
      calls: parts.filter(part => part.functionCall).map(part => part.functionCall.name),
      results: parts.filter(part => part.functionResponse).map(part => resultOf(part.functionResponse)),
    })),
    tools: (body.tools ?? [])
      .flatMap(tool => tool.functionDeclarations ?? [])
      .map(({ name, parametersJsonSchema, parameters }) => ({
        name,
        properties: Object.keys((parametersJsonSchema ?? parameters)?.properties ?? {}),
      })),
    schema: body.generationConfig?.responseJsonSchema ?? body.generationConfig?.responseSchema,
  };
}

export async function write(response, { path: at }, { text, thinking, calls, hold }) {
  const chunk = (parts, ending = {}) => ({
    candidates: [{ content: { role: "model", parts }, index: 0, ...ending }],
    usageMetadata: { promptTokenCount: 100, candidatesTokenCount: 20, totalTokenCount: 120 },
    responseId: `scripted-${Date.now()}`,
  });
  const ending = { finishReason: "STOP" };
  const functionCalls = calls.map(({ id, name, args }) => ({
    functionCall: { id, name, args },
    thoughtSignature: "bW9jaw==",
  }));
  if (!at.endsWith(":streamGenerateContent"))
    return sendJson(response, chunk([...(text ? [{ text }] : []), ...functionCalls], ending));

  const events = startEvents(response);
  const send = values => events("", values);
  if (thinking) send(chunk([{ text: `**Thinking** ${thinking}`, thought: true }]));
  for await (const piece of pieces(text)) send(chunk([{ text: piece }]));
  if (hold) return;
  await pause();
  if (functionCalls.length > 0) send(chunk(functionCalls));
  send(chunk([], ending));
  response.end();
}
