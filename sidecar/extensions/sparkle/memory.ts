/**
 * Sparkle's stored notes and their files:
 *
 *   ~/.sparkle/collaborator-profile.md                     the user
 *   ~/.sparkle/sparklers/NAME/identity.md                  a sparkler's identity; the heading is its name
 *   ~/.sparkle/sparklers/NAME/pattern-anchors.md           phrases that restore a way of working
 *   ~/.sparkle/sparklers/NAME/collaboration-evolution.md   changes in the collaboration
 *   WORKSPACE/.sparkle-space/working-memory.md             current state of the work
 *   WORKSPACE/.sparkle-space/workspace-insights.md         facts about the workspace
 *   WORKSPACE/.sparkle-space/checkpoints/TIME.md           summary of each session with a checkpoint
 *
 * The files are the only state and are not cached, because a person can edit them at any time.
 */
import path from "node:path";
import { ToolFailure } from "../tool";
import type { Section } from "./embodiment";
import { parseInsights, renderInsight, tidy, tidyTags, type Insight } from "./insights";
import { PersistentFolder, stamp, type PersistentFolderDeps, type Writing } from "./persistent-folder";
import { folderOf, headingOf, shownName, withHeading } from "./names";

export type InsightType = "PatternAnchor" | "CollaborationEvolution" | "WorkspaceInsight";
export const INSIGHT_TYPES: readonly InsightType[] = ["PatternAnchor", "CollaborationEvolution", "WorkspaceInsight"];

export type Sections = ReadonlyMap<string, Promise<Section | undefined>>;

export interface Sparkler {
  readonly name: string;
  readonly folder: string;
}

const PROFILE = "collaborator-profile.md",
  SPARKLERS = "sparklers",
  IDENTITY = "identity.md";
const WORKING_MEMORY = "working-memory.md",
  CHECKPOINTS = "checkpoints";
const LISTS: Readonly<Record<InsightType, { readonly file: string; readonly title: string }>> = {
  PatternAnchor: { file: "pattern-anchors.md", title: "Pattern anchors" },
  CollaborationEvolution: { file: "collaboration-evolution.md", title: "How the collaboration has changed" },
  WorkspaceInsight: { file: "workspace-insights.md", title: "Facts about this workspace" },
};
/** Default sparkler name. */
const DEFAULT_NAME = "Sparkler";

export class Memory {
  readonly #home: PersistentFolder;
  readonly #space: PersistentFolder | undefined;

