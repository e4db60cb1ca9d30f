/**
 * Finds the files that agents name in answers: relative to the session's folder or a workspace folder, or by the end of
 * a path that only one file has.
 *
 * Invariants:
 * - All found files are in a workspace folder, after links are resolved.
 * - The files of the workspace are listed only for names that are found nowhere else, and once for all of them.
 */
import path from "node:path";
import { linkTarget, type FilePlace } from "./links";

export interface NamedFilesDeps {
  /** Absolute paths of the workspace folders. */
  folders(): readonly string[];
  /** Whether the path is a file in a workspace folder, after links are resolved. Never rejects. */
  isFile(file: string): Promise<boolean>;
  /** Absolute paths of the workspace's files. */
  listed(): Promise<readonly string[]>;
}

export class NamedFiles {
  constructor(private readonly deps: NamedFilesDeps) {}

  /** By name. `cwd`: folder of the session. */
  async find(names: readonly string[], cwd?: string): Promise<ReadonlyMap<string, FilePlace>> {
    const found = new Map<string, FilePlace>();
    if (this.deps.folders().length === 0) return found;
    const distinct = [...new Set(names)];
    await Promise.all(
      distinct.map(async name => {
        for (const place of placesOf(name, this.#roots(cwd)))
          if (await this.deps.isFile(place.path)) return void found.set(name, place);
      }),
    );
    const missing = distinct.filter(name => !found.has(name)).flatMap(name => suffixOf(name) ?? []);
    if (missing.length === 0) return found;
    const listed = byBaseName(await this.deps.listed());
    for (const { name, suffix, place } of missing) {
      const [file, another] = (listed.get(path.posix.basename(suffix)) ?? []).filter(each => endsWith(each, suffix));
      if (file !== undefined && another === undefined) found.set(name, { ...place, path: file });
    }
    return found;
  }

  /** The path of a file that may not exist yet; `undefined` outside the workspace. */
  pathOf(name: string, cwd?: string): string | undefined {
    return placesOf(name, this.#roots(cwd))[0]?.path;
  }

  #roots(cwd: string | undefined): readonly string[] {
    const folders = this.deps.folders();
    const isOurs = cwd !== undefined && linkTarget(addressOfName(path.join(cwd, "x")), folders).kind === "file";
    return isOurs ? [cwd, ...folders.filter(folder => folder !== cwd)] : folders;
  }
}

/** Places of a name in the folders, first folder first. */
function placesOf(name: string, roots: readonly string[]): readonly FilePlace[] {
  const found = roots.flatMap((root): FilePlace[] => {
    const target = linkTarget(addressOfName(name), [root, ...roots]);
    return target.kind === "file" ? [withoutKind(target)] : [];
  });
  return path.isAbsolute(name) ? found.slice(0, 1) : found;
}

/** The name is plain text and not encoded. */
const addressOfName = (name: string): string => name.replaceAll("%", "%25").replaceAll("\\", "/");

function withoutKind({ path, line, column, endLine }: FilePlace): FilePlace {
  return {
    path,
    ...(line === undefined ? {} : { line }),
    ...(column === undefined ? {} : { column }),
    ...(endLine === undefined ? {} : { endLine }),
  };
}

interface Suffix {
  readonly name: string;
  /** The end of a path with `/`. */
  readonly suffix: string;
  readonly place: FilePlace;
}

function suffixOf(name: string): Suffix | undefined {
  const [place] = placesOf(name, ["/"]),
    plain = addressOfName(name);
  if (place === undefined || /^(?:[a-z]:)?\/|^~|^\.\.?\//i.test(plain)) return undefined;
  return { name, suffix: path.posix.normalize(/^(.*?)(?::\d[\d:-]*|#.*)?$/s.exec(plain)?.[1] ?? plain), place };
}

function byBaseName(files: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const names = new Map<string, string[]>();
  for (const file of files) {
    const name = path.basename(file),
      same = names.get(name);
    if (same === undefined) names.set(name, [file]);
    else same.push(file);
  }
  return names;
}

const endsWith = (file: string, suffix: string): boolean => file.replaceAll("\\", "/").endsWith(`/${suffix}`);
