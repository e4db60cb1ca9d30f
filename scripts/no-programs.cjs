// Loaded before the quick unit tests: whoever starts a program there fails, with what to do. A program takes the time
// of a hundred unit tests, and is as slow as the machine is busy: `npm run check` goes without.
const programs = require("node:child_process");
const { syncBuiltinESMExports } = require("node:module");

for (const name of ["spawn", "spawnSync", "exec", "execSync", "execFile", "execFileSync", "fork"]) {
  programs[name] = command => {
    throw new Error(
      `A quick unit test starts a program (${command}). Tests that do so are in files called NAME.spawn.test.ts.`,
    );
  };
}
syncBuiltinESMExports();
