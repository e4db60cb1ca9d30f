/**
 * Tools that return the path of a crate's source: `crate_sources` for user sessions, `get_rust_crate_source` for
 * research sessions.
 */
import { stringOr, type JsonObject } from "../../rpc/json";
import type { ArgumentSchema, Tool, ToolCall } from "../tool";
import type { CrateQuestion, CrateSource } from "./crate-sources";

export type FindSource = (question: CrateQuestion, call: ToolCall) => Promise<CrateSource>;

export const CRATE_NAME: ArgumentSchema = { type: "string", description: "Name of the crate, as in Cargo.toml" };
const VERSION: ArgumentSchema = {
  type: "string",
  description:
    'A version (1.2.3), a range as in Cargo.toml (^1.2), or "latest". Without it: the version that this workspace uses, else the newest stable one',
};
export const READS = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true };

export function crateSources(find: FindSource): Tool {
  return {
    name: "crate_sources",
    title: "Crate sources",
    annotations: READS,
    description:
      "Get the source code of a Rust crate: returns the folder on this computer where it can be read. Use it before guessing at a crate's API; by default it is the version that this workspace uses.",
    inputSchema: { type: "object", properties: { crate_name: CRATE_NAME, version: VERSION }, required: ["crate_name"] },
    call: async (args, call) => answer(await find(question(args), call), ({ folder }) => ({ path: folder })),
  };
}

export function getRustCrateSource(find: FindSource): Tool {
  return {
    name: "get_rust_crate_source",
    title: "Rust crate source",
    annotations: READS,
    description:
      "Get the source code of a Rust crate: returns the folder on this computer where it can be read (`checkout_path`). Also for crates that the one you research depends on.",
    inputSchema: { type: "object", properties: { crate_name: CRATE_NAME, version: VERSION }, required: ["crate_name"] },
    call: async (args, call) => answer(await find(question(args), call), () => ({})),
  };
}

function question({ crate_name: name, version }: JsonObject): CrateQuestion {
  return { name: stringOr(name, "").trim(), version: stringOr(version, undefined) };
}

function answer(source: CrateSource, details: (source: CrateSource) => JsonObject) {
  const { name, version, folder, message } = source;
  return { structured: { crate_name: name, version, ...details(source), checkout_path: folder, message } };
}
