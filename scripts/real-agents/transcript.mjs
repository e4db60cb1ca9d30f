// Comparable transcripts. Values that differ between runs (ids, ports, processes, folders) are numbered in the order of
// their first occurrence, which preserves identity. All times become equal. Concurrent messages are grouped into
// strands. Everything else is unchanged.

/** Patterns of numbered values, by their replacement names, in addition to request ids. */
const NUMBERED = {
  uuid: /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g,
  call: /(?<=call_\w+_)[a-z0-9]+\b/g,
  message: /\bmsg_\d+\b/g,
  port: /(?<=127\.0\.0\.1:)\d+/g,
  process: /(?<=Process Group PGID: )\d+/g,
  folder: /(?<=[/-])agent-\w{6}\b/g,
  blob: /(?<=-blob-)\d+-[a-z0-9]+\b/g,
};
/** Two times may or may not be in the same millisecond. */
const TIME = /\b\d{4}-\d\d-\d\dT[\d:.]+Z/g;

/**
 * Formats a scene as lines of text: `lines` as in wire.mjs, then the model's requests and answers. Concurrent messages
 * are grouped by strand: the kinds of updates that arrive at any time (`unordered`), the sessions of a scene that has
 * them `apart`, and the calls of an agent with `parallel` calls.
 */
export function transcript({ lines, requests }, { unordered, parallel, apart = false }) {
  const keyed = lines.map(line => {
    const { sessionId, update, toolCall } = paramsOf(line, lines) ?? {};
    const kind = unordered.find(each => each === update?.sessionUpdate) ?? hookOf(update);
    return {
      line,
      kind: kind ?? "",
      session: apart ? sessionId : undefined,
      call: apart && parallel && kind === undefined ? (update ?? toolCall)?.toolCallId : undefined,
    };
  });
  const modelRequests = requests
    .filter(({ scenario }) => scenario !== undefined)
    .map(({ scenario, step, results, text, calls }) => ({ scenario, step, results, text, calls }));
  if (apart) modelRequests.sort((a, b) => a.scenario.localeCompare(b.scenario));
  return renumbered([
    ...strandsOf(keyed).flatMap(withOwnIds),
    ...modelRequests.map(each => `model ${JSON.stringify(each)}`),
  ]);
}

/** Claude reports a tool's response from a hook, before or after the call's other updates. */
function hookOf(update) {
  return update?._meta?.claudeCode?.toolResponse === undefined ? undefined : "tool response";
}

/** Groups lines by kind, session and call. Sessions and calls are sorted by their first occurrence in ordered lines. */
function strandsOf(keyed) {
  const ordered = keyed.filter(({ kind }) => kind === "");
  const place = name => {
    const all = [...new Set(ordered.map(line => line[name]))];
    return line => all.indexOf(line[name]);
  };
  const ranks = [place("session"), place("call")];
  const before = (a, b) =>
    a.kind.localeCompare(b.kind) || ranks.map(rank => rank(a) - rank(b)).find(difference => difference !== 0) || 0;
  const strands = [];
  for (const each of [...keyed].sort(before)) {
    // the sort is stable
    const last = strands.at(-1);
    if (last && before(last[0], each) === 0) last.push(each);
    else strands.push([each]);
  }
  return strands.map(strand => strand.map(({ line }) => line));
}

/** A response belongs to its request. Both sides may use the same ids. */
function paramsOf({ from, message }, lines) {
  if (message.method !== undefined) return message.params;
  return lines.find(line => line.from !== from && line.message.id === message.id && line.message.method !== undefined)
    ?.message.params;
}

/**
 * Lines as text. Ids of requests, responses and cancellations are numbered for each side in order. Everything else,
 * including the order of keys, is unchanged.
 */
export function withOwnIds(lines) {
  const numbers = { client: new Map(), agent: new Map() };
  for (const {
    from,
    message: { id, method },
  } of lines)
    if (id !== undefined && method !== undefined) numbers[from].set(id, `${from}'s request ${numbers[from].size + 1}`);
  const peer = { client: "agent", agent: "client" };
  return lines.map(({ from, line, message }) => {
    const { id, method, params } = message;
    if (line !== JSON.stringify(message)) return `${from} ${line}`;
    if (method === "$/cancel_request")
      return `${from} ${JSON.stringify({ ...message, params: { ...params, requestId: numbers[from].get(params.requestId) } })}`;
    return `${from} ${id === undefined ? line : JSON.stringify({ ...message, id: numbers[method === undefined ? peer[from] : from].get(id) })}`;
  });
}

function renumbered(lines) {
  let texts = lines.map(line => line.replace(TIME, "a time"));
  for (const [name, pattern] of Object.entries(NUMBERED)) {
    const known = new Map();
    texts = texts.map(text =>
      text.replace(pattern, found => {
        if (!known.has(found)) known.set(found, `${name} ${known.size + 1}`);
        return known.get(found);
      }),
    );
  }
  return texts;
}
