/**
 * Language server for tests. Its language consists of words: the first occurrence of a word is its definition. `BAD` is
 * an error, `ODD` a warning. Arguments select faults and options, one word each:
 *
 *       pull            supports pull diagnostics; otherwise publishes them, first those of a wrong text
 *       load            loads from `initialized` until it has its configuration, and returns nothing before
 *       status          same as load, reported as by rust-analyzer
 *       asks            sends every request that a server may send; hover over `answers` returns the responses
 *       busy            responds to the first two requests with “content modified”
 *       die-start       exits immediately
 *       garbage-start   writes text that is not LSP
 *       mute-start      never responds to `initialize`
 *       die-open        exits when a file is opened
 *       mute            never responds to hover
 *       die             exits at hover
 *       garbage, huge, headerless, deep   responds to hover with malformed output of this kind
 *       stubborn        ignores requests to exit
 *       nothing         has no capabilities
 *       reports         sends work done progress during `initialize` and during hover
 */
import { appendFileSync } from "node:fs";
import { objectOr, arrayOr, type JsonObject } from "../../rpc/json";

const options = new Set(process.argv.slice(2)),
  documents = new Map<string, string>(),
  received: string[] = [],
  answers: unknown[] = [];
let isLoaded = !options.has("load") && !options.has("status"),
  lastId = 0,
  refusals = options.has("busy") ? 2 : 0;
/** Sends one report of work done progress, without its end. */
function report(token: unknown, title: string): void {
  if (options.has("reports")) notify("$/progress", { token, value: { kind: "begin", title, percentage: 5 } });
}
/** Resolves when all requests of the server have a response. Hover waits for this. */
let requestsDone: Promise<void> = Promise.resolve();
const pendingRequests = new Map<number, (result: unknown) => void>();

function write(message: JsonObject): void {
  const body = JSON.stringify({ jsonrpc: "2.0", ...message });
  process.stdout.write(
    `Content-Length: ${Buffer.byteLength(body)}\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\n${body}`,
  );
}
const notify = (method: string, params: unknown): void => write({ method, params });
function request(method: string, params: unknown): Promise<unknown> {
  const id = ++lastId;
  write({ id, method, params });
  return new Promise(resolve => {
    pendingRequests.set(id, resolve);
  });
}

const CAPABILITIES = {
  textDocumentSync: { openClose: true, change: 1, save: { includeText: true } },
  definitionProvider: true,
  referencesProvider: true,
  hoverProvider: true,
  documentSymbolProvider: true,
  workspaceSymbolProvider: true,
  renameProvider: { prepareProvider: true },
  codeActionProvider: { resolveProvider: true },
  documentFormattingProvider: true,
  documentRangeFormattingProvider: true,
  ...(options.has("pull") ? { diagnosticProvider: { interFileDependencies: false, workspaceDiagnostics: false } } : {}),
};

const linesOf = (uri: string): readonly string[] => (documents.get(uri) ?? "").split("\n");
const wordsIn = (uri: string): readonly { readonly word: string; readonly line: number; readonly at: number }[] =>
  linesOf(uri).flatMap((text, line) =>
    [...text.matchAll(/\w+/g)].map(match => ({ word: match[0], line, at: match.index })),
  );
const rangeOf = ({
  word,
  line,
  at,
}: {
  readonly word: string;
  readonly line: number;
  readonly at: number;
}): JsonObject => ({ start: { line, character: at }, end: { line, character: at + word.length } });
const everywhere = (word: string): readonly JsonObject[] =>
  [...documents.keys()].flatMap(uri =>
    wordsIn(uri)
      .filter(each => each.word === word)
      .map(each => ({ uri, range: rangeOf(each) })),
  );

function diagnosticsOf(uri: string): readonly JsonObject[] {
  return wordsIn(uri)
    .filter(({ word }) => word === "BAD" || word === "ODD")
    .map(each => ({
      range: rangeOf(each),
      severity: each.word === "BAD" ? 1 : 2,
      message: `${each.word} is not a good word.`,
      source: "words",
      code: each.word === "BAD" ? 7 : "odd",
      data: { line: each.line },
    }));
}

function publish(uri: string): void {
  if (options.has("pull")) return;
  notify("textDocument/publishDiagnostics", {
    uri,
    diagnostics: [
      { range: { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } }, message: "Not checked yet." },
    ],
  });
  setImmediate(() => notify("textDocument/publishDiagnostics", { uri, diagnostics: diagnosticsOf(uri) }));
}

