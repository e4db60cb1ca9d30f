// The scripted model's answers: a pure function of the request, so that retries and side requests do not affect the
// script.
//
// A prompt that contains `@@scenario:NAME` selects a scenario of scenarios.json, a list of steps. The step is the
// number of rounds of tool calls in the history since then. A step is `{text?, thinking?, calls?, hold?}` or `{error:
// {status, body}}`. `{{results}}` in a text is replaced by the results so far; with `hold` the answer never ends. A
// call names a kind and uses the agent's tool of that kind. For a hidden tool of a server, it first calls the search
// tool.
//   {kind: "shell", command} · {kind: "write", path, content} · {kind: "read", path} · {kind: "edit", path, old, new}
//   {kind: "mcp", server, tool, args}       a `*` in the names matches any text
import { toolNames } from "./agents.mjs";

/** The arguments of the agents' own tools, by kind. A tool receives only the arguments that it declares. */
const ARGUMENTS = {
  shell: ({ command }) => ({
    command,
    cmd: command,
    description: "scripted",
    is_background: false,
    sandbox_permissions: "require_escalated",
    justification: "scripted",
  }),
  write: ({ path, content }) => ({
    file_path: path,
    filePath: path,
    content,
    input: patch(
      `*** Add File: ${path}`,
      linesOf(content).map(line => `+${line}`),
    ),
  }),
  read: ({ path }) => ({
    file_path: path,
    filePath: path,
    absolute_path: path,
    cmd: `cat '${path}'`,
    command: `cat '${path}'`,
  }),
  edit: ({ path, old, new: text }) => ({
    file_path: path,
    filePath: path,
    instruction: "scripted",
    old_string: old,
    new_string: text,
    oldString: old,
    newString: text,
    input: patch(`*** Update File: ${path}`, [
      "@@",
      ...linesOf(old).map(line => `-${line}`),
      ...linesOf(text).map(line => `+${line}`),
    ]),
  }),
};
/** The tools that find hidden tools. Each entry maps the full names of hidden tools to arguments. */
const SEARCHES = {
  ToolSearch: names => ({ query: `select:${names.join(",")}`, max_results: 10 }),
  tool_search: names => ({
    query: names.map(name => name.replace(/^mcp__/, "").replaceAll(/[_*-]+/g, " ")).join(" "),
    limit: 100,
  }),
};
const MARK = /@@scenario:([\w-]+)/g;
/** Follows the user's text if the agent's session does not remember the quoted earlier turns. */
const QUOTATION = /^(`{3,})\n[^]*?\n\1$/gm;

/**
 * The answer to a request.
 *
 * `entries` are the conversation's messages as `{role: "user" | "assistant" | "tool", text, calls: [name of a tool],
 * results: string[]}`. `tools` are the offered tools as `{name, properties: string[]}`. `schema` is the JSON schema of
 * a request for JSON. The answer is `{text, thinking?, calls: [{id, name, args}], hold?}` or `{error}`, with
 * `scenario`, `step` and `results` if it belongs to a scenario.
 */
export function answerTo({ entries, tools, schema }, scenarios) {
  if (schema !== undefined) return plain(JSON.stringify(instance(schema)));
  if (tools.length === 0) return plain("A side answer.");
  const marksOf = ({ text }) => [...text.replaceAll(QUOTATION, "").matchAll(MARK)];
  const start = entries.findLastIndex(entry => entry.role === "user" && marksOf(entry).length > 0);
  if (start === -1) return plain(`No @@scenario:NAME in: ${entries.at(-1)?.text.slice(-80)}`);
  const scenario = marksOf(entries[start]).at(-1)[1];
  const steps = scenarios[scenario];
  if (steps === undefined) return plain(`Unknown scenario ${scenario}.`);

  const since = entries.slice(start + 1);
  const scripted = since.map(({ calls }) => calls.filter(name => !(name in SEARCHES)).length);
  const step = scripted.filter((calls, i) => calls > 0 && (scripted[i - 1] ?? 0) === 0).length;
  const results = since.flatMap(entry => entry.results);
  const { text = "", thinking, calls = [], hold, error } = steps[step] ?? { text: "The script has ended." };
  if (error !== undefined) return { scenario, step, results, error };
  const hidden = steps
    .flatMap(({ calls = [] }) => calls)
    .filter(call => call.kind === "mcp" && toolFor(call, tools) === undefined);
  const search = tools.find(({ name }) => name in SEARCHES)?.name;
  if (hidden.length > 0 && search !== undefined && !since.some(({ calls }) => calls.includes(search))) {
    const servers = tools.flatMap(({ name }) => /^mcp__(.+?)__/.exec(name)?.[1] ?? []);
    const names = hidden.map(
      call => namesOf({ ...call, server: servers.find(server => isName(call.server, server)) ?? call.server })[0],
    );
    return {
      scenario,
      step,
      results,
      text: "",
      calls: [{ id: callId(`${step}_search`), name: search, args: SEARCHES[search](names) }],
    };
  }
  const toolCalls = calls.map((call, i) => callOf(call, tools, `${step}_${i}`));
  const missing = calls
    .filter((_, i) => toolCalls[i] === undefined)
    .map(({ kind }) => ` The agent offers no tool to ${kind}.`);
  return {
    scenario,
    step,
    results,
    thinking,
    hold,
    text: text.replaceAll("{{results}}", () => results.join(" | ")) + missing.join(""),
    calls: toolCalls.filter(call => call !== undefined),
  };
}

const plain = text => ({ text, calls: [] });

function callOf(call, tools, id) {
  const tool = toolFor(call, tools);
  if (tool === undefined) return undefined;
  const args = call.kind === "mcp" ? call.args : ARGUMENTS[call.kind](call);
  return {
    id: callId(id),
    name: tool.name,
    args: Object.fromEntries(Object.entries(args).filter(([name]) => tool.properties.includes(name))),
  };
}

const callId = name => `call_${name}_${Math.random().toString(36).slice(2, 10)}`;
const toolFor = (call, tools) => tools.find(({ name }) => namesOf(call).some(pattern => isName(pattern, name)));
const isName = (pattern, name) =>
  new RegExp(
    `^${pattern
      .split("*")
      .map(part => part.replaceAll(/\W/g, "\\$&"))
      .join(".*")}$`,
  ).test(name);

/** The names of a tool in all agents: their own, or a server's tool with the server's name in their spelling. */
function namesOf({ kind, server, tool }) {
  if (kind !== "mcp") return toolNames(kind);
  return [server, server.replaceAll("-", "_")].flatMap(name => [
    `mcp__${name}__${tool}`,
    `mcp_${name}_${tool}`,
    `${name}_${tool}`,
  ]);
}

/** In the format of `apply_patch`. */
function patch(head, lines) {
  return ["*** Begin Patch", head, ...lines, "*** End Patch", ""].join("\n");
}
function linesOf(text) {
  return text.replace(/\n$/, "").split("\n");
}

/** The minimal value that a JSON schema allows. */
function instance(schema) {
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  const choice = schema.anyOf ?? schema.oneOf;
  if (choice !== undefined) return instance(choice[0]);
  switch (String([schema.type].flat()[0]).toLowerCase()) {
    case "object":
      return Object.fromEntries(
        Object.entries(schema.properties ?? {}).map(([name, property]) => [name, instance(property)]),
      );
    case "array":
      return [];
    case "number":
    case "integer":
      return schema.minimum ?? 1;
    case "boolean":
      return false;
    case "null":
      return null;
    default:
      return "scripted";
  }
}
