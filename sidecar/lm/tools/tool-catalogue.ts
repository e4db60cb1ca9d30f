/** Selects the tools of a VS Code request that are offered to the agent, and assigns their names. Pure. */
import type { ChatTool } from "../../../src/protocol/lm/lm";
import { PERMISSION_PREFIX } from "../../../src/protocol/lm/permission-tools";
import { isAllowed, ToolNames } from "./tool-names";
import { normalised, type McpTool } from "./tool-schema";

export interface Catalogue {
  /** The offered tools with the agent's names, in VS Code's order. */
  readonly tools: readonly McpTool[];
  /** The tools that cannot be offered, by VS Code's name. `why`: the reason, as the end of a sentence. */
  readonly leftOut: readonly { readonly name: string; readonly why: string }[];
  /** Symposium's own permission tools that VS Code offers. Never offered to the agent. */
  readonly permission: ReadonlySet<string>;
  /** Permission tools that VS Code has grouped, mapped to the group's tool, which must be called first. */
  readonly grouped: ReadonlyMap<string, string>;
}

export interface CatalogueOptions {
  /** Also offer tools that agents have themselves. */
  readonly duplicates: boolean;
  /** The session's names, so that a tool keeps its name. */
  readonly names?: ToolNames;
}

/**
 * VS Code's tools that agents have themselves (names of VS Code 1.139 and earlier). Models that have both tools
 * alternate between them.
 */
export const DUPLICATES: ReadonlySet<string> = new Set([
  "read_file",
  "list_dir",
  "view_image",
  "create_file",
  "create_directory",
  "insert_edit_into_file",
  "replace_string_in_file",
  "multi_replace_string_in_file",
  "apply_patch",
  "edit_files",
  "file_search",
  "grep_search",
  "run_in_terminal",
  "get_terminal_output",
  "send_to_terminal",
  "kill_terminal",
  "await_terminal",
  "fetch_webpage",
  "manage_todo_list",
  "runSubagent",
  "memory",
  "resolve_memory_file_uri",
]);

/** If two tools have the same name, the first is used, as in VS Code. */
export function catalogue(
  offered: readonly ChatTool[],
  { duplicates, names = new ToolNames() }: CatalogueOptions,
): Catalogue {
  const unique = [...new Map([...offered].reverse().map(tool => [tool.name, tool])).values()].reverse();
  const permission = new Set(unique.map(({ name }) => name).filter(name => name.startsWith(PERMISSION_PREFIX)));
  const bridged = unique.filter(({ name }) => !permission.has(name) && (duplicates || !DUPLICATES.has(name)));
  for (const { name } of bridged) if (isAllowed(name)) names.given(name); // reserves the names that need no change
  const tools: McpTool[] = [],
    leftOut: { name: string; why: string }[] = [];
  for (const tool of bridged) {
    const result = schemaOf(tool);
    if ("leftOut" in result) leftOut.push({ name: tool.name, why: result.leftOut });
    else tools.push({ ...result.tool, name: names.given(tool.name) });
  }
  return { tools, leftOut, permission, grouped: new Map(unique.flatMap(membersOf)) };
}

/** Cache keyed by tool object, because requests repeat their tools and sessions share them. */
const SCHEMAS = new WeakMap<ChatTool, ReturnType<typeof normalised>>();

function schemaOf(tool: ChatTool): ReturnType<typeof normalised> {
  const schema = SCHEMAS.get(tool) ?? normalised(tool);
  SCHEMAS.set(tool, schema);
  return schema;
}

/**
 * Name prefix of VS Code's group tools. If a request has many tools, VS Code's chat (1.139) replaces some tools of each
 * extension by a group tool, whose description names them.
 */
const GROUP = "activate_";

function membersOf({ name, description }: ChatTool): readonly (readonly [member: string, group: string])[] {
  return name.startsWith(GROUP)
    ? (
        `${name} ${description}`.match(
          /\bsymposium-agent-[a-z0-9]+(?:-[a-z]+)?|(?<=_)symposium-agent-[a-z0-9]+(?:-[a-z]+)?/g,
        ) ?? []
      ).map(member => [member, name] as const)
    : [];
}

/** The changed tools, by the agent's names. */
export interface Changes {
  readonly added: readonly string[];
  readonly withdrawn: readonly string[];
  readonly changed: readonly string[];
}

/** Compares two lists of tools. Returns `undefined` if they differ only in their order or not at all. */
export function changes(before: readonly McpTool[], after: readonly McpTool[]): Changes | undefined {
  const old = byName(before),
    now = byName(after);
  const added = [...now.keys()].filter(name => !old.has(name)),
    withdrawn = [...old.keys()].filter(name => !now.has(name));
  const changed = [...now].filter(([name, text]) => old.has(name) && old.get(name) !== text).map(([name]) => name);
  return added.length + withdrawn.length + changed.length === 0 ? undefined : { added, withdrawn, changed };
}

function byName(tools: readonly McpTool[]): ReadonlyMap<string, string> {
  return new Map(tools.map(tool => [tool.name, JSON.stringify(tool)]));
}
