import { deepEqual } from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";

const ROOTS = ["src", "webview", "sidecar", "test", "bench"];

suite("skipped tests", () => {
  test("always has a reason", () => {
    const files = ROOTS.flatMap(root =>
      readdirSync(root, { recursive: true, encoding: "utf8" }).map(name => `${root}/${name.replaceAll("\\", "/")}`),
    ).filter(file => file.endsWith(".ts"));
    const silent = files.flatMap(file =>
      readFileSync(file, "utf8")
        .split("\n")
        .flatMap((line, i, lines) =>
          /\.skip\(/.test(line) && !`${lines[i - 1]}${line}`.includes("skipReason") ? [`${file}:${i + 1}`] : [],
        ),
    );
    deepEqual(silent, []);
  });
});
