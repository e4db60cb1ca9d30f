/**
 * Installs a Python tool with the user's uv or pipx. Its folder cannot be moved, because virtual environments contain
 * their own path.
 */
import * as l10n from "@vscode/l10n";
import path from "node:path";
import { requirementOf, type PythonSpec } from "../../../../src/protocol/agents/package-spec";
import { absent, type Files } from "../store/files";
import { noProgram } from "../store/install-error";
import type { Built } from "../store/manifest";
import { chosenProgram, useTool, type ToolProgram, type ToolDeps } from "./package-tool";

/** Folders of the programs (links into the environment) and of the environments. */
const BIN = "bin",
  TOOLS = "tools";

export async function installPython(
  folder: string,
  spec: PythonSpec,
  cmd: string | undefined,
  by: "uv" | "pipx",
  tool: ToolProgram,
  deps: ToolDeps,
): Promise<Omit<Built, "source">> {
  const bin = path.join(folder, BIN),
    tools = path.join(folder, TOOLS),
    requirement = requirementOf(spec);
  if (by === "uv")
    await useTool(
      tool,
      ["tool", "install", requirement],
      { cwd: folder, env: { UV_TOOL_DIR: tools, UV_TOOL_BIN_DIR: bin } },
      deps,
    );
  else
    await useTool(
      tool,
      ["install", requirement],
      { cwd: folder, env: { PIPX_HOME: tools, PIPX_BIN_DIR: bin, PIPX_MAN_DIR: path.join(folder, "man") } },
      deps,
    );
  const files = (await deps.files.readdir(bin).catch(absent<string[]>([]))).filter(name => !name.startsWith("."));
  const names = new Map(files.map(file => [file.replace(/\.exe$/i, ""), file]));
  const program = names.get(chosenProgram([...names.keys()], { cmd: cmd?.replace(/\.exe$/i, ""), like: spec.name }));
  const release = (await releaseOf(tools, spec.name, deps.files)) ?? spec.version;
  if (program === undefined || release === undefined) throw noProgram(l10n.t`${by} did not install ${spec.name}.`);
  return { release, program: `${BIN}/${program}`, runtimeArgs: [] };
}

/**
 * Reads the version from the `NAME-VERSION.dist-info` folder that every Python installer writes (PyPA, “Recording
 * installed projects”).
 */
async function releaseOf(tools: string, name: string, files: Files): Promise<string | undefined> {
  const normal = (text: string): string => text.toLowerCase().replaceAll(/[-_.]+/g, "_");
  for (const entry of await files.readdir(tools, { recursive: true }).catch(absent<string[]>([]))) {
    const [, project, version] = /^(.+)-([^-]+)\.dist-info$/.exec(path.basename(entry)) ?? [];
    if (project !== undefined && normal(project) === normal(name)) return version;
  }
  return undefined;
}
