// Loaded before the quick unit tests. Each start of a program fails with a hint. A program takes as long as a hundred
// unit tests and slows down under load, so `npm run check` omits such tests.
const programs = require("node:child_process");
const { syncBuiltinESMExports } = require("node:module");

for (const name of ["spawn", "spawnSync", "exec", "execSync", "execFile", "execFileSync", "fork"]) {
  programs[name] = command => {
    throw new Error(`A quick unit test starts a program (${command}). Move it to a file named NAME.spawn.test.ts.`);
  };
}
syncBuiltinESMExports();
