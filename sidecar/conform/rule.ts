/** Rules of the conformance kit, their verdicts, and the function that applies a catalogue to recordings. Pure. */
import { redactText } from "../../src/protocol/redaction/redact";
import { negotiated, type Located } from "./conversation";
import type { Conversation, Direction } from "./recording";
import { VERSIONS, type Version } from "./schema";

export type ProgramKind = "agent" | "proxy" | "client";
/** `must` rules determine the exit code. */
export type Severity = "must" | "should";

export type Verdict =
  | { readonly kind: "pass" }
  /**
   * `why` in every verdict: the reason, without secrets. `excerpt`: the offending message, bounded and without secrets.
   */
  | { readonly kind: "fail"; readonly why: string; readonly excerpt?: string }
  /** The program does not advertise the capability or does not support the version. */
  | { readonly kind: "notApplicable"; readonly why: string }
  /** The conversation contains nothing that the rule judges. */
  | { readonly kind: "notSeen"; readonly why: string };

export interface RuleInput {
  readonly version: Version;
  /** Conversations in which the program agreed on this version. */
  readonly conversations: readonly Conversation[];
  /** All conversations of the run, in all versions. */
  readonly all: readonly Conversation[];
}

export interface Rule {
  /** Lower case, unique, for example `agent/session-unique`. */
  readonly id: string;
  /** A statement that holds for a conforming program. */
  readonly title: string;
  readonly program: ProgramKind;
  /**
   * Source of the rule per version: a path below https://agentclientprotocol.com/, or the address of another
   * specification. A rule applies only to the listed versions.
   */
  readonly section: Readonly<Partial<Record<Version, string>>>;
  readonly severity: Severity;
  /** Advice for the author if the rule fails. */
  readonly remedy?: string;
  /** Also judges conversations without an agreed version. */
  readonly judgesNegotiation?: true;
  judge(input: RuleInput): Verdict;
}

export interface Result {
  readonly rule: Rule;
  readonly version: Version;
  readonly section: string;
  readonly verdict: Verdict;
}

/** Direction of `initialize`, which determines the version of a conversation. */
export function initializeDirection(program: ProgramKind): Direction {
  return program === "client" ? "fromProgram" : "toProgram";
}

export function judgeAll(
  rules: readonly Rule[],
  program: ProgramKind,
  all: readonly Conversation[],
): readonly Result[] {
  const direction = initializeDirection(program);
  return VERSIONS.flatMap(version => {
    const conversations = all.filter(
      conversation => conversation.version === version && negotiated(conversation, direction) === version,
    );
    return rules
      .filter(rule => rule.program === program)
      .flatMap(rule => {
        const section = rule.section[version];
        if (section === undefined) return [];
        const isJudged = conversations.length > 0 || rule.judgesNegotiation === true;
        const verdict = isJudged
          ? rule.judge({ version, conversations, all })
          : notApplicable(`Version ${version} was not agreed on.`);
        return [{ rule, version, section, verdict }];
      });
  });
}

export const PASS: Verdict = { kind: "pass" };
export function notSeen(why: string): Verdict {
  return { kind: "notSeen", why: redactText(why) };
}
export function notApplicable(why: string): Verdict {
  return { kind: "notApplicable", why: redactText(why) };
}

/** Maximum number of characters of an offending message in a report. */
const MAX_EXCERPT = 400;

export function fail(reason: string, offending?: Located | string): Verdict {
  const why = redactText(reason);
  if (offending === undefined) return { kind: "fail", why };
  const text = redactText(typeof offending === "string" ? offending : textOf(offending), MAX_EXCERPT * 2);
  return { kind: "fail", why, excerpt: text.length <= MAX_EXCERPT ? text : `${text.slice(0, MAX_EXCERPT)}…` };
}

function textOf({ message }: Located): string {
  try {
    return JSON.stringify(message.raw);
  } catch {
    return "(nested too deeply to be shown)";
  }
}

/** Fails with the first failing item. `none`: verdict if there are no items. */
export function judgeEach<T>(items: readonly T[], judge: (item: T) => Verdict | undefined, none: Verdict): Verdict {
  let undecided: Verdict | undefined;
  let passed = false;
  for (const item of items) {
    const verdict = judge(item) ?? PASS;
    if (verdict.kind === "fail") return verdict;
    if (verdict.kind === "pass") passed = true;
    else if (undecided === undefined || verdict.kind === "notApplicable") undecided = verdict;
  }
  return passed ? PASS : (undecided ?? none);
}

/** Applies the judge to each conversation. */
export function judgeConversations(
  { conversations }: RuleInput,
  judge: (conversation: Conversation) => Verdict,
): Verdict {
  return judgeEach(conversations, judge, notSeen("No conversation took place."));
}
