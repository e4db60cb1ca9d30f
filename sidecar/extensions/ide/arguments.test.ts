import { deepEqual, equal, ok, throws } from "node:assert/strict";
import fc from "fast-check";
import { IDE_OPERATIONS } from "../../../src/protocol/ide/ide";
import type { JsonObject } from "../../rpc/json";
import { checkArguments, ToolFailure } from "../tool";
import { ARGUMENTS, operationOf } from "./arguments";

const refuses = (args: JsonObject, why: string): void =>
  throws(
    () => operationOf(args),
    (error: unknown) => error instanceof ToolFailure && (equal(error.message, why), true),
  );

suite("ide_operation arguments", () => {
  test("counts lines and characters from 1 and prefers a symbol to a character", () => {
    deepEqual(operationOf({ operation: "hover", path: "a", line: 3, symbol: "x", character: 9 }), {
      operation: "hover",
      path: "a",
      at: { line: 2, symbol: "x" },
    });
    deepEqual(operationOf({ operation: "hover", path: "a", line: 1, character: 1 }), {
      operation: "hover",
      path: "a",
      at: { line: 0, character: 0 },
    });
    deepEqual(operationOf({ operation: "definition", path: "a", symbol: "x", character: 4 }), {
      operation: "definition",
      path: "a",
      at: { symbol: "x" },
    });
    deepEqual(operationOf({ operation: "code_actions", path: "a", line: 2, end_line: 4, action: "Fix" }), {
      operation: "code_actions",
      path: "a",
      at: { line: 1 },
      endLine: 3,
      title: "Fix",
    });
    deepEqual(operationOf({ operation: "format", path: "a", line: 2 }), {
      operation: "format",
      path: "a",
      lines: { start: 1, end: 1 },
    });
  });

  test("treats empty values as absent", () => {
    deepEqual(operationOf({ operation: "diagnostics", path: "", line: null, symbol: " ", query: "" }), {
      operation: "diagnostics",
    });
    deepEqual(operationOf({ operation: "format", path: "a", symbol: "" }), { operation: "format", path: "a" });
  });

  test("is rejected with a sentence if incomplete", () => {
    refuses({ operation: "hover", symbol: "x" }, "hover needs the argument “path”.");
    refuses(
      { operation: "references", path: "a" },
      "references needs “symbol”, “line” or both to select a name in the file.",
    );
    refuses({ operation: "rename", path: "a", line: 1 }, "rename needs the argument “new_name”.");
    refuses({ operation: "workspace_symbols" }, "workspace_symbols needs the argument “query”.");
    refuses(
      { operation: "code_actions", path: "a", symbol: "x", end_line: 2 },
      "The argument “end_line” also requires “line”.",
    );
    refuses({ operation: "format", path: "a", line: 5, end_line: 2 }, "The argument “end_line” is before “line”, 5.");
    refuses({ operation: "hover", path: "a", symbol: "x\ny" }, "The argument “symbol” must be a text of one line.");
    refuses({ operation: "fly" }, "Unknown operation “fly”.");
  });

  test("is an operation or a sentence for any schema-valid input", () => {
    const text = fc.oneof(fc.string(), fc.constant(undefined)),
      line = fc.oneof(fc.integer({ min: 1 }), fc.constant(undefined));
    fc.assert(
      fc.property(
        fc.record({
          operation: fc.constantFrom(...IDE_OPERATIONS),
          path: text,
          symbol: text,
          query: text,
          new_name: text,
          action: text,
          line,
          end_line: line,
          character: line,
        }),
        args => {
          checkArguments(ARGUMENTS, args);
          try {
            equal(operationOf(args).operation, args.operation);
          } catch (error) {
            ok(error instanceof ToolFailure);
          }
        },
      ),
    );
  });
});
