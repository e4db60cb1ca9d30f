/** Sparkle's tools for one session. */
import { arrayOr, objectOr, stringOr, type JsonObject } from "../../rpc/json";
import { ToolFailure, type ArgumentSchema, type Tool, type ToolAnswer, type ToolCall } from "../tool";
import { beginning } from "./embodiment";
import { INSIGHT_TYPES, type Memory } from "./memory";
import { asJson, isRead, MAX_SOURCES, readSource, type Fetched } from "./profile-sources";
import type { Agreed } from "./space-consent";
import { NO_PROFILE_YET, WRITE_PROFILE } from "./model-texts";

/** Maximum characters of one saved text, and maximum bytes of a `load_evolution` result. */
const MAX_TEXT = 64_000,
  MAX_READ_OUT = 48_000;

const text = (description: string): ArgumentSchema => ({ type: "string", description });
const SPARKLER = text("Name of the sparkler; default: you.");
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
      "Save the state of this session",
      "Saves the state of the work and the story of this session for the next one. Use it for /checkpoint, or when the user is about to stop.",
      {
        working_memory: text(
          "Notes to read first in the next session: the focus, the state, the next steps, open questions. A page at most. Replaces the previous notes.",
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
          requiredText(args, "working_memory"),
          requiredText(args, "checkpoint_content"),
          optionalText(args, "sparkler"),
          signal,
        );
        return `Saved in ${files.join(" and ")}.`;
      },
    ),
    tool(
      "save_insight",
      "Save an insight",
      "Saves a proven way of working with this user, so that later sessions start with it. Save few, true insights.",
      {
        insight_type: {
          type: "string",
          enum: INSIGHT_TYPES,
          description:
            "PatternAnchor: exact words that bring a way of working back. CollaborationEvolution: a change between you and the user. WorkspaceInsight: a fact about this workspace.",
        },
        content: text("The insight; for a PatternAnchor, the exact words."),
        context: text("The situation in which it holds, in a sentence or two."),
        tags: { type: "array", items: { type: "string" }, description: "A few words to find it by." },
        sparkler: SPARKLER,
      },
      ["insight_type", "content"],
      WRITES,
      async (args, { signal }) => {
        // the schema guarantees a match
        const type = INSIGHT_TYPES.find(insightType => insightType === args.insight_type) ?? "PatternAnchor";
        const tags = arrayOr(args.tags).filter((tag): tag is string => typeof tag === "string");
        return `Saved in ${await memory.saveInsight(type, { content: requiredText(args, "content"), context: optionalText(args, "context") ?? "", tags, sparkler: optionalText(args, "sparkler") }, signal)}.`;
      },
    ),
    tool(
      "load_evolution",
      "Read saved notes",
      "All saved notes about how you and the user work together, newest first: more than the notes at the start of the session.",
      {},
      [],
      READS,
      async (_, { signal }) => {
        const own = await Promise.all(memory.sections(memory.current()).values()),
          workspace = (await Promise.all(memory.workspaceSections().values())).filter(section => section !== undefined);
        const sections = workspace.length > 0 && (await agreed(workspace, signal)) ? [...own, ...workspace] : own;
        const listed = sections
          .flatMap(section =>
            section ? [`## ${section.title}\n(${section.file})\n\n${section.pieces.join("\n")}`] : [],
          )
          .join("\n\n");
        if (listed === "") return "Nothing is saved yet.";
        const read = beginning(listed, MAX_READ_OUT);
        return read === listed ? listed : `${read}\n\n… The files named above contain the rest.`;
      },
    ),
  ];
}

