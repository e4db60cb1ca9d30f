/** Files of reviews and their places in the workspace. Pure. */
import path from "node:path";
import type { ChangedFile, Review, ReviewFile, ReviewPath, ReviewScope } from "../protocol/review/review";

/** `shown`: path of a workspace folder as the user opened it. `real`: the same without symbolic links. */
export interface FolderPath {
  readonly shown: string;
  readonly real: string;
}

export type FileChange = "created" | "deleted" | "renamed" | "modified";

export function changeOf({ before, after, from }: ChangedFile): FileChange {
  if (from !== undefined) return "renamed";
  if (before === undefined) return "created";
  return after === undefined ? "deleted" : "modified";
}

/** Absolute path of the file as the editor names it. */
export function shownPath(file: ReviewPath, folders: readonly FolderPath[]): string {
  const real = path.join(file.root, ...file.path.split("/")),
    folder = folders.find(each => isWithin(real, each.real));
  return folder === undefined ? real : path.join(folder.shown, path.relative(folder.real, real));
}

function isWithin(file: string, folder: string): boolean {
  const relative = path.relative(folder, file);
  return relative !== ".." && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
}

/** The order of VS Code's source control: the files of a folder before those of its subfolders. */
export function byPath(a: ReviewPath, b: ReviewPath): number {
  const [first, second] = [partsOf(a), partsOf(b)],
    found = first.findIndex((part, i) => part !== second[i]),
    different = found === -1 ? first.length : found,
    isInSubfolder = (parts: readonly string[]): number => Number(different < parts.length - 1);
  return (
    isInSubfolder(first) - isInSubfolder(second) ||
    (first[different] ?? "").localeCompare(second[different] ?? "", undefined, { numeric: true })
  );
}

const partsOf = ({ root, path: name }: ReviewPath): readonly string[] => [...root.split(/[\\/]/), ...name.split("/")];

export interface FoundFile {
  readonly review: Review;
  readonly file: ReviewFile;
}

/** Finds the files of reviews by their paths in the editor. */
export class ReviewIndex {
  readonly #files = new Map<string, FoundFile>();

  /** `reviews`: the newest first. A file of several reviews belongs to the newest. */
  constructor(
    reviews: readonly Review[],
    private readonly folders: readonly FolderPath[] = [],
  ) {
    for (const review of reviews)
      for (const file of review.files) {
        const key = keyOf(shownPath(file, folders));
        if (!this.#files.has(key)) this.#files.set(key, { review, file });
      }
  }

  /** `file`: absolute path in the editor. */
  at(file: string): FoundFile | undefined {
    return this.#files.get(keyOf(file));
  }

  /** Paths of all files as the editor names them. */
  get paths(): readonly string[] {
    return [...this.#files.values()].map(({ file }) => this.pathOf(file));
  }

  pathOf(file: ReviewPath): string {
    return shownPath(file, this.folders);
  }
}

/** File systems of these platforms usually ignore the case. */
const keyOf = (file: string): string =>
  process.platform === "win32" || process.platform === "darwin" ? file.toLowerCase() : file;

export function isSameFile(a: ReviewPath, b: ReviewPath): boolean {
  return a.root === b.root && a.path === b.path;
}

/** The unreviewed files that an operation may change. */
export function filesIn(review: Review | undefined, { files, turn }: ReviewScope): readonly ReviewFile[] {
  return (review?.files ?? []).filter(
    file =>
      (files === undefined || files.some(each => isSameFile(each, file))) &&
      (turn === undefined || file.turns.includes(turn)),
  );
}
