/**
 * Where the tools may be: in the session's folders, wherever links lead. A path is relative to the first of them.
 */
import { stat } from "node:fs/promises";
import path from "node:path";
import { contains, placeOf } from "../../permissions/boundary";
import { ToolFailure } from "../tool";

export interface Inside {
  /** Where it really is: what is read and written. */
  readonly real: string;
  /** For sentences and lists: relative to the working folder, where it is in that; with `/`. */
  readonly shown: string;
  /** Of the session's folders, the one it is in; really. */
  readonly folder: string;
}

export class Folders {
  /** Absolute. */
  constructor(readonly all: readonly [cwd: string, ...more: readonly string[]]) {}

  /** Throws a `ToolFailure` when it is outside of them. */
  async inside(asked: string): Promise<Inside> {
    if (asked === "" || asked.includes("\0")) throw new ToolFailure("The path is empty, or no path.");
    const file = path.resolve(this.all[0], asked);
    try {
      const { real, isInside } = await placeOf(file, this.all),
        [cwd, ...more] = await Promise.all(this.all.map(async folder => (await placeOf(folder, [])).real));
      const folder = [cwd ?? "", ...more].find(each => contains(each, real));
      if (isInside && folder !== undefined) return { real, folder, shown: shownIn(cwd ?? "", real) };
      throw new ToolFailure(
        `${asked} is outside of the session's folders${real === file ? "" : `: it really is ${real}`}. Only what is in ${this.all.join(" or ")} can be used.`,
      );
    } catch (error) {
      throw error instanceof ToolFailure
        ? error
        : new ToolFailure(`${asked} cannot be looked at: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  /** All of them, without those that lie in another. */
  async roots(): Promise<readonly Inside[]> {
    const all = await Promise.all(this.all.map(folder => this.inside(folder)));
    return all.filter(
      (one, i) =>
        !all.some((other, j) => j !== i && contains(other.real, one.real) && (other.real !== one.real || j < i)),
    );
  }
}

function shownIn(cwd: string, real: string): string {
  if (!contains(cwd, real)) return real;
  const relative = path.relative(cwd, real);
  return relative === "" ? "." : relative.split(path.sep).join("/");
}

/** What is there; `undefined`: nothing. Throws a `ToolFailure` when it cannot be looked at. */
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
    throw new ToolFailure(`${shown} cannot be looked at: ${String(error)}`);
  }
}

/**
 * Files that decide what other programs run, or what the user is asked: those in some folders, and those that say what
 * a workspace of VS Code is. A standing approval does not hold there. Case makes no difference, because on some systems
 * it makes none; nor does what some leave out of a name: dots and spaces at its end, a stream behind a colon,
 * characters that are not seen.
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
