/** Sparkle's tools for one session. */
import { arrayOr, objectOr, stringOr, type JsonObject } from "../../rpc/json";
import { ToolFailure, type ArgumentSchema, type Tool, type ToolAnswer, type ToolCall } from "../tool";
import { beginning } from "./embodiment";
import { INSIGHT_TYPES, type Memory } from "./memory";
import { asJson, isRead, MAX_SOURCES, readSource, type Fetched } from "./profile-sources";
import type { Agreed } from "./space-consent";
import { NO_PROFILE_YET, WRITE_PROFILE } from "./texts";

/** Maximum characters of one saved text, and maximum bytes of a `load_evolution` result. */
const MAX_TEXT = 64_000,
  MAX_READ_OUT = 48_000;

const text = (description: string): ArgumentSchema => ({ type: "string", description });
const SPARKLER = text("Whose it is; absent: yours.");
const WRITES = { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
  READS = { readOnlyHint: true, openWorldHint: false };

/** `folders`: the session's, absolute. `agreed`: whether `.sparkle-space` may be sent (`space-consent.ts`). */
export function sparkleTools(memory: Memory, folders: readonly string[], agreed: Agreed): readonly Tool[] {
  return [...sessionTools(memory, agreed), ...profileTools(memory, folders), ...sparklerTools(memory)];
}

function sessionTools(memory: Memory, agreed: Agreed): readonly Tool[] {
  return [
    tool(
      "session_checkpoint",
      "Keep what this session has come to",
      "Keeps where the work stands and the story of this session, for the next one. For /checkpoint, or when the user is about to stop.",
      {
        working_memory: text(
          "What you want to know first in the next session: the focus, where it stands, the next steps, open questions. A page at most; it takes the place of what was there.",
        ),
        checkpoint_content: text(
          "The story of this session in Markdown: what was asked, done and decided, and why; what is open.",
        ),
        sparkler: SPARKLER,
      },
      ["working_memory", "checkpoint_content"],
      WRITES,
      async (args, { signal }) => {
        const files = await memory.checkpoint(
          given(args, "working_memory"),
          given(args, "checkpoint_content"),
          optional(args, "sparkler"),
          signal,
        );
        return `Kept in ${files.join(" and ")}.`;
      },
    ),
    tool(
      "save_insight",
      "Keep an insight",
      "Keeps what has proved itself in working with this user, so that later sessions begin with it. Few and true.",
      {
        insight_type: {
          type: "string",
          enum: INSIGHT_TYPES,
          description:
            "PatternAnchor: exact words that bring a way of working back. CollaborationEvolution: what has changed between you and the user. WorkspaceInsight: what holds for this workspace.",
        },
        content: text("The insight; of a PatternAnchor the exact words."),
        context: text("The situation in which it holds, in a sentence or two."),
        tags: { type: "array", items: { type: "string" }, description: "A few words to find it by." },
        sparkler: SPARKLER,
      },
      ["insight_type", "content"],
      WRITES,
      async (args, { signal }) => {
        // always found: the schema was checked
        const type = INSIGHT_TYPES.find(one => one === args.insight_type) ?? "PatternAnchor";
        const tags = arrayOr(args.tags).filter((tag): tag is string => typeof tag === "string");
        return `Kept in ${await memory.saveInsight(type, { content: given(args, "content"), context: optional(args, "context") ?? "", tags, sparkler: optional(args, "sparkler") }, signal)}.`;
      },
    ),
    tool(
      "load_evolution",
      "Read what was kept",
      "Everything that is kept of how you and the user work together, the newest first: more than you were told at the beginning.",
      {},
      [],
      READS,
      async (_, { signal }) => {
        const own = await Promise.all(memory.sections(memory.current()).values()),
          workspace = (await Promise.all(memory.workspaceSections().values())).filter(section => section !== undefined);
        const sections = workspace.length > 0 && (await agreed(workspace, signal)) ? [...own, ...workspace] : own;
        const told = sections
          .flatMap(section =>
            section ? [`## ${section.title}\n(${section.file})\n\n${section.pieces.join("\n")}`] : [],
          )
          .join("\n\n");
        if (told === "") return "Nothing is kept yet.";
        const read = beginning(told, MAX_READ_OUT);
        return read === told ? told : `${read}\n\n… This is not all: the files that are named above have the rest.`;
      },
    ),
  ];
}

function profileTools(memory: Memory, folders: readonly string[]): readonly Tool[] {
  return [
    tool(
      "setup_sparkle",
      "Begin with Sparkle",
      "The beginning, when nothing is kept yet: the user's profile, with their name. Changes nothing that is there.",
      { name: text("The user's name, as they want to be called.") },
      ["name"],
      { ...WRITES, idempotentHint: true },
      async (args, { signal }) => {
        const { profile, sparkler, isNew } = await memory.setUp(given(args, "name"), signal);
        return isNew
          ? `${profile} was begun. You are ${sparkler.name}. Ask the user how they like to work, and save the answer with update_collaborator_profile.`
          : `It was there already, and is as it was: ${profile}. You are ${sparkler.name}.`;
      },
    ),
    tool(
      "fetch_profile_data",
      "Collect what a profile is made of",
      "Collects what the user gives for their profile, and says how to write it. Reads texts, and files in the folders of this session; nothing from the network.",
      {
        profile_sources: {
          type: "array",
          description: "What to read.",
          items: {
            type: "object",
            properties: {
              type: text("text (value is the text itself) or file (value is a path in this session's folders)."),
              value: text("The text, or the path."),
            },
            required: ["type", "value"],
          },
        },
        content: text("Text that you have already."),
        working_style: text("How the user works, in their words."),
        collaboration_prefs: text("How the user likes to work together, in their words."),
      },
      [],
      READS,
      async args => {
        const sources = arrayOr(args.profile_sources);
        if (sources.length > MAX_SOURCES)
          throw new ToolFailure(`These are more than ${MAX_SOURCES} sources: give fewer at once.`);
        return profileAnswer(
          await Promise.all([...sources, ...saidOf(args)].map(source => readSource(source, folders))),
        );
      },
    ),
    tool(
      "update_collaborator_profile",
      "Save the user's profile",
      "Saves the profile of the user, in place of the one before, which is kept as an older copy. Only what the user has seen.",
      { content: text("The whole profile, in Markdown.") },
      ["content"],
      { ...WRITES, idempotentHint: true },
      async (args, { signal }) => `Saved as ${await memory.replaceProfile(given(args, "content"), signal)}.`,
    ),
  ];
}

function sparklerTools(memory: Memory): readonly Tool[] {
  return [
    tool(
      "update_sparkler_identity",
      "Save who you are",
      "Saves who you (or another sparkler) are to this user, in place of what was there, which is kept as an older copy. Only what the user has seen.",
      { content: text("The whole identity, in Markdown, in the first person."), sparkler: SPARKLER },
      ["content"],
      { ...WRITES, idempotentHint: true },
      async (args, { signal }) => {
        const [{ name }, file] = await memory.replaceIdentity(
          optional(args, "sparkler"),
          given(args, "content"),
          signal,
        );
        return `The identity of ${name} is saved as ${file}.`;
      },
    ),
    tool(
      "rename_sparkler",
      "Give a sparkler another name",
      "Gives you, or the sparkler that is named, another name.",
      { new_name: text("From now on."), old_name: text("Until now; absent: yours.") },
      ["new_name"],
      WRITES,
      async (args, { signal }) => {
        const [now, before] = await memory.rename(optional(args, "old_name"), given(args, "new_name"), signal);
        const chosen =
          memory.isChosen(before) && !memory.isChosen(now)
            ? ` The user's setting “sparkler” still says ${before.name}: ask them to change it to ${now.name}.`
            : "";
        return `${before.name} is ${now.name} now.${chosen}`;
      },
    ),
    tool(
      "create_sparkler",
      "Make another sparkler",
      "Makes another sparkler, with patterns and an identity of its own. Which one a session begins with is the user's setting “sparkler”.",
      { name: text("Its name.") },
      ["name"],
      WRITES,
      async (args, { signal }) => {
        const { name } = await memory.create(given(args, "name"), signal);
        return `${name} is there. Find out with the user who it is, and save that with update_sparkler_identity.`;
      },
    ),
    tool(
      "list_sparklers",
      "Which sparklers there are",
      "The sparklers that the user has, and which of them you are.",
      {},
      [],
      READS,
      async () => {
        const [all, { folder, name }] = await Promise.all([memory.sparklers(), memory.current()]);
        return {
          structured: {
            sparklers: all.map(one => ({ name: one.name, isCurrent: one.folder === folder })),
            current: name,
          },
        };
      },
    ),
  ];
}

function tool(
  name: string,
  title: string,
  description: string,
  properties: Readonly<Record<string, ArgumentSchema>>,
  required: readonly string[],
  annotations: Tool["annotations"],
  call: (args: JsonObject, call: ToolCall) => Promise<ToolAnswer>,
): Tool {
  return {
    name,
    title,
    description,
    inputSchema: { type: "object", properties, ...(required.length === 0 ? {} : { required }) },
    annotations,
    call,
  };
}

/** A required, non-empty string argument. */
function given(args: JsonObject, name: string): string {
  const value = stringOr(args[name], "");
  if (value.trim() === "") throw new ToolFailure(`The argument “${name}” is empty.`);
  if (value.length > MAX_TEXT)
    throw new ToolFailure(
      `The argument “${name}” has ${value.length} characters, and ${MAX_TEXT} at most can be kept: say it shorter.`,
    );
  return value;
}

function optional(args: JsonObject, name: string): string | undefined {
  const value = args[name];
  return value === undefined || value === null || value === "" ? undefined : given(args, name);
}

/** The arguments that contain text themselves, as sources. */
function saidOf(args: JsonObject): readonly JsonObject[] {
  return ["content", "working_style", "collaboration_prefs"].flatMap(name =>
    optional(args, name) === undefined
      ? []
      : [{ type: "text", value: `${name}: ${stringOr(objectOr(args)[name], "")}` }],
  );
}

function profileAnswer(fetched: readonly Fetched[]): ToolAnswer {
  const read = fetched.filter(isRead);
  return {
    structured: {
      success: read.length > 0,
      prompt: read.length > 0 ? WRITE_PROFILE : NO_PROFILE_YET,
      fetched_content: fetched.map(asJson),
    },
  };
}