async function load(): Promise<void> {
  if (options.has("status")) notify("experimental/serverStatus", { health: "ok", quiescent: false });
  else {
    await request("window/workDoneProgress/create", { token: "loading" });
    notify("$/progress", { token: "loading", value: { kind: "begin", title: "Loading", percentage: 5 } });
  }
  answers.push(await request("workspace/configuration", { items: [{ section: "words.style" }, { section: "none" }] }));
  isLoaded = true;
  if (options.has("status")) notify("experimental/serverStatus", { health: "ok", quiescent: true });
  else notify("$/progress", { token: "loading", value: { kind: "end" } });
}

async function sendAllRequests(): Promise<void> {
  for (const [method, params] of [
    ["workspace/configuration", { items: [{ section: "words.style" }, {}] }],
    ["workspace/workspaceFolders", undefined],
    ["workspace/applyEdit", { edit: {} }],
    ["window/showMessageRequest", { type: 1, message: "?" }],
    ["window/workDoneProgress/create", { token: 1 }],
    ["client/registerCapability", { registrations: [] }],
    ["window/showDocument", { uri: "file:///" }],
    ["workspace/semanticTokens/refresh", undefined],
    ["words/unknown", {}],
  ] as const)
    answers.push(await request(method, params));
}

function hover(word: string): unknown {
  if (options.has("die")) {
    process.stderr.write("thread 'main' panicked at words.rs\n");
    process.exit(3);
  }
  if (options.has("garbage")) process.stdout.write("I am no LSP at all\n\n");
  if (options.has("huge")) process.stdout.write("Content-Length: 999999999999\r\n\r\n{");
  if (options.has("headerless")) process.stdout.write("x".repeat(20_000));
  if (options.has("deep")) process.stdout.write(`Content-Length: 200000\r\n\r\n${"[".repeat(200_000)}`);
  if (word === "heard") return { contents: received.join("\n") };
  if (word === "answers") return { contents: [JSON.stringify(answers)] };
  return { contents: { kind: "markdown", value: `**${word}**, ${word.length} letters` } };
}

function resultOf(method: string, params: JsonObject): unknown {
  const uri = String(objectOr(params.textDocument).uri),
    { line, character } = objectOr(params.position);
  const here = wordsIn(uri).find(
    each => each.line === line && each.at <= Number(character) && Number(character) < each.at + each.word.length,
  );
  switch (method) {
    case "initialize":
      return { capabilities: options.has("nothing") ? {} : CAPABILITIES };
    case "shutdown":
      return null;
    case "textDocument/definition":
      return isLoaded && here ? everywhere(here.word)[0] : null;
    case "textDocument/references":
      return isLoaded && here ? everywhere(here.word) : null;
    case "textDocument/hover":
      return here ? hover(here.word) : null;
    case "textDocument/documentSymbol":
      return linesOf(uri).flatMap((text, at) =>
        text === ""
          ? []
          : [
              {
                name: text.split(" ")[0] ?? "",
                kind: 12,
                range: { start: { line: at, character: 0 }, end: { line: at, character: text.length } },
                selectionRange: { start: { line: at, character: 0 }, end: { line: at, character: 1 } },
                children: wordsIn(uri)
                  .filter(each => each.line === at && each.at > 0)
                  .map(each => ({ name: each.word, kind: 13, range: rangeOf(each), selectionRange: rangeOf(each) })),
              },
            ],
      );
    case "workspace/symbol":
      return [...documents.keys()].flatMap(each =>
        wordsIn(each)
          .filter(({ word }) => word.includes(String(params.query)))
          .map(found => ({
            name: found.word,
            kind: 13,
            containerName: "words",
            location: { uri: each, range: rangeOf(found) },
          })),
      );
    case "textDocument/prepareRename":
      return here ? rangeOf(here) : null;
    case "textDocument/rename":
      return {
        changes: Object.fromEntries(
          [...documents.keys()].map(each => [
            each,
            wordsIn(each)
              .filter(({ word }) => word === here?.word)
              .map(found => ({ range: rangeOf(found), newText: params.newName })),
          ]),
        ),
      };
    case "textDocument/formatting":
    case "textDocument/rangeFormatting": {
      const { start, end } = objectOr(params.range),
        from = Number(objectOr(start).line ?? 0),
        to = Number(objectOr(end).line ?? Infinity);
      return linesOf(uri).flatMap((text, at) =>
        at < from || at > to || !/\s$/.test(text)
          ? []
          : [
              {
                range: {
                  start: { line: at, character: text.trimEnd().length },
                  end: { line: at, character: text.length },
                },
                newText: "",
              },
            ],
      );
    }
    case "textDocument/codeAction":
      return [
        ...arrayOr(objectOr(params.context).diagnostics).map(each => ({
          title: "Replace the bad word",
          kind: "quickfix",
          isPreferred: true,
          data: { uri, range: objectOr(each).range, had: objectOr(objectOr(each).data).line },
        })),
        { title: "Run something", kind: "source", command: { title: "Run", command: "words.run" } },
        { title: "Never", kind: "refactor", disabled: { reason: "it is never possible" } },
      ];
    case "codeAction/resolve": {
      const { uri: documentUri, range, had } = objectOr(params.data);
      return had === undefined
        ? params
        : {
            ...params,
            edit: {
              documentChanges: [
                { textDocument: { uri: documentUri, version: null }, edits: [{ range, newText: "GOOD" }] },
              ],
            },
          };
    }
    case "textDocument/diagnostic":
      return { kind: "full", items: diagnosticsOf(uri) };
    default:
      return undefined;
  }
}

