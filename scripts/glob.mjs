import { existsSync, readdirSync } from "node:fs";

/** Files below the folders whose name matches, as sorted paths with forward slashes. */
export function globSync(folders, pattern) {
  return folders
    .filter(folder => existsSync(folder))
    .flatMap(folder =>
      readdirSync(folder, { recursive: true, encoding: "utf8" }).map(name => `${folder}/${name.replaceAll("\\", "/")}`),
    )
    .filter(file => pattern.test(file))
    .sort();
}
