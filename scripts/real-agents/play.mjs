// Plays the scenes of scenes.mjs with an agent, through a chain or directly, and records the messages at both ends.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { root } from "../project.mjs";
import { programFile, withHttpServer } from "./scenes.mjs";
import { onStage } from "./stage.mjs";
import { Wire } from "./wire.mjs";

/**
 * `proxies` are names of test programs, undefined for no chain. `scenes` are from scenes.mjs, initialize first.
 * Resolves with the scenes by name, as `{lines, requests, error?}`. For a chain, the result also has all `lines`,
 * the agent's input `toAgent` and output `fromAgent`, the exit `code` and `stderr`. `withoutHttp`: the agent seems
 * not to support MCP over HTTP.
 */
export function play(agent, proxies, scenes, { withoutHttp = false } = {}) {
  return withHttpServer(url =>
    onStage(agent, async stage => {
      const wire =
        proxies === undefined
          ? new Wire("/bin/sh", ["-c", `exec ${stage.command}`], { cwd: stage.bin })
          : chain(proxies, stage, withoutHttp);
      try {
        const played = new Map();
        for (const { name, act } of scenes) {
          played.set(name, await playScene({ ...stage, wire, agent, url }, act));
          if (played.get(name).error) break; // Later failures would be its consequence.
        }
        if (proxies === undefined) return { scenes: played };
        const code = await wire.leave();
        return {
          scenes: played,
          lines: wire.lines,
          toAgent: linesOf(stage, TO_AGENT),
          fromAgent: linesOf(stage, FROM_AGENT),
          code,
          stderr: wire.stderr,
        };
      } finally {
        wire.kill();
      }
    }),
  );
}

const TO_AGENT = "to-agent.jsonl",
  FROM_AGENT = "from-agent.jsonl";

function chain(proxies, { folder, bin, command }, withoutHttp) {
  const seemingly = withoutHttp ? ` | sed -u 's/"http":true/"http":false/'` : "";
  writeFileSync(path.join(bin, "tapped"), `#!/bin/sh\ntee ${TO_AGENT} | ${command} | tee ${FROM_AGENT}${seemingly}\n`, {
    mode: 0o755,
  });
  const each = proxies.flatMap(name => ["--proxy", `'${process.execPath}' '${programFile(name)}'`]);
  return new Wire(process.execPath, [path.join(root, "dist/sidecar.js"), "run-with", ...each, "--agent", "./tapped"], {
    cwd: bin,
    env: { HOME: folder },
  });
}

function linesOf({ bin }, name) {
  const file = path.join(bin, name);
  return existsSync(file) ? readFileSync(file, "utf8").split("\n").slice(0, -1) : [];
}

async function playScene(stage, act) {
  const {
      wire: { lines },
      model: { requests },
    } = stage,
    firstLine = lines.length,
    firstRequest = requests.length;
  const error = await act(stage).then(
    () => undefined,
    cause => cause,
  );
  return { lines: lines.slice(firstLine), requests: requests.slice(firstRequest), error };
}
