import { deepEqual } from "node:assert/strict";
import { formatOptions } from "./lsp-operations";

test("detects the indentation of a file", () => {
  const indent = (lines: readonly string[]) => {
    const { tabSize, insertSpaces } = formatOptions(lines);
    return [tabSize, insertSpaces];
  };
  deepEqual(
    [
      indent(["a", "\tb", "\t\tc"]),
      indent(["a", "  b", "", "    c", "a", "  b"]),
      indent(["a", "   b"]),
      indent(["a"]),
    ],
    [
      [4, false],
      [2, true],
      [3, true],
      [4, true],
    ],
  );
});
