/**
 * Simulates the installation of a window: installs an agent into a store unless it is installed, and starts it. Prints
 * the doctor's diagnosis as one line of JSON. Arguments: ROOT CONFIG [--offline]. CONFIG is the agent's configuration
 * as JSON. Offline, no tools and no network are available.
 */
import path from "node:path";
import type { AgentConfig } from "../../../src/protocol/agents/agents";
import { readDistribution } from "../../../src/protocol/agents/distribution";
import { diagnose } from "../../agents/doctor/diagnose";
import { probe } from "../../agents/doctor/probe";
import { platformOf, platformsFor } from "../../agents/distributions/platform";
import { findProgram, isProgramFile } from "../../process/find-program";
import { realFiles } from "../../agents/install/store/files";
import { Installer } from "../../agents/install/installer";
import { Store } from "../../agents/install/store/store";
import { openLedger } from "../../process/process-ledger";
import { systemTools, type ProcessDeps } from "../../process/stdio-process";
import { processTable } from "../../process/process-list";
import { newRun } from "../../process/run-id";
import { runTool } from "../../process/tool-run";
import { realClock } from "../../rpc/clock";
import { objectOr, stringOr } from "../../rpc/json";

const [root = "", config = "", offline] = process.argv.slice(2);
const table = processTable(systemTools),
  { platform, env } = process;

async function main(): Promise<void> {
  const agent = agentIn(JSON.parse(config)),
    storage = path.join(root, "..", "ledger"),
    startedAt = realClock.now();
  const ledger = openLedger(storage, newRun());
  const fixture: ProcessDeps = {
    clock: realClock,
    ledger,
    report: { started: () => undefined, ended: () => undefined },
    log: () => undefined,
  };
  let lines = 0;
  const installer = new Installer({
    store: new Store(root, {
      clock: realClock,
      files: realFiles,
      table,
      self: { pid: process.pid, started: table.startOf(process.pid) },
    }),
    clock: realClock,
    files: realFiles,
    platform,
    platforms: platformsFor(platformOf(platform, process.arch)),
    tools: async () => ({
      find: name =>
        offline !== undefined && name !== "node"
          ? undefined
          : findProgram(name, { platform, env, isProgram: isProgramFile }),
    }),
    ...(offline === undefined ? {} : { fetch: () => Promise.reject(new Error("There is no network here.")) }),
    run: (spec, how) =>
      offline === undefined ? runTool(spec, how, fixture) : Promise.reject(new Error("No tool is run here.")),
    report: (_, progress) => {
      if (progress?.line !== undefined) lines++;
    },
    log: () => undefined,
  });
  try {
    const command = await installer.command(agent, new AbortController().signal),
      installed = realClock.now();
    if (command.kind !== "process") throw new Error(`${agent.name} is no process.`);
    const observed = await probe(
      { name: agent.name, command: command.command, args: command.args, env: command.env, cwd: path.dirname(root) },
      { processes: fixture, version: "0.0.0", find: () => undefined },
    );
    const { session, initialize, exit } = observed;
    emit({
      command: [command.command, ...command.args],
      lines,
      ms: { install: Math.round(installed - startedAt), probe: Math.round(realClock.now() - installed) },
      initialize,
      session,
      exit,
      diagnosis: diagnose(observed),
    });
  } catch (error) {
    emit({ error: String(error) });
  }
  await installer[Symbol.asyncDispose]();
  ledger.close();
}

function agentIn(value: unknown): AgentConfig {
  const { id, name, distribution } = objectOr(value);
  return { id: stringOr(id, ""), name: stringOr(name, ""), distribution: readDistribution(distribution) ?? {} };
}

function emit(result: object): void {
  process.stdout.write(`${JSON.stringify(result)}\n`);
}

void main();