function receive(message: JsonObject): void {
  const { id, method } = message,
    params = objectOr(message.params),
    document = objectOr(params.textDocument),
    uri = String(document.uri);
  if (typeof method !== "string")
    return void pendingRequests.get(Number(id))?.(
      "error" in message ? { error: objectOr(message.error).code } : message.result,
    );
  received.push(
    [
      method,
      ...(document.version === undefined ? [] : [String(document.version)]),
      ...(method === "$/cancelRequest" ? [typeof params.id] : []),
    ].join(" "),
  );
  if (process.env.LSP_LOG) appendFileSync(process.env.LSP_LOG, `${method}\n`);
  if (method === "exit" && !options.has("stubborn")) process.exit(0);
  if (method === "initialized") {
    if (!isLoaded) void load();
    if (options.has("asks")) requestsDone = sendAllRequests();
  }
  if (method === "textDocument/didOpen") documents.set(uri, String(document.text));
  if (method === "textDocument/didChange") documents.set(uri, String(objectOr(arrayOr(params.contentChanges)[0]).text));
  if (method === "textDocument/didClose") documents.delete(uri);
  if (method === "textDocument/didOpen" && options.has("die-open")) process.exit(4);
  if (method === "textDocument/didOpen" || method === "textDocument/didChange") publish(uri);
  if (id === undefined) return;
  if (method === "initialize") report(params.workDoneToken, "Preparing");
  if (method === "textDocument/hover") report("hover", "Indexing");
  if (
    (method === "initialize" && options.has("mute-start")) ||
    (method === "textDocument/hover" && options.has("mute"))
  )
    return;
  if (method.startsWith("textDocument/") && refusals-- > 0)
    return write({ id, error: { code: -32801, message: "content modified" } });
  const respond = (): void => {
    const result = resultOf(method, params);
    write(result === undefined ? { id, error: { code: -32601, message: `no ${method}` } } : { id, result });
  };
  if (method === "textDocument/hover") void requestsDone.then(respond);
  else respond();
}

if (options.has("die-start")) {
  process.stderr.write("error: 'words' is not installed for this toolchain\n");
  process.exit(1);
}
if (options.has("garbage-start")) process.stdout.write("Welcome to words!\n");
if (options.has("stubborn")) {
  process.on("SIGTERM", () => undefined);
  setInterval(() => undefined, 1 << 30);
}
let buffer = Buffer.alloc(0);
process.stdin.on("data", (chunk: Buffer) => {
  buffer = Buffer.concat([buffer, chunk]);
  for (;;) {
    const end = buffer.indexOf("\r\n\r\n"),
      length = Number(/Content-Length: (\d+)/i.exec(buffer.subarray(0, Math.max(end, 0)).toString())?.[1]);
    if (end === -1 || buffer.length < end + 4 + length) return;
    const body = buffer.subarray(end + 4, end + 4 + length).toString();
    buffer = buffer.subarray(end + 4 + length);
    receive(objectOr(JSON.parse(body)));
  }
});
process.stdin.on("end", () => {
  if (!options.has("stubborn")) process.exit(0);
});
