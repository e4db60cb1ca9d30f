/**
 * Restricts the tools to the session's folders after links are resolved. Relative paths are relative to the first
 * folder.
 */
import { stat } from "node:fs/promises";
import path from "node:path";
import { errorMessage } from "../../../src/protocol/wire/errors";
import { contains, resolveInWorkspace } from "../../permissions/workspace-boundary";
import { ToolFailure } from "../tool";

export interface Inside {
  /** The real path, used for reading and writing. */
  readonly real: string;
  /** For display: relative to the working folder if inside it, with `/`. */
  readonly shown: string;
  /** Real path of the session folder that contains the file. */
  readonly folder: string;
}

export class Folders {
  /** Absolute paths. */
  constructor(readonly all: readonly [cwd: string, ...more: readonly string[]]) {}

  /** Rejects with a `ToolFailure` if the path is outside of the folders. */
  async inside(requested: string): Promise<Inside> {
    if (requested === "" || requested.includes("\0")) throw new ToolFailure("The path is empty or invalid.");
    const file = path.resolve(this.all[0], requested);
    try {
      const { real, isInside } = await resolveInWorkspace(file, this.all),
        [cwd, ...others] = await Promise.all(this.all.map(async folder => (await resolveInWorkspace(folder, [])).real));
      const folder = [cwd ?? "", ...others].find(each => contains(each, real));
      if (isInside && folder !== undefined) return { real, folder, shown: shownIn(cwd ?? "", real) };
      throw new ToolFailure(
        `${requested} is outside of the session's folders${real === file ? "" : `: it resolves to ${real}`}. Only files in ${this.all.join(" or ")} are available.`,
      );
    } catch (error) {
      throw error instanceof ToolFailure
        ? error
        : new ToolFailure(`${requested} cannot be accessed: ${errorMessage(error)}`);
    }
  }

  /** All folders that are not nested in another folder. */
  async roots(): Promise<readonly Inside[]> {
    const all = await Promise.all(this.all.map(folder => this.inside(folder)));
    return all.filter(
      (inside, i) =>
        !all.some(
          (otherInside, j) =>
            j !== i && contains(otherInside.real, inside.real) && (otherInside.real !== inside.real || j < i),
        ),
    );
  }
}

function shownIn(cwd: string, real: string): string {
  if (!contains(cwd, real)) return real;
  const relative = path.relative(cwd, real);
  return relative === "" ? "." : relative.split(path.sep).join("/");
}

/** Undefined if the path does not exist. Rejects with a `ToolFailure` if the path cannot be inspected. */
export async function kindOf({
  real,
  shown,
}: Inside): Promise<{ readonly kind: "file" | "folder" | "other"; readonly size: number } | undefined> {
  try {
    const found = await stat(real);
    return { kind: found.isFile() ? "file" : found.isDirectory() ? "folder" : "other", size: found.size };
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw new ToolFailure(`${shown} cannot be accessed: ${String(error)}`);
  }
}

/**
 * Whether a file can control program starts or permission requests: files in `.git` or `.vscode`, and `.code-workspace`
 * files. Standing approvals do not apply to such files.
 *
 * The comparison ignores case and name parts that some file systems drop: trailing dots and spaces, a stream after a
 * colon, and invisible characters.
 */
export function isGuarded({ real, folder }: Inside): boolean {
  const parts = path
    .relative(folder, real)
    .split(path.sep)
    .map(part => part.replaceAll(/\p{Default_Ignorable_Code_Point}/gu, ""));
  return (
    parts.some(part => /^\.(?:git|vscode)[. ]*(?::|$)/i.test(part)) ||
    /\.code-workspace[. ]*(?::|$)/i.test(parts.at(-1) ?? "")
  );
}
