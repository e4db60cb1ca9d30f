/**
 * The text with which a session begins: what is kept, read and composed in time (`embodiment.ts`).
 *
 * Invariants: reading takes `READING_MS` at most; no notes of a workspace are in a text without the user's consent;
 * text that asks for a tool is in a text only where the caller says that the tools are listed; nothing here rejects.
 */
import type { ExtensionDeps } from "../extension";
import { compose, type Section } from "./embodiment";
import { inTime } from "./in-time";
import { marked } from "./marks";
import type { Memory } from "./memory";
import type { SparkleSettings } from "./settings";
import type { SpaceConsent } from "./space-consent";
import { guidance, KEPT, opening, WORKSPACE_OPENING } from "./texts";

/** Milliseconds that reading may delay a setup or a first prompt. */
export const READING_MS = 3_000;

/** The files of one session, and the consent to send those of its workspace. */
export interface SessionMemory {
  readonly memory: Memory;
  readonly space: Pick<SpaceConsent, "known" | "agreed">;
}

export interface SessionTextsDeps extends Pick<ExtensionDeps, "clock" | "log"> {
  readonly settings: Pick<SparkleSettings, "embodimentBytes" | "sparkler">;
  /** For the log. */
  readonly odd: (what: string, detail: unknown) => void;
}

export interface SystemText {
  /** With its marks, so that a person finds it in a trace. */
  readonly text: string;
  /** The workspace has notes, and the user was not asked about them yet: they go behind the first prompt. */
  readonly isSpaceDue: boolean;
}

export class SessionTexts {
  constructor(private readonly deps: SessionTextsDeps) {}

  /** For the agent's system prompt: without tools, and without a question to the user. Undefined when it failed. */
  systemText(session: SessionMemory, signal: AbortSignal): Promise<SystemText | undefined> {
    return this.#safely(async () => {
      const { own, workspace, name } = await this.#read(session.memory, signal),
        isAgreed = workspace.length > 0 ? await session.space.known() : false;
      const sections = isAgreed === true ? [...own, ...workspace] : own;
      return {
        text: marked("embodiment", this.#composed([opening(name), ...(sections.length > 0 ? [KEPT] : [])], sections)),
        isSpaceDue: isAgreed === undefined,
      };
    });
  }

  /**
   * For a block behind the first prompt, where the agent takes no system prompt. The user may be asked. `listed`:
   * whether the agent has listed the tools.
   */
  blockText(session: SessionMemory, listed: Promise<boolean>, signal: AbortSignal): Promise<string | undefined> {
    return this.#safely(async () => {
      const { own, workspace, name } = await this.#read(session.memory, signal);
      const sections =
          workspace.length > 0 && (await session.space.agreed(workspace, signal)) ? [...own, ...workspace] : own,
        isNew = sections.length === 0;
      return this.#composed(
        [opening(name), ...((await listed) ? [guidance(isNew)] : []), ...(isNew ? [] : [KEPT])],
        sections,
      );
    });
  }

  /**
   * For a block with nothing but the notes of the workspace, after `systemText`. Undefined also where the user did not
   * agree.
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
      log("warn", "What Sparkle keeps could not be read in time, and is left out", { left: late, ms: READING_MS });
    return {
      own: own.there.filter(isSection),
      workspace: workspace.there.filter(isSection),
      name: names.there[0]?.name ?? settings.sparkler ?? "Sparkle",
    };
  }

  async #safely<T>(make: () => Promise<T>): Promise<T | undefined> {
    try {
      return await make();
    } catch (error) {
      this.deps.odd("a session begins without its embodiment", error);
      return undefined;
    }
  }
}
