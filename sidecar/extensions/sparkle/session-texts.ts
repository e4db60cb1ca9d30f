/**
 * Reads the stored notes within a time limit and composes the text for the start of a session (`embodiment.ts`).
 *
 * Invariants:
 * - Reading takes at most `READING_MS`.
 * - A text includes notes of a workspace only with the user's consent.
 * - A text requests a tool only if the caller reports that the tools are listed.
 * - No method rejects.
 */
import type { ExtensionDeps } from "../extension";
import { compose, type Section } from "./embodiment";
import { inTime } from "./results-within-limit";
import { marked } from "./marks";
import type { Memory } from "./memory";
import type { SparkleSettings } from "./settings";
import type { SpaceConsent } from "./space-consent";
import { guidance, SAVED_NOTES_OPENING, opening, WORKSPACE_OPENING } from "./model-texts";

/** Maximum delay of a setup or a first prompt by reading, in milliseconds. */
export const READING_MS = 3_000;

/** The files of a session, and the consent to send its workspace's files. */
export interface SessionMemory {
  readonly memory: Memory;
  readonly space: Pick<SpaceConsent, "known" | "agreed">;
}

export interface SessionTextsDeps extends Pick<ExtensionDeps, "clock" | "log"> {
  readonly settings: Pick<SparkleSettings, "embodimentBytes" | "sparkler">;
  /** Writes to the log. */
  readonly onWarning: (what: string, detail: unknown) => void;
}

export interface SystemText {
  /** Includes the marks, which identify the text in a trace. */
  readonly text: string;
  /**
   * The workspace has notes without a consent decision. The first prompt requests the consent and appends the notes.
   */
  readonly isSpaceDue: boolean;
}

export class SessionTexts {
  constructor(private readonly deps: SessionTextsDeps) {}

  /** Text for the agent's system prompt: requests no tools and does not ask the user. Undefined on failure. */
  systemText(session: SessionMemory, signal: AbortSignal): Promise<SystemText | undefined> {
    return this.#safely(async () => {
      const { own, workspace, name } = await this.#read(session.memory, signal),
        isAgreed = workspace.length > 0 ? await session.space.known() : false;
      const sections = isAgreed === true ? [...own, ...workspace] : own;
      return {
        text: marked(
          "embodiment",
          this.#composed([opening(name), ...(sections.length > 0 ? [SAVED_NOTES_OPENING] : [])], sections),
        ),
        isSpaceDue: isAgreed === undefined,
      };
    });
  }

  /**
   * Text for a block after the first prompt, if the agent supports no system prompt. May ask the user. `listed`:
   * whether the agent has listed the tools. Undefined on failure.
   */
  blockText(session: SessionMemory, listed: Promise<boolean>, signal: AbortSignal): Promise<string | undefined> {
    return this.#safely(async () => {
      const { own, workspace, name } = await this.#read(session.memory, signal);
      const sections =
          workspace.length > 0 && (await session.space.agreed(workspace, signal)) ? [...own, ...workspace] : own,
        isNew = sections.length === 0;
      return this.#composed(
        [opening(name), ...((await listed) ? [guidance(isNew)] : []), ...(isNew ? [] : [SAVED_NOTES_OPENING])],
        sections,
      );
    });
  }

  /**
   * Text for a block with only the notes of the workspace, after `systemText`. Undefined without the user's consent or
   * on failure.
   */
  spaceText(session: SessionMemory, signal: AbortSignal): Promise<string | undefined> {
    return this.#safely(async () => {
      const { workspace } = await this.#read(session.memory, signal);
      return workspace.length > 0 && (await session.space.agreed(workspace, signal))
        ? this.#composed([WORKSPACE_OPENING], workspace)
        : undefined;
    });
  }

  #composed(opening: readonly string[], sections: readonly Section[]): string {
    return compose(opening.join("\n\n"), sections, this.deps.settings.embodimentBytes);
  }

  async #read(
    memory: Memory,
    signal: AbortSignal,
  ): Promise<{ readonly own: readonly Section[]; readonly workspace: readonly Section[]; readonly name: string }> {
    const { clock, log, settings } = this.deps,
      current = memory.current();
    const read = <T>(sections: ReadonlyMap<string, Promise<T>>) => inTime(sections, READING_MS, clock, signal);
    const [own, workspace, names] = await Promise.all([
      read(memory.sections(current)),
      read(memory.workspaceSections()),
      read(new Map([["name", current]])),
    ]);
    const late = [...own.late, ...workspace.late],
      isSection = (section: Section | undefined): section is Section => section !== undefined;
    if (late.length > 0 && !signal.aborted)
      log("warn", "Sparkle's notes could not be read in time and are omitted", { left: late, ms: READING_MS });
    return {
      own: own.there.filter(isSection),
      workspace: workspace.there.filter(isSection),
      name: names.there[0]?.name ?? settings.sparkler ?? "Sparkle",
    };
  }

  async #safely<T>(create: () => Promise<T>): Promise<T | undefined> {
    try {
      return await create();
    } catch (error) {
      this.deps.onWarning("a session starts without its embodiment", error);
      return undefined;
    }
  }
}
