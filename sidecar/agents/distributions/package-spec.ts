/**
 * Packages as npm's and Python's tools name them. A spec becomes an argument of such a tool, and comes from documents
 * and settings: what these tools would read as an option, a path, an address or several words is no package. Pure.
 */

export interface NpmSpec {
  /** With its scope. */
  readonly name: string;
  /** As it was written: a version, a tag or a simple range. */
  readonly version?: string;
}

export interface PythonSpec {
  readonly name: string;
  /** With their brackets; empty: none. */
  readonly extras: string;
  /** Exact, or `latest`. */
  readonly version?: string;
}

/** npm's rules for names (which may be old: capitals), and none that begins like an option or a path. */
const NPM = /^((?:@[a-z0-9][\w.~-]*\/)?[a-z0-9][\w.~-]*)(?:@([\d^~*][\w.^~*+-]*|[a-z][\w.+-]*))?$/i;
const LONGEST_NAME = 214;

/** `@scope/name@1.2.3`, `name@latest`, `name`. */
export function npmSpec(text: string): NpmSpec | undefined {
  const [, name, version] = NPM.exec(text) ?? [];
  if (name === undefined || name.length > LONGEST_NAME || (version?.length ?? 0) > LONGEST_NAME) return undefined;
  return version === undefined ? { name } : { name, version };
}

/** Names and extras as PEP 508 has them, versions as PEP 440 does; `@` as uv does. */
const PYTHON =
  /^([a-z0-9](?:[\w.-]*[a-z0-9])?)(\[[a-z0-9](?:[\w.,-]*[a-z0-9])?\])?(?:(?:==|@)(\d[\w.!+*-]*|v\d[\w.!+*-]*|latest))?$/i;

/** `name==1.2.3`, `name@1.2.3`, `name[extra]==1.2.3`, `name`. */
export function pythonSpec(text: string): PythonSpec | undefined {
  if (text.length > LONGEST_NAME) return undefined;
  const [, name, extras = "", version] = PYTHON.exec(text) ?? [];
  if (name === undefined) return undefined;
  return version === undefined ? { name, extras } : { name, extras, version };
}

/** As pip, and so pipx, reads it: there `@` is followed by an address. */
export function requirementOf({ name, extras, version }: PythonSpec): string {
  return version === undefined || version === "latest" ? `${name}${extras}` : `${name}${extras}==${version}`;
}

/** A name that cargo takes for a crate. */
export function isCrate(text: string): boolean {
  return /^[a-z][\w-]{0,63}$/i.test(text);
}

/** Whether two releases of that version are the same one: no tag, no range, no placeholder. */
export function isExact(version: string): boolean {
  return /^v?\d+(\.\d+)+[\w.!+-]*$/i.test(version);
}
