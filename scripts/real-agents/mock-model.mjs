// A model server on loopback for published agents. Serves the APIs of DIALECTS. script.mjs selects the answers.
//   node scripts/real-agents/mock-model.mjs [--port N] [--folder DIR] [--log FILE]
// Prints its address and serves until it is terminated.
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
 * Starts a model whose script works in `folder`. `scenarios` are added to scenarios.json. The model serves the API
 * `speaks`, or all of DIALECTS. `requests` records requests and answers as `{path, scenario?, step?, text?, calls?,
 * results?, tools?, body?}`, without `text` if it was not a model request. `tools` are the names of the offered tools,
 * `body` is the JSON text of the request. `onRequest` is called for each.
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
    answer(request, response, { scenarios, dialects }, entry => {
      requests.push(entry);
      onRequest(entry);
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
  const entry = { path: pathname };
  const dialect = request.method === "POST" ? dialects.find(each => each.path.test(pathname)) : undefined;
  if (dialect === undefined) {
    record(entry);
    if (/count_?tokens$/i.test(pathname)) return sendJson(response, { input_tokens: 100, totalTokens: 100 });
    return sendJson(
      response,
      { type: "error", error: { type: "not_found_error", message: `The scripted model has no ${pathname}.` } },
      404,
    );
  }
  const body = JSON.parse(text);
  const read = dialect.read(body),
    reply = answerTo(read, scenarios);
  record({ ...entry, ...reply, tools: read.tools.map(({ name }) => name), body: text });
  if (reply.error !== undefined) return sendJson(response, reply.error.body, reply.error.status);
  await dialect.write(response, { body, path: pathname }, reply);
}

if (process.argv[1] === import.meta.filename) {
  const { port, folder = process.cwd(), log } = options(process.argv.slice(2), { one: ["port", "folder", "log"] });
  const { url } = await startModel({
    folder: path.resolve(folder),
    port: Number(port ?? 0),
    onRequest: entry => {
      if (log !== undefined) appendFileSync(log, `${JSON.stringify(entry)}\n`);
    },
  });
  console.log(url);
}
