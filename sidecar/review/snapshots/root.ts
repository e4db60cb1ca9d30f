/** A root: a folder whose files are recorded as one tree. */
import { homedir } from "node:os";
import path from "node:path";
import { algorithmOf, configText, StoreFolder } from "./store-folder";
import { conversionIn, conversionOf, strongest, type Conversion } from "./conversions";
import type { Git } from "./git-program";
import { encodePath, parseConfig, type ByteString } from "./git-output";
import { excludeText } from "./ignore-rules";
import type { HashAlgorithm } from "./index-file";
import { configurationText, isWithin, repositoryOf, type Repository } from "./repository";

export interface Root {
  /** Real path. Paths of the snapshot are relative to it. */
  readonly folder: string;
  readonly store: StoreFolder;
  /** `GIT_WORK_TREE`: the folder, or the repository that contains it. */
  readonly workTree: string;
  /** The folder relative to `workTree`: empty, or with `/` at the end. */
  readonly prefix: ByteString;
  readonly repository?: Repository;
  readonly algorithm: HashAlgorithm;
  /** Whether the file system has the mode "executable". */
  readonly hasModes: boolean;
  /** Whether the file system has symbolic links. */
  readonly hasLinks: boolean;
  /** The conversions that the user's configuration and attributes outside of the work tree allow. */
  readonly conversion: Conversion;
  /** Whether objects of an earlier process are valid for this root. */
  readonly isContinued: boolean;
}

export interface RootDeps {
  readonly git: Git;
  readonly storage: string;
  readonly platform: string;
  /** The environment of the user. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Finds the repository of the folder and prepares its store. `folder`: a real path. Rejects with `GitError`. */
export async function openRoot(folder: string, deps: RootDeps): Promise<Root> {
  const { git, storage, platform, env } = deps,
    store = StoreFolder.of(storage, folder),
    found = repositoryOf(folder),
    repository = found && (await ignores(found, folder, git)) ? undefined : found;
  const workTree = repository?.workTree ?? folder,
    config =
      repository && parseConfig((await git.runAsUser(userCommand(repository, ["config", "-z", "--list"]))).stdout);
  const hidden = isWithin(workTree, storage) ? path.relative(workTree, storage).split(path.sep).join("/") : undefined,
    userFile = (key: string, name: string): string => userPath(config?.get(key), name, workTree, env);
  const exclude = excludeText(
    repository
      ? {
          kind: "repository",
          user: await configurationText(userFile("core.excludesfile", "ignore")),
          repository: await configurationText(path.join(repository.commonFolder, "info", "exclude")),
        }
      : { kind: "folder" },
    hidden,
  );
  const attributes = repository
    ? await Promise.all([
        configurationText(userFile("core.attributesfile", "attributes")),
        configurationText(path.join(repository.commonFolder, "info", "attributes")),
      ])
    : [];
  const isContinued = store.create({
    config: configText(config, platform),
    exclude,
    alternates: repository && path.join(repository.commonFolder, "objects"),
  });
  const prefix = path.relative(workTree, folder).split(path.sep).join("/");
  return {
    folder,
    store,
    workTree,
    prefix: prefix === "" ? "" : encodePath(`${prefix}/`),
    ...(repository === undefined ? {} : { repository }),
    algorithm: config === undefined ? "sha1" : algorithmOf(config),
    hasModes: config === undefined ? platform !== "win32" : config.get("core.filemode") !== "false",
    hasLinks: config === undefined ? platform !== "win32" : config.get("core.symlinks") !== "false",
    conversion: strongest([
      ...(config === undefined ? [] : [conversionOf(config)]),
      ...attributes.map(text => conversionIn(text ?? "")),
    ]),
    isContinued,
  };
}

/** A folder whose contents are stored without git. */
export function plainRoot(folder: string, storage: string, platform: string): Root {
  const store = StoreFolder.of(storage, folder),
    isContinued = store.create({
      config: configText(undefined, platform),
      exclude: excludeText({ kind: "folder" }, undefined),
      alternates: undefined,
    });
  return {
    folder,
    store,
    workTree: folder,
    prefix: "",
    algorithm: "sha1",
    hasModes: platform !== "win32",
    hasLinks: platform !== "win32",
    conversion: "none",
    isContinued,
  };
}

/** A command that only reads, in the user's repository. */
export function userCommand(
  { gitFolder, workTree }: Repository,
  args: readonly string[],
): { readonly args: readonly string[]; readonly cwd: string; readonly env: Readonly<Record<string, string>> } {
  return { args, cwd: workTree, env: { GIT_DIR: gitFolder, GIT_WORK_TREE: workTree } };
}

/** A folder that the repository ignores is not a part of it, for example a project below a repository of settings. */
async function ignores(repository: Repository, folder: string, git: Git): Promise<boolean> {
  if (repository.workTree === folder) return false;
  const command = userCommand(repository, ["check-ignore", "-q", "--", `${folder}${path.sep}`]);
  return (await git.runAsUser({ ...command, codes: [1] })).code === 0;
}

/** The path of a setting, or git's default path of the user's file. */
function userPath(
  setting: string | undefined,
  name: string,
  workTree: string,
  env: Readonly<Record<string, string | undefined>>,
): string {
  const home = env["HOME"] || homedir();
  if (setting === undefined || setting === "")
    return path.join(env["XDG_CONFIG_HOME"] || path.join(home, ".config"), "git", name);
  return path.resolve(
    workTree,
    setting.replace(/^~(?=\/|\\|$)/, () => home),
  );
}
