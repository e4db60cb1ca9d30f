/**
 * The folder of a root's snapshots. It is a git directory of Symposium: `GIT_DIR` of all commands.
 *
 *   HEAD, config, refs/     fixed content
 *   info/attributes         turns all conversions off, with the highest precedence of git
 *   info/exclude            ignore rules
 *   objects/                own objects; info/alternates names the objects of the user's repository
 *   index.PID               the index of one process
 *   index.PID.edits         the part of its last tree that the index does not contain
 *   pins/CONVERSATION       the objects that a conversation needs
 *   turns/CONVERSATION.TREE the index and edits of a tree that an open turn needs
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { shortHash } from "../../process/short-hash";
import type { HashAlgorithm } from "./index-file";

/** `-working-tree-encoding` is an error of git, so that attribute is reset instead. */
const ATTRIBUTES = "* -text -crlf -eol -ident -filter !working-tree-encoding\n";

/** The user's settings of the file system. Other settings of the user have no effect. */
const FILE_SYSTEM_KEYS = [
  "core.checkstat",
  "core.filemode",
  "core.ignorecase",
  "core.longpaths",
  "core.precomposeunicode",
  "core.symlinks",
  "core.trustctime",
];

/** Without a repository: the values that `git init` finds on the usual file system of the platform. */
const FILE_SYSTEM_DEFAULTS: Readonly<Record<string, readonly (readonly [key: string, value: string])[]>> = {
  win32: [
    ["core.filemode", "false"],
    ["core.ignorecase", "true"],
    ["core.longpaths", "true"],
    ["core.symlinks", "false"],
  ],
  darwin: [
    ["core.ignorecase", "true"],
    ["core.precomposeunicode", "true"],
  ],
};

/** The hash algorithm of a repository with this configuration. */
export function algorithmOf(config: ReadonlyMap<string, string>): HashAlgorithm {
  return config.get("extensions.objectformat") === "sha256" ? "sha256" : "sha1";
}

/** The configuration file of a store. `user`: the configuration of the user's repository, if any. Pure. */
export function configText(user: ReadonlyMap<string, string> | undefined, platform: string): string {
  const isSha256 = user !== undefined && algorithmOf(user) === "sha256",
    given = user ?? new Map(FILE_SYSTEM_DEFAULTS[platform] ?? []);
  const lines = FILE_SYSTEM_KEYS.flatMap(key => {
    const value = given.get(key);
    return value !== undefined && /^\w+$/.test(value) ? [`\t${key.slice("core.".length)} = ${value}`] : [];
  });
  return [
    "[core]",
    `\trepositoryformatversion = ${isSha256 ? 1 : 0}`,
    "\tbare = false",
    "\tautocrlf = false",
    "\tsafecrlf = false",
    "\tfsmonitor = false",
    "\tpreloadindex = true",
    "\tloosecompression = 1",
    ...lines,
    "[gc]",
    "\tauto = 0",
    ...(isSha256 ? ["[extensions]", "\tobjectformat = sha256"] : []),
    "",
  ].join("\n");
}

export class StoreFolder {
  constructor(readonly path: string) {}

  /** `root`: a real path. */
  static of(storage: string, root: string): StoreFolder {
    return new StoreFolder(path.join(reviewFolder(storage), shortHash(root)));
  }

  static all(storage: string): readonly StoreFolder[] {
    return namesIn(reviewFolder(storage))
      .filter(name => /^[0-9a-f]{16}$/.test(name))
      .map(name => new StoreFolder(path.join(reviewFolder(storage), name)));
  }

  get objects(): string {
    return path.join(this.path, "objects");
  }
  get pins(): string {
    return path.join(this.path, "pins");
  }
  get turns(): string {
    return path.join(this.path, "turns");
  }

  /** The index of a process. */
  index(pid: number): string {
    return path.join(this.path, `index.${pid}`);
  }

  /** The part of the last tree of a process that its index does not contain; see `recorded-edits.ts`. */
  edits(pid: number): string {
    return path.join(this.path, `index.${pid}.edits`);
  }

  /** The indexes of all processes, the newest first. */
  indexes(): readonly { readonly file: string; readonly pid: number; readonly mtimeMs: number }[] {
    return namesIn(this.path)
      .flatMap(name => {
        const pid = /^index\.(\d+)$/.exec(name)?.[1],
          file = path.join(this.path, name),
          stats = pid === undefined ? undefined : statSync(file, { throwIfNoEntry: false });
        return stats ? [{ file, pid: Number(pid), mtimeMs: stats.mtimeMs }] : [];
      })
      .sort((a, b) => b.mtimeMs - a.mtimeMs);
  }

  /** Removes the files beside an index: those of an interrupted command, and `edits`. */
  removeBeside(pid: number): void {
    for (const name of namesIn(this.path))
      if (name.startsWith(`index.${pid}.`)) rmSync(path.join(this.path, name), { force: true });
  }

  /**
   * Creates or completes the folder. `alternates`: the folder with the objects of the user's repository. Returns
   * whether the earlier content is usable: another repository has other objects.
   */
  create(content: {
    readonly config: string;
    readonly exclude: string;
    readonly alternates: string | undefined;
  }): boolean {
    for (const name of ["objects/info", "objects/pack", "refs", "info", "pins"])
      mkdirSync(path.join(this.path, name), { recursive: true });
    const alternates = content.alternates === undefined ? "" : `${quoted(content.alternates)}\n`,
      isSame = textOf(path.join(this.path, "config")) === content.config,
      isSameRepository = textOf(path.join(this.objects, "info", "alternates")) === alternates;
    for (const [name, text] of [
      ["HEAD", "ref: refs/heads/none\n"],
      ["config", content.config],
      ["info/attributes", ATTRIBUTES],
      ["info/exclude", content.exclude],
      ["objects/info/alternates", alternates],
    ] as const)
      if (textOf(path.join(this.path, name)) !== text) writeFileSync(path.join(this.path, name), text);
    return isSame && isSameRepository;
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

export function reviewFolder(storage: string): string {
  return path.join(storage, "review");
}

/** Git reads a line that starts with a quotation mark as a C string. */
function quoted(folder: string): string {
  return /^"|\n/.test(folder) ? JSON.stringify(folder) : folder;
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
