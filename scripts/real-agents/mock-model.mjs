// A model server on loopback for published agents. It serves the APIs of DIALECTS; script.mjs decides the answers.
//   node scripts/real-agents/mock-model.mjs [--port N] [--folder DIR] [--log FILE]
// It prints its address and serves until it is terminated.
import { appendFileSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import path from "node:path";
import * as anthropic from "./anthropic.mjs";
import * as gemini from "./gemini.mjs";
import * as openaiChat from "./openai-chat.mjs";
import * as openaiResponses from "./openai-responses.mjs";
import { options } from "../project.mjs";
import { sendJson } from "./reply.mjs";
import { answerTo } from "./script.mjs";

/** By the names that agents.mjs uses. */
export const DIALECTS = { anthropic, gemini, "openai-chat": openaiChat, "openai-responses": openaiResponses };

/**
 * Starts a model whose script works in `folder`. `scenarios` are additional ones, as in scenarios.json. It serves one
 * of DIALECTS, `speaks`, or all. `requests` records requests and answers as `{path, scenario?, step?, text?, calls?,
 * results?, tools?}`, without `text` if it was not a model request. `tools` are the names of the offered tools.
 * `onRequest` is called for each.
 */
export async function startModel({ folder, scenarios: more = {}, speaks, port = 0, onRequest = () => {} }) {
  // The folder's name is inserted into JSON strings and needs their escapes.
  const text = JSON.stringify({
    ...JSON.parse(readFileSync(path.join(import.meta.dirname, "scenarios.json"), "utf8")),
    ...more,
  });
  const scenarios = JSON.parse(text.replaceAll("$FOLDER", () => JSON.stringify(folder).slice(1, -1)));
  const requests = [],
    dialects = speaks === undefined ? Object.values(DIALECTS) : [DIALECTS[speaks]];
  const server = createServer((request, response) => {
    answer(request, response, { scenarios, dialects }, asked => {
      requests.push(asked);
      onRequest(asked);
    }).catch(error => {
      if (response.headersSent) response.destroy();
      else sendJson(response, { error: { message: error.stack } }, 500);
    });
  });
  await new Promise((resolve, reject) => {
    server.once("error", reject).listen(port, "127.0.0.1", resolve);
  });
  return {
    requests,
    url: `http://127.0.0.1:${server.address().port}`,
    stop: () => {
      server.closeAllConnections();
      return new Promise(resolve => {
        server.close(resolve);
      });
    },
  };
}

async function answer(request, response, { scenarios, dialects }, record) {
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) text += chunk;
  const { pathname } = new URL(request.url, "http://model");
  const asked = { path: pathname };
  const dialect = request.method === "POST" ? dialects.find(each => each.path.test(pathname)) : undefined;
  if (dialect === undefined) {
    record(asked);
    if (/count_?tokens$/i.test(pathname)) return sendJson(response, { input_tokens: 100, totalTokens: 100 });
    return sendJson(
      response,
      { type: "error", error: { type: "not_found_error", message: `The scripted model has no ${pathname}.` } },
      404,
    );
  }
  const body = JSON.parse(text);
  const read = dialect.read(body),
    said = answerTo(read, scenarios);
  record({ ...asked, ...said, tools: read.tools.map(({ name }) => name) });
  if (said.error !== undefined) return sendJson(response, said.error.body, said.error.status);
  await dialect.write(response, { body, path: pathname }, said);
}

if (process.argv[1] === import.meta.filename) {
  const { port, folder = process.cwd(), log } = options(process.argv.slice(2), { one: ["port", "folder", "log"] });
  const { url } = await startModel({
    folder: path.resolve(folder),
    port: Number(port ?? 0),
    onRequest: asked => {
      if (log !== undefined) appendFileSync(log, `${JSON.stringify(asked)}\n`);
    },
  });
  console.log(url);
}
