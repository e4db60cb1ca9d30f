/** Validates the scope of an operation, which can name lines that another program has computed. */
import * as l10n from "@vscode/l10n";
import * as v from "valibot";
import type { ReviewScope } from "../../src/protocol/review/review";
import { ErrorCode } from "../../src/protocol/wire/errors";
import { count, list, parsed, text } from "../../src/protocol/wire/schema";
import { RpcError } from "../rpc/message";

const MAX_ITEMS = 100_000;

const lines = v.object({ start: count, end: count }),
  scope = v.object({
    id: text(100),
    files: v.exactOptional(list(v.object({ root: text(4_096), path: text(4_096) }), MAX_ITEMS)),
    turn: v.exactOptional(count),
    hunks: v.exactOptional(list(v.object({ reviewed: lines, current: lines }), MAX_ITEMS)),
  });

/** Throws a sentence if the scope has another form. */
export function checkedScope(value: unknown): ReviewScope {
  const checked = parsed(scope, value);
  if (checked === undefined) throw new RpcError(ErrorCode.refused, l10n.t("These changes could not be identified."));
  return checked;
}
