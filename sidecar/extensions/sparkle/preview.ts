/** Preview of the embodiment that Sparkle adds to the first prompt of a session. */
import { realFiles, type Files } from "../../agents/install/store/files";
import type { ExtensionSettings, PreviewDeps } from "../extension";
import { marked } from "./marks";
import { Memory } from "./memory";
import { PersistentFolder } from "./persistent-folder";
import { SessionTexts } from "./session-texts";
import { readSettings } from "./settings";
import { SpaceConsent } from "./space-consent";

/**
 * The block for an agent that lists Sparkle's tools, with its marks. Includes the notes of the workspace only if the
 * user has already agreed. Undefined if the embodiment is off. `files`: replaceable, so that tests can inject failures.
 */
export async function previewEmbodiment(
  settings: ExtensionSettings,
  { home, cwd, ...deps }: PreviewDeps,
  files: Files = realFiles,
): Promise<string | undefined> {
  const values = readSettings(settings, deps),
    folderDeps = { ...deps, files };
  if (values.embodiment === "off") return undefined;
  const consent = new SpaceConsent(PersistentFolder.ofUser(home, folderDeps), cwd, NO_CLIENT, () => 1),
    known = async (): Promise<boolean> => (await consent.known()) === true;
  const texts = new SessionTexts({
    ...deps,
    settings: values,
    onWarning: (what, detail) => deps.log("warn", `Sparkle: ${what}`, { detail: String(detail) }),
  });
  const text = await texts.blockText(
    {
      memory: new Memory(home, cwd === "" ? undefined : cwd, values.sparkler, folderDeps),
      space: { known, agreed: known },
    },
    Promise.resolve(true),
    new AbortController().signal,
  );
  return text === undefined ? undefined : marked("embodiment", text);
}

/** A preview asks the user nothing. */
const NO_CLIENT = {
  request: () => Promise.reject(new Error("A preview has no client.")),
  notify: () => undefined,
};
