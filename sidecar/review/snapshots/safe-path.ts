/** Decides which relative paths may be written. Pure. */

/** Why a path is refused, or undefined if it may be written below its root. `platform`: `process.platform`. */
export function pathFault(path: string, platform: string): "empty" | "outside" | "repository" | "name" | undefined {
  if (path === "") return "empty";
  if (path.includes("\0")) return "name";
  if (platform === "win32" && /[\\:*?"<>|]/.test(path)) return "name";
  const names = path.split("/");
  if (names.some(name => name === "" || name === "." || name === "..")) return "outside";
  if (names.some(isRepositoryName)) return "repository";
  return undefined;
}

export function hasRepositoryName(path: string): boolean {
  return path.split("/").some(isRepositoryName);
}

/**
 * Whether a file system can treat this name as `.git`: case-insensitive ones, Windows (which removes dots and spaces at
 * the end, and has short names and streams), and macOS (which ignores some invisible characters).
 */
function isRepositoryName(name: string): boolean {
  const plain = name
    .replaceAll(/[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g, "")
    .toLowerCase()
    .replace(/:.*$/, "")
    .replace(/[. ]+$/, "");
  return plain === ".git" || plain === "git~1";
}
