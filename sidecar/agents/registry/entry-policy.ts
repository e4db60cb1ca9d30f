/**
 * Rejects entries of untrusted documents that could run programs of this computer, replace a built-in agent, or affect
 * other programs through variables. Accepts packages, archives and variables that are switches. Pure.
 */
import type { Installable } from "../../../src/protocol/agents/agent-service";
import { BUILT_IN_AGENTS } from "../../../src/protocol/agents/built-in-agents";
import { BUILT_IN_EXTENSIONS } from "../../../src/protocol/agents/extensions";
import { isObject, objectOr, type JsonObject } from "../../rpc/json";

const BUILT_IN_IDS: Readonly<Record<Installable, ReadonlySet<string>>> = {
  agent: new Set(["symposium", ...BUILT_IN_AGENTS.map(({ id }) => id)]),
  extension: new Set(["symposium", ...BUILT_IN_EXTENSIONS.map(({ id }) => id)]),
};

/** Distribution kinds that name programs of this computer. Only the user's own settings may contain them. */
const LOCAL_KINDS = ["local", "executable", "symposium"] as const;

/** `at`: the path of the member. `why`: a clause. */
export interface Refusal {
  readonly at: readonly string[];
  readonly why: string;
}

/** Returns why the entry is rejected, or undefined. Checks the raw entry, because settings store it. */
export function refusalOf({ id, distribution, ownConfiguration }: JsonObject, kind: Installable): Refusal | undefined {
  if (typeof id === "string" && BUILT_IN_IDS[kind].has(id))
    return { at: ["id"], why: `has the id of ${kind === "agent" ? "an agent" : "an extension"} built into Symposium` };
  if (ownConfiguration !== undefined)
    return {
      at: ["ownConfiguration"],
      why: "specifies a configuration file of this computer (“ownConfiguration”), which is allowed only in your own settings",
    };
  const local = LOCAL_KINDS.find(item => Object.hasOwn(objectOr(distribution), item));
  if (local !== undefined)
    return {
      at: ["distribution", local],
      why: `would start a program of this computer (“${local}”); only packages and archives are accepted`,
    };
  const variable = variablesIn(distribution, ["distribution"]).find(({ name, value }) => !isSwitch(name, value));
  return (
    variable && {
      at: variable.at,
      why: `sets the variable ${shownName(variable.name)}, which is not accepted from a document; set it in your own settings if you need it`,
    }
  );
}

interface Variable {
  readonly at: readonly string[];
  readonly name: string;
  readonly value: unknown;
}

/** Collects the variables of all kinds and platforms, including unknown ones. `at`: the path of the value. */
function variablesIn(distribution: unknown, at: readonly string[]): readonly Variable[] {
  return Object.entries(objectOr(distribution)).flatMap(([key, value]) => {
    const path = [...at, key];
    if (key !== "env") return isObject(value) ? variablesIn(value, path) : [];
    return isObject(value)
      ? Object.entries(value).map(([name, text]) => ({ at: [...path, name], name, value: text }))
      : [{ at: path, name: key, value }];
  });
}

/**
 * Whether a variable is a switch of the agent itself, such as `DROID_DISABLE_AUTO_UPDATE=true`. The name has at least
 * two words. One of them names the switch, and none refers to another program: a loader (`LD_PRELOAD`, `NODE_OPTIONS`,
 * `PYTHONPATH`), a package tool or a proxy. The value is a word or a number, not a path, an address, an option or a
 * list.
 */
function isSwitch(name: string, value: unknown): boolean {
  const words = name.split("_");
  return (
    /^[A-Z][A-Z\d]*(?:_[A-Z\d]+){1,9}$/.test(name) &&
    words.some(word => SWITCHES.has(word)) &&
    !words.some(word => OTHER_PROGRAMS.test(word)) &&
    typeof value === "string" &&
    /^(?:\w[\w.-]{0,31})?$/.test(value)
  );
}

const SWITCHES: ReadonlySet<string> = new Set([
  "ACP",
  "ANALYTICS",
  "AUTOUPDATE",
  "AUTOUPDATER",
  "COLOR",
  "DISABLE",
  "DISABLED",
  "ENABLE",
  "ENABLED",
  "INTERACTIVE",
  "LEVEL",
  "NONINTERACTIVE",
  "QUIET",
  "TELEMETRY",
  "UPDATE",
  "UPDATER",
  "UPDATES",
  "VERBOSE",
]);
const OTHER_PROGRAMS = new RegExp(
  `^(?:${[
    "LD|DYLD|LIBPATH|SHLIB|MALLOC|GLIBC|GCONV|NODE|NPM|NPX|YARN|PNPM|BUN|DENO|ELECTRON|VSCODE|CHROME",
    "PYTHON\\w*|PIP|PIPX|UV|CONDA|VIRTUAL|RUBY\\w*|GEM|BUNDLE|PERL\\w*|PHP\\w*",
    "JAVA|JDK|JVM|MAVEN|GRADLE|CARGO|RUST\\w*|GO|GOPATH|GOROOT|GOFLAGS|GOPROXY|GOBIN|DOTNET|COMPLUS|CORECLR|COREHOST|CC|CXX|CFLAGS",
    "GIT|SSH|SSL|TLS|GPG|CURL|WGET|DOCKER|BASH|ZSH|SH|SHELL|ENV|IFS|PS\\d|EDITOR|PAGER|BROWSER|DISPLAY|DBUS|SYSTEMD",
    "HTTPS?|FTP|ALL|PROXY|PROXIES|XDG|HOME|PATH\\w*|USER|TMP|TMPDIR|TEMP|SYMPOSIUM|PRELOAD|LIBRARY|OPTIONS|OPTS|COMMAND|EXEC\\w*|SANDBOX|APPROVAL\\w*|PERMISSIONS?|TRUST|YOLO|BYPASS|UNSAFE|DANGEROUS\\w*|SECURITY|VERIFY|AUTH\\w*|TOKENS?|KEYS?|URL|HOST|ENDPOINT",
  ].join("|")})$`,
);

function shownName(name: string): string {
  return /^[A-Za-z_]\w{0,60}$/.test(name) ? name : "with an invalid name";
}
