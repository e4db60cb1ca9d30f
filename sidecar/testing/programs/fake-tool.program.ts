/**
 * Replacement for npm, uv, pipx and cargo in tests of installations: writes their files and simulates their failures.
 * Arguments: PLAN TOOL ARGUMENT… (see `fake-tools.ts`).
 */
import { appendFileSync, existsSync, mkdirSync, readFileSync, symlinkSync, watch, writeFileSync } from "node:fs";
import path from "node:path";
import type { FakePackage, ToolPlans } from "../install/fake-tools";

const [planFile = "", tool = "", ...args] = process.argv.slice(2);
const plans = JSON.parse(readFileSync(planFile, "utf8")) as ToolPlans;

function option(name: string): string {
  return args[args.indexOf(name) + 1] ?? "";
}
function write(file: string, text: string, mode = 0o644): void {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text, { mode });
}
function found(name: string, version: string | undefined): FakePackage & { readonly version: string } {
  const first = plans.packages?.[name];
  if (!first) {
    process.stderr.write(`${tool} error 404: ${name} is not in this registry\n`);
    process.exit(1);
  }
  return { ...first, version: version ?? first.version };
}

function npm(): void {
  const [, name = "", version] = /^(@?[^@]+)(?:@(.+))?$/.exec(args.at(-1) ?? "") ?? [],
    prefix = option("--prefix"),
    first = found(name, /^\d/.test(version ?? "") ? version : undefined);
  const home = path.join(prefix, "node_modules", ...name.split("/"));
  write(path.join(home, "package.json"), JSON.stringify({ name, version: first.version, bin: first.bin }));
  for (const [bin, file] of Object.entries(
    typeof first.bin === "string" ? { [name.replace(/^@.*\//, "")]: first.bin } : (first.bin ?? {}),
  )) {
    write(path.join(home, file), first.content ?? `${first.firstLine ?? "#!/usr/bin/env node"}\n`, 0o755);
    write(path.join(prefix, "node_modules", ".bin", bin), "#!/bin/sh\n", 0o755);
  }
}

function python(home: string, bin: string): void {
  const [, name = "", version] = /^([\w.-]+)(?:\[.*\])?(?:==(.+))?$/.exec(args.at(-1) ?? "") ?? [],
    first = found(name, version);
  const site = path.join(home, name, "lib", "python3.12", "site-packages");
  write(path.join(site, "other_package-9.9.9.dist-info", "METADATA"), "");
  write(path.join(site, `${name.replaceAll("-", "_")}-${first.version}.dist-info`, "METADATA"), "");
  mkdirSync(bin, { recursive: true });
  for (const program of Object.keys(first.bin ?? {})) {
    write(path.join(home, name, "bin", program), first.content ?? `#!${home}/${name}/bin/python\n`, 0o755);
    symlinkSync(path.join(home, name, "bin", program), path.join(bin, program));
  }
}

/** Simulates cargo's incremental build: keeps earlier entries in the target folder and adds one crate. */
function compile(): void {
  const target = process.env.CARGO_TARGET_DIR;
  if (tool !== "cargo" || args[0] !== "install" || target === undefined) return;
  appendFileSync(path.join(target, "compiled"), "crate\n");
}

function cargo(): void {
  const [command, ...rest] = args;
  if (command === "binstall" && plans.binstall === undefined) {
    process.stderr.write("error: no such command: `binstall`\n");
    process.exit(101);
  }
  if (rest[0] === "-V") return;
  if (command === "binstall" && plans.binstall === "fails") process.exit(94);
  const [name = "", version] =
    command === "binstall"
      ? (args.at(-1) ?? "").split("@")
      : [args[args.indexOf("--locked") + 1], args.includes("--version") ? option("--version") : undefined];
  const first = found(name, version),
    root = option("--root"),
    bins = Object.keys(first.bin ?? {});
  for (const bin of bins) write(path.join(root, "bin", bin), first.content ?? command ?? "", 0o755);
  write(
    path.join(root, ".crates2.json"),
    JSON.stringify({
      installs: {
        [`${name} ${first.version} (registry+https://example.com/index)`]: { version_req: null, bins, features: [] },
      },
    }),
  );
}

/** Simulates `npm view NAME dist.unpackedSize`. */
function view(): void {
  const size = plans.packages?.[args[1] ?? ""]?.unpackedSize;
  if (size !== undefined) process.stdout.write(`${size}\n`);
}

function main(): void {
  if (tool === "npm" && args[0] === "view") return view();
  appendFileSync(path.join(path.dirname(planFile), "calls.jsonl"), `${JSON.stringify([tool, ...args])}\n`);
  compile();
  for (const line of plans.stdoutLines ?? []) process.stdout.write(`${line}\n`);
  if (plans.waitsFor === undefined || existsSync(plans.waitsFor)) return work();
  const watcher = watch(path.dirname(plans.waitsFor), () => {
    if (plans.waitsFor === undefined || !existsSync(plans.waitsFor)) return;
    watcher.close();
    work();
  });
}

function work(): void {
  const uvDir = process.env.UV_TOOL_DIR ?? "",
    pipxHome = process.env.PIPX_HOME ?? "";
  if (plans.fails) {
    process.stderr.write(plans.fails.stderr);
    process.exit(plans.fails.code);
  }
  if (tool === "npm") npm();
  else if (tool === "uv") python(uvDir, process.env.UV_TOOL_BIN_DIR ?? "");
  else if (tool === "pipx") python(path.join(pipxHome, "venvs"), process.env.PIPX_BIN_DIR ?? "");
  else cargo();
  if (plans.hangs) {
    process.on("SIGTERM", () => undefined);
    process.stdout.write("hanging\n");
    setInterval(() => undefined, 1000);
  }
}

main();
