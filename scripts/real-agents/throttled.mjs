// How agents are slowed down on demand: SYMPOSIUM_AGENTS_THROTTLED is their share of a core in percent.
import path from "node:path";
import { timeLimit } from "../time-limits.mjs";

const percent = process.env.SYMPOSIUM_AGENTS_THROTTLED;

/** The words before a command that throttle it (throttle.mjs); none unless that is wanted. */
export const THROTTLE = percent ? [process.execPath, path.join(import.meta.dirname, "throttle.mjs"), percent] : [];

/** `milliseconds` of an agent with a whole core, for one that is slowed down. */
export const slowed = milliseconds => Math.round((milliseconds * 100) / Number(percent || 100));

/** A limit for work of an agent that takes at most `milliseconds` on an idle machine. */
export const agentTimeLimit = milliseconds => slowed(timeLimit(milliseconds));
