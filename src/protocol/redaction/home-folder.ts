/** Replaces the home folder in reports with `~`, because its path contains the user's name. Pure. */

/** Replaces the path as it is, inside JSON, with `/`, and with VS Code's lower-case drive letter. */
export function withoutHome(text: string, home: string): string {
  if (home.length <= 1) return text;
  const paths = [home, home.replace(/^[A-Z]:/, drive => drive.toLowerCase())],
    spellings = paths.flatMap(path => [path, JSON.stringify(path).slice(1, -1), path.replaceAll("\\", "/")]);
  return [...new Set(spellings)].reduce((shown, spelling) => shown.replaceAll(spelling, "~"), text);
}
