/**
 * Table of languages and their language servers: common ones and those in the user's settings. Pure.
 *
 * Invariant: a command in the settings overrides the table. Invalid settings are reported to `onWarning` and ignored.
 */
import path from "node:path";
import { arrayOr, isObject, isStrings, objectOr, type JsonObject } from "../../rpc/json";

export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export interface Language {
  /** Key in the settings. */
  readonly id: string;
  /** Display name. */
  readonly name: string;
  /** LSP language id by file extension, including the dot. */
  readonly files: Readonly<Record<string, string>>;
  /** Candidates; the first installed one is used. */
  readonly programs: readonly ServerCommand[];
  /** The command comes from the settings and is used even if it is not on the PATH. */
  readonly isConfigured?: true;
  /** Installation hint for the model and the user. */
  readonly install: string;
  readonly initializationOptions?: unknown;
  /** Values for `workspace/configuration`, by section. */
  readonly settings?: JsonObject;
}

const on = (command: string, ...args: readonly string[]): ServerCommand => ({ command, args });
const as = (languageId: string, ...ends: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(ends.map(end => [end, languageId]));

/** Commands as documented by each server. */
const KNOWN: readonly Language[] = [
  {
    id: "typescript",
    name: "TypeScript and JavaScript",
    programs: [on("typescript-language-server", "--stdio"), on("vtsls", "--stdio")],
    install: "Install it with: npm install -g typescript-language-server typescript",
    files: {
      ...as("typescript", ".ts", ".mts", ".cts"),
      ...as("typescriptreact", ".tsx"),
      ...as("javascript", ".js", ".mjs", ".cjs"),
      ...as("javascriptreact", ".jsx"),
    },
  },
  {
    id: "rust",
    name: "Rust",
    files: as("rust", ".rs"),
    programs: [on("rust-analyzer")],
    install: "Install it with: rustup component add rust-analyzer",
  },
  {
    id: "python",
    name: "Python",
    files: as("python", ".py", ".pyi"),
    programs: [on("pyright-langserver", "--stdio"), on("basedpyright-langserver", "--stdio"), on("pylsp")],
    install: "Install one with: npm install -g pyright",
  },
  {
    id: "go",
    name: "Go",
    files: as("go", ".go"),
    programs: [on("gopls")],
    install: "Install it with: go install golang.org/x/tools/gopls@latest",
  },
  {
    id: "cpp",
    name: "C and C++",
    files: { ...as("c", ".c"), ...as("cpp", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".hxx") },
    programs: [on("clangd")],
    install: "Install clangd from https://clangd.llvm.org or your system's packages",
  },
  {
    id: "java",
    name: "Java",
    files: as("java", ".java"),
    programs: [on("jdtls")],
    install: "Install jdtls (Eclipse JDT Language Server)",
  },
  {
    id: "csharp",
    name: "C#",
    files: as("csharp", ".cs"),
    programs: [on("csharp-ls")],
    install: "Install it with: dotnet tool install --global csharp-ls",
  },
  {
    id: "ruby",
    name: "Ruby",
    files: as("ruby", ".rb"),
    programs: [on("ruby-lsp"), on("solargraph", "stdio")],
    install: "Install one with: gem install ruby-lsp",
  },
  {
    id: "php",
    name: "PHP",
    files: as("php", ".php"),
    programs: [on("intelephense", "--stdio")],
    install: "Install it with: npm install -g intelephense",
  },
  {
    id: "lua",
    name: "Lua",
    files: as("lua", ".lua"),
    programs: [on("lua-language-server")],
    install: "Install lua-language-server from your system's packages",
  },
  {
    id: "zig",
    name: "Zig",
    files: as("zig", ".zig"),
    programs: [on("zls")],
    install: "Install zls from https://zigtools.org",
  },
  {
    id: "swift",
    name: "Swift",
    files: as("swift", ".swift"),
    programs: [on("sourcekit-lsp")],
    install: "Install a Swift toolchain, which has sourcekit-lsp",
  },
  {
    id: "shell",
    name: "shell scripts",
    files: as("shellscript", ".sh", ".bash"),
    programs: [on("bash-language-server", "start")],
    install: "Install it with: npm install -g bash-language-server",
  },
  {
    id: "css",
    name: "CSS",
    files: { ...as("css", ".css"), ...as("scss", ".scss"), ...as("less", ".less") },
    programs: [on("vscode-css-language-server", "--stdio")],
    install: "Install it with: npm install -g vscode-langservers-extracted",
  },
  {
    id: "html",
    name: "HTML",
    files: as("html", ".html", ".htm"),
    programs: [on("vscode-html-language-server", "--stdio")],
    install: "Install it with: npm install -g vscode-langservers-extracted",
  },
  {
    id: "json",
    name: "JSON",
    files: as("json", ".json"),
    programs: [on("vscode-json-language-server", "--stdio")],
    install: "Install it with: npm install -g vscode-langservers-extracted",
  },
  {
    id: "yaml",
    name: "YAML",
    files: as("yaml", ".yaml", ".yml"),
    programs: [on("yaml-language-server", "--stdio")],
    install: "Install it with: npm install -g yaml-language-server",
  },
];

/** Languages from the settings first. */
export function languagesIn({ languages }: JsonObject, onWarning: (what: string) => void): readonly Language[] {
  if (languages !== undefined && !isObject(languages)) onWarning("“languages” of the settings is not an object.");
  const given = objectOr(languages),
    configured = Object.entries(given).flatMap(([id, value]) =>
      value === false ? [] : configuredLanguage(id, value, onWarning),
    );
  return [...configured, ...KNOWN.filter(({ id }) => given[id] !== false && configured.every(each => each.id !== id))];
}

function configuredLanguage(id: string, value: unknown, onWarning: (what: string) => void): readonly Language[] {
  const { command, args, env, extensions, languageId, initializationOptions, settings } = objectOr(value),
    known = KNOWN.find(each => each.id === id);
  const files = isStrings(extensions)
    ? Object.fromEntries(
        extensions.map(end => [
          end.startsWith(".") ? end : `.${end}`,
          known?.files[end] ?? (typeof languageId === "string" ? languageId : id),
        ]),
      )
    : known?.files;
  const isRight =
    isObject(value) &&
    (command === undefined ? known !== undefined : typeof command === "string" && command !== "") &&
    (args === undefined || isStrings(args)) &&
    (env === undefined || (isObject(env) && isStrings(Object.values(env)))) &&
    files !== undefined &&
    (settings === undefined || isObject(settings));
  if (!isRight) {
    onWarning(
      `The settings of the language “${id}” are ignored: it needs a command, args that are strings, and extensions unless the language is built in.`,
    );
    return [];
  }
  const own =
    typeof command === "string"
      ? [
          {
            command,
            args: arrayOr(args).filter(each => typeof each === "string"),
            ...(env === undefined ? {} : { env: textsOf(env) }),
          },
        ]
      : undefined;
  return [
    {
      id,
      name: known?.name ?? id,
      files,
      programs: own ?? known?.programs ?? [],
      ...(own ? { isConfigured: true as const } : {}),
      install: own ? "Check its command in the settings of the extension “ide”" : (known?.install ?? ""),
      ...(initializationOptions === undefined ? {} : { initializationOptions }),
      ...(isObject(settings) ? { settings } : {}),
    },
  ];
}

/** Selects the language by file extension. */
export function languageOf(
  file: string,
  languages: readonly Language[],
): { readonly language: Language; readonly languageId: string } | undefined {
  const end = path.extname(file).toLowerCase();
  for (const language of languages) {
    const languageId = language.files[end];
    if (languageId !== undefined) return { language, languageId };
  }
  return undefined;
}

/** Error message for a language whose server is not installed. */
export function missing({ name, programs, install }: Language): string {
  return `No language server for ${name} was found (${programs.map(({ command }) => command).join(", ")}). ${install}.`;
}

/** Error message for a file without a known server. */
export function unknownLanguage(file: string): string {
  return `No language server is configured for ${path.extname(file) === "" ? `“${path.basename(file)}”` : `files that end in “${path.extname(file)}”`}. Add one in the settings of the extension “ide”.`;
}

function textsOf(env: unknown): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(objectOr(env)).flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : [])),
  );
}

/** Resolves a section such as `a.b`. Without a section, all settings. Null if there is no value. */
export function sectionOf(settings: JsonObject | undefined, section: unknown): unknown {
  if (typeof section !== "string" || section === "") return settings ?? null;
  let value: unknown = settings?.[section];
  if (value === undefined) {
    value = settings;
    for (const name of section.split(".")) value = objectOr(value)[name];
  }
  return value ?? null;
}
