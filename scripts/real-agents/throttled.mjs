// Throttles agents on demand. SYMPOSIUM_AGENTS_THROTTLED is their share of a core in percent.
import path from "node:path";
import { timeLimit } from "../time-limits.mjs";

const percent = process.env.SYMPOSIUM_AGENTS_THROTTLED;

/** Command prefix that throttles an agent (throttle.mjs); empty without throttling. */
export const THROTTLE = percent ? [process.execPath, path.join(import.meta.dirname, "throttle.mjs"), percent] : [];

/** Scales `milliseconds` of an agent with a whole core to a throttled one. */
export const slowed = milliseconds => Math.round((milliseconds * 100) / Number(percent || 100));

/** A limit for work of an agent that takes at most `milliseconds` on an idle machine. */
export const agentTimeLimit = milliseconds => slowed(timeLimit(milliseconds));
