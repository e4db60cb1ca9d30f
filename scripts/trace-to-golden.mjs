// Converts a trace of Symposium into a golden transcript: without secrets, with stable names for ids, paths and times.
//   node scripts/trace-to-golden.mjs TRACE NAME [--session ID] [--title TEXT]
// Writes sidecar/testing/transcripts/NAME.golden. `--out FILE` writes another file, "-" the standard output.
import { build } from "esbuild";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { fail } from "./project.mjs";

const root = path.resolve(import.meta.dirname, "..");
const {
  values: { session, title, out },
  positionals: [file, name],
} = parseArgs({
  allowPositionals: true,
  options: { session: { type: "string" }, title: { type: "string" }, out: { type: "string" } },
});
if (file === undefined || name === undefined)
  fail("usage: node scripts/trace-to-golden.mjs TRACE NAME [--session ID] [--title TEXT] [--out FILE]");

const { outputFiles } = await build({
  entryPoints: [path.join(root, "sidecar/testing/golden/from-trace.ts")],
  bundle: true,
  write: false,
  format: "esm",
  platform: "node",
  logLevel: "warning",
});
const code = `data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`;
const { goldenFromTrace, sessionsIn } = await import(code);

try {
  const trace = readFileSync(file, "utf8"),
    sessions = sessionsIn(trace);
  if (session === undefined && sessions.length > 1)
    console.error(`The trace has ${sessions.length} sessions; --session keeps one: ${sessions.join(", ")}`);
  const text = `${goldenFromTrace(trace, { title: title ?? `replays the trace ${name}`, session }).join("\n")}\n`;
  if (out === "-") process.stdout.write(text);
  else {
    const target = out ?? path.join(root, "sidecar/testing/transcripts", `${name}.golden`);
    writeFileSync(target, text);
    console.log(target);
  }
} catch (error) {
  fail(error.message);
}