function profileTools(memory: Memory, folders: readonly string[]): readonly Tool[] {
  return [
    tool(
      "setup_sparkle",
      "Start with Sparkle",
      "Creates the user's profile with their name if nothing is saved yet. Changes no existing file.",
      { name: text("The user's name, as they want to be called.") },
      ["name"],
      { ...WRITES, idempotentHint: true },
      async (args, { signal }) => {
        const { profile, sparkler, isNew } = await memory.setUp(requiredText(args, "name"), signal);
        return isNew
          ? `${profile} was created. You are ${sparkler.name}. Ask the user how they like to work, and save the answer with update_collaborator_profile.`
          : `The profile already exists and is unchanged: ${profile}. You are ${sparkler.name}.`;
      },
    ),
    tool(
      "fetch_profile_data",
      "Collect sources for a profile",
      "Collects the user's sources for their profile, and explains how to write it. Reads texts and files in the folders of this session, nothing from the network.",
      {
        profile_sources: {
          type: "array",
          description: "Sources to read.",
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
          throw new ToolFailure(`At most ${MAX_SOURCES} sources are allowed. Pass fewer at once.`);
        return profileAnswer(
          await Promise.all([...sources, ...textSourcesOf(args)].map(source => readSource(source, folders))),
        );
      },
    ),
    tool(
      "update_collaborator_profile",
      "Save the user's profile",
      "Saves the profile of the user, and keeps the previous one as an older copy. Save only text that the user has seen.",
      { content: text("The whole profile, in Markdown.") },
      ["content"],
      { ...WRITES, idempotentHint: true },
      async (args, { signal }) => `Saved as ${await memory.replaceProfile(requiredText(args, "content"), signal)}.`,
    ),
  ];
}

function sparklerTools(memory: Memory): readonly Tool[] {
  return [
    tool(
      "update_sparkler_identity",
      "Save your identity",
      "Saves your identity (or another sparkler's), and keeps the previous one as an older copy. Save only text that the user has seen.",
      { content: text("The whole identity, in Markdown, in the first person."), sparkler: SPARKLER },
      ["content"],
      { ...WRITES, idempotentHint: true },
      async (args, { signal }) => {
        const [{ name }, file] = await memory.replaceIdentity(
          optionalText(args, "sparkler"),
          requiredText(args, "content"),
          signal,
        );
        return `The identity of ${name} is saved as ${file}.`;
      },
    ),
    tool(
      "rename_sparkler",
      "Rename a sparkler",
      "Renames you, or the named sparkler.",
      { new_name: text("New name."), old_name: text("Current name; default: you.") },
      ["new_name"],
      WRITES,
      async (args, { signal }) => {
        const [now, before] = await memory.rename(
          optionalText(args, "old_name"),
          requiredText(args, "new_name"),
          signal,
        );
        const chosen =
          memory.isChosen(before) && !memory.isChosen(now)
            ? ` The user's setting “sparkler” still has the value ${before.name}: ask them to change it to ${now.name}.`
            : "";
        return `${before.name} is now ${now.name}.${chosen}`;
      },
    ),
    tool(
      "create_sparkler",
      "Create another sparkler",
      "Creates another sparkler with its own patterns and identity. The user's setting “sparkler” selects the sparkler of a session.",
      { name: text("Its name.") },
      ["name"],
      WRITES,
      async (args, { signal }) => {
        const { name } = await memory.create(requiredText(args, "name"), signal);
        return `${name} was created. Define its identity with the user, and save it with update_sparkler_identity.`;
      },
    ),
    tool(
      "list_sparklers",
      "List the sparklers",
      "The sparklers that the user has, and which of them you are.",
      {},
      [],
      READS,
      async () => {
        const [all, { folder, name }] = await Promise.all([memory.sparklers(), memory.current()]);
        return {
          structured: {
            sparklers: all.map(sparkler => ({ name: sparkler.name, isCurrent: sparkler.folder === folder })),
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
function requiredText(args: JsonObject, name: string): string {
  const value = stringOr(args[name], "");
  if (value.trim() === "") throw new ToolFailure(`The argument “${name}” is empty.`);
  if (value.length > MAX_TEXT)
    throw new ToolFailure(
      `The argument “${name}” has ${value.length} characters; the limit is ${MAX_TEXT}. Shorten it.`,
    );
  return value;
}

function optionalText(args: JsonObject, name: string): string | undefined {
  const value = args[name];
  return value === undefined || value === null || value === "" ? undefined : requiredText(args, name);
}

/** The text arguments, as sources. */
function textSourcesOf(args: JsonObject): readonly JsonObject[] {
  return ["content", "working_style", "collaboration_prefs"].flatMap(name =>
    optionalText(args, name) === undefined
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
