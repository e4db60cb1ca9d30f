// `npm run test:installs`: the built command line installs agents from the registries of npm, Python and Rust and from
// an archive into new HOME folders and starts them, for two editors at once, and then without a network. Also tests
// installed language servers, proxies and conductors of every published generation, built by cargo, and the templates
// for authors. Opt-in, because it needs a network and minutes. Tests of tools missing on this machine are skipped.
//   npm run test:installs [-- --grep PATTERN]
import { runOptIn } from "./opt-in.mjs";
import { options } from "./project.mjs";

await runOptIn({
  name: "installs",
  programs: ["real-language-server", "symposium-acp-agent"],
  tests: ["command-line", "generations", "language-servers", "templates"].map(
    name => `scripts/real-installs/${name}.test.mjs`,
  ),
  grep: options(process.argv.slice(2), { one: ["grep"] }).grep,
  timeoutMs: 25 * 60_000,
  limitMs: 75 * 60_000,
  isBuilt: true,
});
