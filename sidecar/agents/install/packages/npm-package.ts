/** Installs an npm package into a separate folder with the user's npm, including its mirrors, credentials and cache. */
import * as l10n from "@vscode/l10n";
import path from "node:path";
import type { NpmSpec } from "../../../../src/protocol/agents/package-spec";
import { relativeParts } from "../../distributions/folder-name";
import { programSize, type Files } from "../store/files";
import { noProgram } from "../store/install-error";
import type { Built } from "../store/manifest";
import { chosenProgram, readJson, useTool, type ToolProgram, type ToolDeps } from "./package-tool";

const OPTIONS = ["--no-audit", "--no-fund", "--omit=dev", "--no-package-lock", "--loglevel=notice"];

/** `argument`: passed to npm in place of the spec, such as a folder of the same package. */
export async function installNpm(
  folder: string,
  spec: NpmSpec,
  cmd: string | undefined,
  npm: ToolProgram,
  deps: ToolDeps,
  argument = argumentOf(spec),
): Promise<Omit<Built, "source">> {
  // Prevents npm from searching the parent folders for a project.
  const root = await deps.files.open(path.join(folder, "package.json"), "wx");
  try {
    await root.writeFile('{ "private": true }\n');
  } finally {
    await root.close();
  }
  await useTool(npm, ["install", "--prefix", folder, ...OPTIONS, "--", argument], { cwd: folder }, deps);
  const packageFolder = ["node_modules", ...spec.name.split("/")];
  const packageJson = await readJson(path.join(folder, ...packageFolder, "package.json"), deps.files);
  if (!packageJson || typeof packageJson.version !== "string") throw noProgram(`npm did not install ${spec.name}.`);
  const bins = binsOf(packageJson.bin, spec.name);
  const name = chosenProgram([...bins.keys()], { cmd, like: spec.name.replace(/^@[^/]*\//, "") });
  const parts = relativeParts(bins.get(name) ?? "");
  if (!parts) throw noProgram(l10n.t`${spec.name} declares the program ${name} outside of its folder.`);
  return { release: packageJson.version, ...(await launchOf(folder, [...packageFolder, ...parts], name, deps)) };
}

export function argumentOf({ name, version }: NpmSpec): string {
  return version === undefined ? name : `${name}@${version}`;
}

function binsOf(bin: unknown, packageName: string): ReadonlyMap<string, string> {
  if (typeof bin === "string") return new Map([[packageName.replace(/^@[^/]*\//, ""), bin]]);
  return new Map(
    Object.entries(bin ?? {}).filter(
      (entry): entry is [string, string] => typeof entry[1] === "string" && relativeParts(entry[0])?.length === 1,
    ),
  );
}

/** Starts a Node script with Node directly, because npm's wrappers affect signals and differ on Windows. */
async function launchOf(
  folder: string,
  script: readonly string[],
  name: string,
  { files, platform }: ToolDeps,
): Promise<Pick<Built, "program" | "runtime" | "runtimeArgs">> {
  const file = path.join(folder, ...script);
  const found = (await programSize(file, files)) === undefined ? `${file}.js` : file; // npm accepts both names
  if ((await programSize(found, files)) === undefined)
    throw noProgram(l10n.t`The program ${name} is not in its package.`);
  const runtimeArgs = nodeArgs(await firstLine(found, files));
  if (runtimeArgs) return { program: slashed(folder, found), runtime: "node", runtimeArgs };
  return { program: `node_modules/.bin/${platform === "win32" ? `${name}.cmd` : name}`, runtimeArgs: [] };
}

function slashed(folder: string, file: string): string {
  return path.relative(folder, file).replaceAll(path.sep, "/");
}

async function firstLine(file: string, files: Files): Promise<string> {
  const handle = await files.open(file, "r");
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(256), 0, 256, 0);
    return buffer.subarray(0, bytesRead).toString().split(/\r?\n/, 1)[0] ?? "";
  } finally {
    await handle.close();
  }
}

/**
 * Returns undefined if the script is not for Node. `#!/usr/bin/env -S node --no-warnings` contains options for Node.
 */
function nodeArgs(line: string): string[] | undefined {
  const found = /^#!.*?\bnode(?:js|\.exe)?(?:\s+(.*))?$/.exec(line);
  return found ? (found[1] ?? "").split(/\s+/).filter(Boolean) : undefined;
}
