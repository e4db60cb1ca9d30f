// `npm run test:installs`: installs agents from the registries of npm, Python and Rust into a store in a temporary
// folder and starts them. Then starts them again without tools and network. Also tests installed language servers, and
// proxies and conductors of every published generation, built by cargo. Opt-in, because it needs a network and minutes.
// Tests of tools missing on this machine are skipped.
//   npm run test:installs [-- --grep PATTERN]
import { runOptIn } from "./opt-in.mjs";
import { options } from "./project.mjs";

await runOptIn({
  name: "installs",
  programs: ["real-install", "real-language-server", "symposium-acp-agent"],
  tests: ["generations", "installs", "language-servers"].map(name => `scripts/real-installs/${name}.test.mjs`),
  grep: options(process.argv.slice(2), { one: ["grep"] }).grep,
  timeoutMs: 20 * 60_000,
  limitMs: 40 * 60_000,
});
