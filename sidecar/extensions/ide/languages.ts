/**
 * Table of languages and their language servers, built-in or from the user's settings. Pure.
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
  /** Candidates, in order of preference. */
  readonly programs: readonly ServerCommand[];
  /** The settings define the command, which is used even if it is not on the PATH. */
  readonly isConfigured?: true;
  /** Installation hint for the model and the user. */
  readonly install: string;
  readonly initializationOptions?: unknown;
  /** Values for `workspace/configuration`, by section. */
  readonly settings?: JsonObject;
}

const program = (command: string, ...args: readonly string[]): ServerCommand => ({ command, args });
const languageIds = (languageId: string, ...ends: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(ends.map(end => [end, languageId]));

/** Commands as documented by each server. */
const BUILT_IN: readonly Language[] = [
  {
    id: "typescript",
    name: "TypeScript and JavaScript",
    programs: [program("typescript-language-server", "--stdio"), program("vtsls", "--stdio")],
    install: "Install it with: npm install -g typescript-language-server typescript",
    files: {
      ...languageIds("typescript", ".ts", ".mts", ".cts"),
      ...languageIds("typescriptreact", ".tsx"),
      ...languageIds("javascript", ".js", ".mjs", ".cjs"),
      ...languageIds("javascriptreact", ".jsx"),
    },
  },
  {
    id: "rust",
    name: "Rust",
    files: languageIds("rust", ".rs"),
    programs: [program("rust-analyzer")],
    install: "Install it with: rustup component add rust-analyzer",
  },
  {
    id: "python",
    name: "Python",
    files: languageIds("python", ".py", ".pyi"),
    programs: [
      program("pyright-langserver", "--stdio"),
      program("basedpyright-langserver", "--stdio"),
      program("pylsp"),
    ],
    install: "Install one with: npm install -g pyright",
  },
  {
    id: "go",
    name: "Go",
    files: languageIds("go", ".go"),
    programs: [program("gopls")],
    install: "Install it with: go install golang.org/x/tools/gopls@latest",
  },
  {
    id: "cpp",
    name: "C and C++",
    files: { ...languageIds("c", ".c"), ...languageIds("cpp", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".hxx") },
    programs: [program("clangd")],
    install: "Install clangd from https://clangd.llvm.org or your system's packages",
  },
  {
    id: "java",
    name: "Java",
    files: languageIds("java", ".java"),
    programs: [program("jdtls")],
    install: "Install jdtls (Eclipse JDT Language Server)",
  },
  {
    id: "csharp",
    name: "C#",
    files: languageIds("csharp", ".cs"),
    programs: [program("csharp-ls")],
    install: "Install it with: dotnet tool install --global csharp-ls",
  },
  {
    id: "ruby",
    name: "Ruby",
    files: languageIds("ruby", ".rb"),
    programs: [program("ruby-lsp"), program("solargraph", "stdio")],
    install: "Install one with: gem install ruby-lsp",
  },
  {
    id: "php",
    name: "PHP",
    files: languageIds("php", ".php"),
    programs: [program("intelephense", "--stdio")],
    install: "Install it with: npm install -g intelephense",
  },
  {
    id: "lua",
    name: "Lua",
    files: languageIds("lua", ".lua"),
    programs: [program("lua-language-server")],
    install: "Install lua-language-server from your system's packages",
  },
  {
    id: "zig",
    name: "Zig",
    files: languageIds("zig", ".zig"),
    programs: [program("zls")],
    install: "Install zls from https://zigtools.org",
  },
  {
    id: "swift",
    name: "Swift",
    files: languageIds("swift", ".swift"),
    programs: [program("sourcekit-lsp")],
    install: "Install a Swift toolchain, which has sourcekit-lsp",
  },
  {
    id: "shell",
    name: "shell scripts",
    files: languageIds("shellscript", ".sh", ".bash"),
    programs: [program("bash-language-server", "start")],
    install: "Install it with: npm install -g bash-language-server",
  },
  {
    id: "css",
    name: "CSS",
    files: { ...languageIds("css", ".css"), ...languageIds("scss", ".scss"), ...languageIds("less", ".less") },
    programs: [program("vscode-css-language-server", "--stdio")],
    install: "Install it with: npm install -g vscode-langservers-extracted",
  },
  {
    id: "html",
    name: "HTML",
    files: languageIds("html", ".html", ".htm"),
    programs: [program("vscode-html-language-server", "--stdio")],
    install: "Install it with: npm install -g vscode-langservers-extracted",
  },
  {
    id: "json",
    name: "JSON",
    files: languageIds("json", ".json"),
    programs: [program("vscode-json-language-server", "--stdio")],
    install: "Install it with: npm install -g vscode-langservers-extracted",
  },
  {
    id: "yaml",
    name: "YAML",
    files: languageIds("yaml", ".yaml", ".yml"),
    programs: [program("yaml-language-server", "--stdio")],
    install: "Install it with: npm install -g yaml-language-server",
  },
];

/** Configured languages precede built-in ones. */
export function languagesIn({ languages }: JsonObject, onWarning: (what: string) => void): readonly Language[] {
  if (languages !== undefined && !isObject(languages)) onWarning("“languages” of the settings is not an object.");
  const given = objectOr(languages),
    configured = Object.entries(given).flatMap(([id, value]) =>
      value === false ? [] : configuredLanguage(id, value, onWarning),
    );
  return [
    ...configured,
    ...BUILT_IN.filter(({ id }) => given[id] !== false && configured.every(each => each.id !== id)),
  ];
}

function configuredLanguage(id: string, value: unknown, onWarning: (what: string) => void): readonly Language[] {
  const { command, args, env, extensions, languageId, initializationOptions, settings } = objectOr(value),
    builtIn = BUILT_IN.find(each => each.id === id);
  const files = isStrings(extensions)
    ? Object.fromEntries(
        extensions.map(end => [
          end.startsWith(".") ? end : `.${end}`,
          builtIn?.files[end] ?? (typeof languageId === "string" ? languageId : id),
        ]),
      )
    : builtIn?.files;
  const isValid =
    isObject(value) &&
    (command === undefined ? builtIn !== undefined : typeof command === "string" && command !== "") &&
    (args === undefined || isStrings(args)) &&
    (env === undefined || (isObject(env) && isStrings(Object.values(env)))) &&
    files !== undefined &&
    (settings === undefined || isObject(settings));
  if (!isValid) {
    onWarning(
      `The settings of the language “${id}” are ignored: it needs a command, args that are strings, and extensions unless the language is built in.`,
    );
    return [];
  }
  const configuredPrograms =
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
      name: builtIn?.name ?? id,
      files,
      programs: configuredPrograms ?? builtIn?.programs ?? [],
      ...(configuredPrograms ? { isConfigured: true as const } : {}),
      install: configuredPrograms
        ? "Check its command in the settings of the extension “ide”"
        : (builtIn?.install ?? ""),
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

/** Error message for a file whose language is not in the table. */
export function unknownLanguage(file: string): string {
  return `No language server is configured for ${path.extname(file) === "" ? `“${path.basename(file)}”` : `files that end in “${path.extname(file)}”`}. Add one in the settings of the extension “ide”.`;
}

function textsOf(env: unknown): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(objectOr(env)).flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : [])),
  );
}

/** Resolves a section such as `a.b`. Without a section, returns all settings. Null if no value exists. */
export function sectionOf(settings: JsonObject | undefined, section: unknown): unknown {
  if (typeof section !== "string" || section === "") return settings ?? null;
  let value: unknown = settings?.[section];
  if (value === undefined) {
    value = settings;
    for (const name of section.split(".")) value = objectOr(value)[name];
  }
  return value ?? null;
}