  /** `cwd`: of the session. If undefined, no workspace notes are stored. `sparkler`: the name from the settings. */
  constructor(
    home: string,
    cwd: string | undefined,
    private readonly sparkler: string | undefined,
    private readonly deps: PersistentFolderDeps,
  ) {
    this.#home = PersistentFolder.ofUser(home, deps);
    if (cwd !== undefined && path.isAbsolute(cwd))
      this.#space = new PersistentFolder(
        { root: path.join(cwd, ".sparkle-space"), called: ".sparkle-space", of: "workspace" },
        deps,
      );
  }

  /** Sorted by folder name. */
  async sparklers(): Promise<readonly Sparkler[]> {
    const folders = await this.#home.list(SPARKLERS, "folders");
    return Promise.all(
      folders.map(async folder => ({
        folder,
        name: headingOf((await this.#home.read(`${SPARKLERS}/${folder}/${IDENTITY}`)) ?? "") ?? shownName(folder),
      })),
    );
  }

  /**
   * The sparkler of a session: the one from the settings, else the first by folder name. Its folder may not exist yet.
   */
  async current(): Promise<Sparkler> {
    const all = await this.sparklers();
    return (
      (this.sparkler === undefined ? all[0] : named(all, this.sparkler)) ?? newSparkler(this.sparkler ?? DEFAULT_NAME)
    );
  }

  /** Whether the settings name this sparkler. */
  isChosen({ name }: Sparkler): boolean {
    return this.sparkler !== undefined && folderOf(this.sparkler) === folderOf(name);
  }

  /** `name`: as given by a model. Undefined: the current sparkler. */
  async whom(name: string | undefined): Promise<Sparkler> {
    if (name === undefined) return this.current();
    const all = await this.sparklers(),
      found = named(all, name);
    if (!found)
      throw new ToolFailure(
        `Unknown sparkler “${shownName(name)}”.${all.length === 0 ? "" : ` Sparklers: ${all.map(sparkler => sparkler.name).join(", ")}.`} create_sparkler creates one.`,
      );
    return found;
  }

  /** The user's part of an embodiment. Sections are read independently. No promise rejects. */
  sections(current: Promise<Sparkler>): Sections {
    const { text, list } = this.#readers(),
      fileOf = (file: string): Promise<string> => current.then(({ folder }) => `${SPARKLERS}/${folder}/${file}`);
    const { PatternAnchor, CollaborationEvolution } = LISTS;
    return new Map([
      ["identity", text(this.#home, "Your identity", fileOf(IDENTITY))],
      ["profile", text(this.#home, "The user's profile", PROFILE)],
      ["anchors", list(this.#home, "PatternAnchor", fileOf(PatternAnchor.file))],
      ["evolution", list(this.#home, "CollaborationEvolution", fileOf(CollaborationEvolution.file))],
    ]);
  }

  /** The workspace's part. Requires the user's consent to send it to the agent (`space-consent.ts`). */
  workspaceSections(): Sections {
    const { text, list } = this.#readers();
    return new Map([
      ["working memory", text(this.#space, "State of the work in this workspace", WORKING_MEMORY)],
      ["checkpoint", text(this.#space, "The last session that was closed here", this.#lastCheckpoint())],
      ["workspace insights", list(this.#space, "WorkspaceInsight", LISTS.WorkspaceInsight.file)],
    ]);
  }

  #readers() {
    const text = async (
      folder: PersistentFolder | undefined,
      title: string,
      file: string | Promise<string | undefined>,
    ): Promise<Section | undefined> => {
      const where = await file,
        read = where === undefined ? undefined : tidy((await folder?.read(where)) ?? "");
      return folder && where !== undefined && read ? { title, file: folder.called(where), pieces: [read] } : undefined;
    };
    const list = async (
      folder: PersistentFolder | undefined,
      type: InsightType,
      file: string | Promise<string>,
    ): Promise<Section | undefined> => {
      const { title } = LISTS[type],
        where = await file,
        insights = parseInsights((await folder?.read(where, "end")) ?? "");
      return folder && insights.length > 0
        ? { title, file: folder.called(where), pieces: insights.toReversed().map(asListItem) }
        : undefined;
    };
    return { text, list };
  }

  /** Returns the file's path as shown to the user. */
  async saveInsight(
    type: InsightType,
    given: {
      readonly content: string;
      readonly context: string;
      readonly tags: readonly string[];
      readonly sparkler: string | undefined;
    },
    signal: AbortSignal,
  ): Promise<string> {
    const { file, title } = LISTS[type],
      { deps } = this,
      sparkler = type === "WorkspaceInsight" ? undefined : await this.whom(given.sparkler);
    const insight: Insight = {
      at: deps.date().toISOString(),
      tags: tidyTags(given.tags),
      content: tidy(given.content),
      context: tidy(given.context),
    };
    const folder = sparkler ? this.#home : this.#workspace(),
      where = sparkler ? `${SPARKLERS}/${sparkler.folder}/${file}` : file;
    await folder.writing(signal, async writing => {
      if (sparkler) await this.#ensureIdentity(sparkler, writing);
      await writing.append(
        where,
        renderInsight(insight),
        `# ${title}\n\n<!-- The newest is last. Change, add and delete as you like: an entry begins at a line with “## ”. -->\n`,
      );
    });
    return folder.called(where);
  }

  /** Returns the paths of the written files as shown to the user. */
  async checkpoint(
    workingMemory: string,
    story: string,
    sparkler: string | undefined,
    signal: AbortSignal,
  ): Promise<readonly string[]> {
    const space = this.#workspace(),
      { name } = await this.whom(sparkler);
    return space.writing(signal, async writing => {
      const file = await this.#newCheckpoint(space),
        at = this.deps.date().toISOString();
      await writing.replace(file, `# Checkpoint of ${at}\n\nBy ${name}.\n\n${tidy(story)}\n`);
      await writing.replace(WORKING_MEMORY, withHeading("Working memory", `From ${at}.\n\n${tidy(workingMemory)}`));
      return [space.called(WORKING_MEMORY), space.called(file)];
    });
  }

  profile(): Promise<string | undefined> {
    return this.#home.read(PROFILE);
  }

  async replaceProfile(content: string, signal: AbortSignal): Promise<string> {
    await this.#home.writing(signal, writing => writing.replace(PROFILE, `${tidy(content)}\n`));
    return this.#home.called(PROFILE);
  }

  /** Existing files remain unchanged. */
  async setUp(
    user: string,
    signal: AbortSignal,
  ): Promise<{ readonly profile: string; readonly sparkler: Sparkler; readonly isNew: boolean }> {
    const sparkler = await this.current();
    return this.#home.writing(signal, async writing => {
      const isNew = (await this.profile()) === undefined;
      if (isNew)
        await writing.replace(
          PROFILE,
          withHeading(shownName(user), "How this user works, and likes to work together.\n"),
        );
      await this.#ensureIdentity(sparkler, writing);
      return { profile: this.#home.called(PROFILE), sparkler, isNew };
    });
  }

  async create(name: string, signal: AbortSignal): Promise<Sparkler> {
    const sparkler = newSparkler(name);
    return this.#home.writing(signal, async writing => {
      const found = named(await this.sparklers(), name);
      if (found) throw new ToolFailure(`A sparkler “${found.name}” already exists.`);
      await this.#ensureIdentity(sparkler, writing);
      return sparkler;
    });
  }

  /** Returns the renamed sparkler and its previous state. */
  async rename(
    oldName: string | undefined,
    newName: string,
    signal: AbortSignal,
  ): Promise<readonly [now: Sparkler, before: Sparkler]> {
    const now = newSparkler(newName);
    await this.whom(oldName); // fails before anything is written
    return this.#home.writing(signal, async writing => {
      const before = await this.whom(oldName),
        taken = named(
          (await this.sparklers()).filter(({ folder }) => folder !== before.folder),
          newName,
        );
      if (taken) throw new ToolFailure(`A sparkler “${taken.name}” already exists.`);
      await this.#ensureIdentity(before, writing);
      const identity = (await this.#home.read(`${SPARKLERS}/${before.folder}/${IDENTITY}`)) ?? "";
      await writing.replace(`${SPARKLERS}/${before.folder}/${IDENTITY}`, withHeading(now.name, identity));
      if (now.folder !== before.folder)
        await writing.rename(`${SPARKLERS}/${before.folder}`, `${SPARKLERS}/${now.folder}`);
      return [now, before];
    });
  }

  async replaceIdentity(
    sparkler: string | undefined,
    content: string,
    signal: AbortSignal,
  ): Promise<readonly [Sparkler, file: string]> {
    const first = await this.whom(sparkler),
      file = `${SPARKLERS}/${first.folder}/${IDENTITY}`;
    await this.#home.writing(signal, writing => writing.replace(file, withHeading(first.name, tidy(content))));
    return [first, this.#home.called(file)];
  }

  #workspace(): PersistentFolder {
    if (!this.#space) throw new ToolFailure("This session has no folder, so notes of a workspace cannot be saved.");
    return this.#space;
  }

  /** Creates the identity file of a sparkler if it is missing. */
  async #ensureIdentity({ name, folder }: Sparkler, writing: Writing): Promise<void> {
    const file = `${SPARKLERS}/${folder}/${IDENTITY}`;
    if (!(await this.#home.list(`${SPARKLERS}/${folder}`, "files")).includes(IDENTITY))
      await writing.replace(file, withHeading(name, ""));
  }

  async #lastCheckpoint(): Promise<string | undefined> {
    const last = (await this.#space?.list(CHECKPOINTS, "files"))?.findLast(file => file.endsWith(".md"));
    return last === undefined ? undefined : `${CHECKPOINTS}/${last}`;
  }

  /** A new file name, unique even within a millisecond. */
  async #newCheckpoint(space: PersistentFolder): Promise<string> {
    const taken = await space.list(CHECKPOINTS, "files");
    for (let at = this.deps.date().getTime(); ; at++) {
      const file = `${stamp(new Date(at))}.md`;
      if (!taken.includes(file)) return `${CHECKPOINTS}/${file}`;
    }
  }
}

/** As an item of a Markdown list, for a model. */
export function asListItem({ at, tags, content, context }: Insight): string {
  const when = [at.slice(0, 10), ...tags].filter(part => part !== "").join(", ");
  return `- ${content.replaceAll("\n", "\n  ")}${context === "" ? "" : `\n  Context: ${context.replaceAll("\n", "\n  ")}`}${when === "" ? "" : `\n  (${when})`}`;
}

/** Finds a sparkler by its name or its folder's name, in normalized form. */
function named(all: readonly Sparkler[], name: string): Sparkler | undefined {
  const wanted = folderOf(name);
  return (
    all.find(sparkler => wanted !== undefined && folderOf(sparkler.name) === wanted) ??
    all.find(sparkler => wanted !== undefined && folderOf(sparkler.folder) === wanted)
  );
}

function newSparkler(name: string): Sparkler {
  const folder = folderOf(name);
  if (folder === undefined)
    throw new ToolFailure(`“${shownName(name)}” is not a valid name: it needs a letter or a digit.`);
  return { name: shownName(name), folder };
}
