/**
 * The lists of recommendations: the user's, Symposium's and the workspace's, in this precedence. Files of an untrusted
 * workspace are not read. Never rejects.
 */
import path from "node:path";
import * as l10n from "@vscode/l10n";
import type { FetchMode, Recommender } from "../../src/protocol/agents/recommendations";
import { documentAddress } from "../agents/registry/document-address";
import { resolveInWorkspace } from "../permissions/workspace-boundary";
import { readBounded, type FileContent } from "./bounded-file";
import { DownloadedList, type DownloadDeps } from "./downloaded-list";
import { firstOf } from "./first-of";
import { parseList, type ParsedList, type Rule } from "./list";
import { isSame } from "./recommend";

/** Address of `recommendations.toml` in the repository of this project. */
export const CENTRAL_URL = "https://raw.githubusercontent.com/symposium-dev/symposium-vscode/main/recommendations.toml";

export interface ListsDeps extends DownloadDeps {
  readonly home: string;
  /** The list that Symposium contains. */
  readonly shipped: string;
  /** Address of newer versions of it. */
  readonly centralUrl: string;
  /** The workspace is untrusted. */
  readonly isRestricted: boolean;
}

export interface WantedLists {
  readonly folders: readonly string[];
  /** Files and URLs of the user. */
  readonly lists: readonly string[];
  readonly fetch: FetchMode;
  /** Symposium's list is about Rust projects. It is not downloaded for others. */
  readonly isRust: boolean;
}

export interface KnownLists {
  /** From the lists of higher precedence than the recommendations of crates. */
  readonly highPrecedence: readonly Rule[];
  readonly lowPrecedence: readonly Rule[];
  readonly problems: readonly string[];
  /** Whether the current content of this recommender's list is known. */
  isKnown(by: Recommender): boolean;
}

/** Lists of the user. */
const MAX_LISTS = 20;
const MAX_FILE_BYTES = 256 * 1024;
const FILE = "recommendations.toml";

/** A list; without `parsed`, its content is unknown. */
interface ReadList {
  readonly by: Recommender;
  readonly parsed?: ParsedList;
  readonly problems: readonly string[];
}

export class Lists {
  readonly #downloads = new Map<string, DownloadedList>();
  readonly #central: DownloadedList;

  constructor(private readonly deps: ListsDeps) {
    // The copy of an earlier version may be older than the shipped list.
    this.#central = new DownloadedList(deps.centralUrl, isList, deps, `${deps.centralUrl}#${deps.version}`);
  }

  async read({ folders, lists, fetch, isRust }: WantedLists): Promise<KnownLists> {
    const { first, problems: omitted } = firstOf(
      lists,
      MAX_LISTS,
      total => l10n.t`Only the first ${MAX_LISTS} of ${total} lists in symposium.recommendations are used.`,
    );
    const user = await Promise.all([
      this.#ownFile(path.join(this.deps.home, ".symposium", FILE), "optional"),
      ...first.map(each => this.#userList(each, fetch)),
    ]);
    const central = await this.#centralList(isRust ? fetch : "no"),
      workspace = this.deps.isRestricted ? [] : await Promise.all(folders.map(folder => this.#workspaceList(folder)));
    const all = [...user, central, ...workspace],
      rulesOf = (read: readonly ReadList[]): readonly Rule[] => read.flatMap(({ parsed }) => parsed?.rules ?? []);
    return {
      highPrecedence: rulesOf([...user, central]),
      lowPrecedence: rulesOf(workspace),
      problems: [...omitted, ...[...user, ...workspace].flatMap(({ problems }) => problems)],
      isKnown: by => all.some(list => list.parsed !== undefined && isSame(list.by, by)),
    };
  }

  #userList(list: string, fetch: FetchMode): Promise<ReadList> {
    return /^https?:\/\//i.test(list)
      ? this.#userUrl(list, fetch)
      : this.#ownFile(expanded(list, this.deps.home), "required");
  }

  /** A path in `~` keeps its short form in messages. */
  async #ownFile(file: string, need: "optional" | "required"): Promise<ReadList> {
    const { home } = this.deps,
      name = file.startsWith(home + path.sep) ? `~${file.slice(home.length)}` : file,
      by: Recommender = { kind: "user", list: name };
    const content = await readBounded(file, MAX_FILE_BYTES);
    return content.kind === "missing" && need === "required"
      ? { by, problems: [l10n.t`${name} of symposium.recommendations does not exist.`] }
      : listIn(content, name, by);
  }

  async #userUrl(list: string, fetch: FetchMode): Promise<ReadList> {
    const by: Recommender = { kind: "user", list },
      address = documentAddress(list, FILE);
    if ("wrong" in address)
      return { by, problems: [l10n.t`${list} of symposium.recommendations is ignored. ${address.wrong}`] };
    const download = this.#downloads.get(address.url) ?? new DownloadedList(address.url, isList, this.deps);
    this.#downloads.set(address.url, download);
    const { text, problem } = await download.read(fetch),
      parsed = text === undefined ? undefined : parseList(text, list, by);
    return {
      by,
      ...(parsed ? { parsed } : {}),
      problems: [...(problem === undefined ? [] : [problem]), ...(parsed?.problems ?? [])],
    };
  }

  /** Problems are logged, not shown. */
  async #centralList(fetch: FetchMode): Promise<ReadList> {
    const by: Recommender = { kind: "symposium" },
      { text = this.deps.shipped } = await this.#central.read(fetch),
      parsed = parseList(text, FILE, by);
    if (parsed.problems.length > 0)
      this.deps.log("info", "Symposium's list of recommendations has unusable entries", { problems: parsed.problems });
    return { by, parsed, problems: [] };
  }

  async #workspaceList(folder: string): Promise<ReadList> {
    const file = path.join(folder, ".symposium", FILE),
      name = path.join(path.basename(folder), ".symposium", FILE),
      by: Recommender = { kind: "workspace", folder };
    const place = await resolveInWorkspace(file, [folder]).catch(() => undefined);
    if (!place?.isInside) return { by, problems: [l10n.t`${name} is ignored, because it is outside the workspace.`] };
    return listIn(await readBounded(place.real, MAX_FILE_BYTES), name, by);
  }
}

function listIn(content: FileContent, name: string, by: Recommender): ReadList {
  switch (content.kind) {
    case "missing":
      return { by, parsed: { rules: [], problems: [] }, problems: [] };
    case "unreadable":
      return { by, problems: [l10n.t`${name} is ignored. ${content.why}`] };
    case "text": {
      const parsed = parseList(content.text, name, by);
      return { by, parsed, problems: parsed.problems };
    }
  }
}

/** An empty response is not a list. A list without entries needs a comment. */
function isList(text: string): boolean {
  const { rules, problems } = parseList(text, FILE, { kind: "symposium" });
  return rules.length > 0 || (problems.length === 0 && /^\s*#/m.test(text));
}

/** Relative paths are relative to the home folder. */
function expanded(file: string, home: string): string {
  return path.resolve(home, file.replace(/^~(?=[\\/]|$)/, "."));
}
