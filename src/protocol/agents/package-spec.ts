/**
 * Package specs of npm and Python tools. A spec comes from documents and settings and becomes an argument of such a
 * tool. Anything that the tool would read as an option, a path, an address or several words is rejected. Pure.
 */

export interface NpmSpec {
  /** Includes the scope. */
  readonly name: string;
  /** A version, a tag or a simple range, verbatim. */
  readonly version?: string;
}

export interface PythonSpec {
  readonly name: string;
  /** Includes the brackets. Empty: none. */
  readonly extras: string;
  /** An exact version, or `latest`. */
  readonly version?: string;
}

/** npm's rules for names (older names may have capitals), excluding names that start like an option or a path. */
const NPM = /^((?:@[a-z0-9][\w.~-]*\/)?[a-z0-9][\w.~-]*)(?:@([\d^~*][\w.^~*+-]*|[a-z][\w.+-]*))?$/i;
const MAX_NAME_LENGTH = 214;

/** Parses `@scope/name@1.2.3`, `name@latest` or `name`. */
export function npmSpec(text: string): NpmSpec | undefined {
  const [, name, version] = NPM.exec(text) ?? [];
  if (name === undefined || name.length > MAX_NAME_LENGTH || (version?.length ?? 0) > MAX_NAME_LENGTH) return undefined;
  return version === undefined ? { name } : { name, version };
}

/** Names and extras follow PEP 508, versions follow PEP 440, and `@` follows uv. */
const PYTHON =
  /^([a-z0-9](?:[\w.-]*[a-z0-9])?)(\[[a-z0-9](?:[\w.,-]*[a-z0-9])?\])?(?:(?:==|@)(\d[\w.!+*-]*|v\d[\w.!+*-]*|latest))?$/i;

/** Parses `name==1.2.3`, `name@1.2.3`, `name[extra]==1.2.3` or `name`. */
export function pythonSpec(text: string): PythonSpec | undefined {
  if (text.length > MAX_NAME_LENGTH) return undefined;
  const [, name, extras = "", version] = PYTHON.exec(text) ?? [];
  if (name === undefined) return undefined;
  return version === undefined ? { name, extras } : { name, extras, version };
}

/** Formats a requirement for pip and pipx, where `@` precedes an address. */
export function requirementOf({ name, extras, version }: PythonSpec): string {
  return version === undefined || version === "latest" ? `${name}${extras}` : `${name}${extras}==${version}`;
}

/** Whether cargo accepts the text as a crate name. */
export function isCrate(text: string): boolean {
  return /^[a-z][\w-]{0,63}$/i.test(text);
}

/** Whether the version identifies exactly one release: no tag, range or placeholder. */
export function isExact(version: string): boolean {
  return /^v?\d+(\.\d+)+[\w.!+-]*$/i.test(version);
}
