/** The user's settings. `extension.json` declares them. Symposium passes them as JSON in an environment variable. */
export interface Settings {
  /** Whether the tool also counts characters. */
  readonly countCharacters: boolean;
}

/** Users can edit the JSON. An invalid value has its default. */
export function readSettings(json: string | undefined): Settings {
  const { countCharacters } = membersOf(json);
  return { countCharacters: typeof countCharacters === "boolean" ? countCharacters : false };
}

function membersOf(json = "{}"): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
