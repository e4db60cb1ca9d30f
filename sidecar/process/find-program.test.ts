import { deepEqual, equal } from "node:assert/strict";
import path from "node:path";
import { findProgram, isProgramFile, remembering } from "./find-program";

suite("findProgram", () => {
  const on =
    (platform: string, env: Readonly<Record<string, string>>, ...files: readonly string[]) =>
    (command: string) =>
      findProgram(command, { platform, env, isProgram: file => files.includes(file) });

  test("returns the first match on the PATH", () => {
    const find = on("linux", { PATH: "/a::/b:/c" }, "/b/ada", "/c/ada");
    equal(find("ada"), "/b/ada");
    equal(find("eve"), undefined);
  });

  test("ignores relative folders on the PATH", () => {
    const find = on("linux", { PATH: ".:bin::/b" }, "ada", "./ada", "bin/ada");
    equal(find("ada"), undefined);
    equal(find("./ada"), undefined);
  });

  test("checks only the path itself if one is given", () => {
    equal(on("linux", { PATH: "/b" }, "/opt/ada", "/b/ada")("/opt/ada"), "/opt/ada");
    equal(on("linux", { PATH: "/b" }, "/b/opt/ada")("/opt/ada"), undefined);
  });

  test("adds PATHEXT endings on Windows and ignores the case of variables", () => {
    const find = on(
      "win32",
      { Path: '"C:\\Program Files\\nodejs";C:\\bin', PathExt: ".EXE;.CMD" },
      "C:\\Program Files\\nodejs\\npx.CMD",
      "C:\\bin\\uv.EXE",
      "C:\\bin\\ada",
    );
    equal(find("npx"), "C:\\Program Files\\nodejs\\npx.CMD");
    equal(find("npx.cmd.cmd"), undefined);
    equal(find("npx.CMD"), "C:\\Program Files\\nodejs\\npx.CMD");
    equal(find("uv"), "C:\\bin\\uv.EXE");
    equal(find("ada"), undefined);
    equal(find("C:\\bin\\uv"), "C:\\bin\\uv.EXE");
  });

  test("returns undefined without a PATH", () => equal(on("linux", {}, "/b/ada")("ada"), undefined));

  test("accepts only executable files", () => {
    equal(isProgramFile(process.execPath), true);
    equal(isProgramFile(path.dirname(process.execPath)), false);
    if (process.platform !== "win32") equal(isProgramFile(path.join(process.cwd(), "package.json")), false);
  });
});

test("caches a found or missing program for one second", () => {
  const asked: string[] = [];
  let now = 5;
  const find = remembering(
    program => {
      asked.push(program);
      return program === "npm" ? `/bin/npm${asked.length}` : undefined;
    },
    () => now,
  );
  equal(find("npm"), "/bin/npm1");
  for (const program of ["uv", "uv", "npm", "npm"]) find(program);
  now += 999;
  find("uv");
  equal(find("npm"), "/bin/npm1");
  now++;
  equal(find("npm"), "/bin/npm3");
  find("uv");
  deepEqual(asked, ["npm", "uv", "npm", "uv"]);
});
