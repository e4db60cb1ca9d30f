/** Questions of an agent other than permission requests; see `elicitation.ts`. */
import * as v from "valibot";
import { finite, list, record, text, type Infer } from "../wire/schema";

const MIB = 1024 * 1024;
/** Maximum number of fields of a form. */
const MAX_FIELDS = 100;
const MAX_OPTIONS = 1_000;
/** Agents choose the length of their texts, names and ids. */
const long = text(4 * MIB);

const option = v.object({ value: long, title: long, description: v.exactOptional(long) });
export type FieldOption = Infer<typeof option>;
const options = list(option, MAX_OPTIONS);

const named = {
  /** Property name in the agent's schema. */
  name: long,
  title: long,
  description: v.exactOptional(long),
  required: v.boolean(),
};

const field = v.variant("type", [
  v.object({
    ...named,
    type: v.literal("text"),
    format: v.exactOptional(long),
    minLength: v.exactOptional(finite),
    maxLength: v.exactOptional(finite),
    pattern: v.exactOptional(long),
    initial: v.exactOptional(long),
  }),
  v.object({
    ...named,
    type: v.picklist(["number", "integer"]),
    minimum: v.exactOptional(finite),
    maximum: v.exactOptional(finite),
    initial: v.exactOptional(finite),
  }),
  v.object({ ...named, type: v.literal("boolean"), initial: v.exactOptional(v.boolean()) }),
  v.object({ ...named, type: v.literal("choice"), options, initial: v.exactOptional(long) }),
  v.object({
    ...named,
    type: v.literal("choices"),
    options,
    minItems: v.exactOptional(finite),
    maxItems: v.exactOptional(finite),
    initial: v.exactOptional(list(long, MAX_OPTIONS)),
  }),
]);
export type Field = Infer<typeof field>;

const form = v.object({
  mode: v.literal("form"),
  /** A sign-in to the agent, which Symposium itself asks for. Forms of agents have no purpose. */
  purpose: v.exactOptional(v.literal("signIn")),
  title: v.exactOptional(long),
  description: v.exactOptional(long),
  fields: list(field, MAX_FIELDS),
});
export type FormQuestion = Infer<typeof form>;

/** `url` is http or https, and opened in the browser only after the user's consent. */
const page = v.object({ mode: v.literal("url"), url: long, elicitationId: long });
export type UrlQuestion = Infer<typeof page>;

const answered = v.variant("kind", [
  v.object({ kind: v.picklist(["accepted", "declined"]) }),
  /** For a page to visit: the agent reports completion. */
  v.object({ kind: v.literal("completed") }),
  /** Without an answer. `why` is a sentence. */
  v.object({ kind: v.literal("cancelled"), why: long }),
]);
export type ElicitationAnswered = Infer<typeof answered>;

/** A session that the agent opens and owns itself (ACP schema v2, `SubagentUpdate`). */
export const subagentName = v.object({
  /** The agent's id of the subagent's session. */
  sessionId: long,
  /** Its title as shown to the user. */
  name: long,
});
export type SubagentName = Infer<typeof subagentName>;

export const elicitation = v.object({
  kind: v.literal("elicitation"),
  id: v.pipe(long, v.nonEmpty()),
  /** The agent's name as configured by the user. */
  agent: long,
  message: long,
  ask: v.variant("mode", [form, page]),
  /** The subagent that asks; absent if the agent itself asks. */
  subagent: v.exactOptional(subagentName),
  answered: v.exactOptional(answered),
});
export type Elicitation = Infer<typeof elicitation>;

export const fieldValue = v.union([long, finite, v.boolean(), list(long, MAX_OPTIONS)]);
export type FieldValue = Infer<typeof fieldValue>;

export const elicitationChoice = v.variant("kind", [
  v.object({ kind: v.literal("accept"), values: record(long, fieldValue, MAX_FIELDS) }),
  v.object({ kind: v.literal("decline") }),
]);
export type ElicitationChoice = Infer<typeof elicitationChoice>;
