/**
 * The processes of this computer, as the system tells of them, and signals to them. Linux is read from `/proc`, macOS from
 * `ps`; Windows, which has no groups and shows no environments, from PowerShell and with `taskkill`, as well as it goes.
 *
 * Invariant: a start time is equal only for the same process, also after a reboot; an id alone never says which one it is.
 */
import { readdirSync, readFileSync } from "node:fs";
import { RUN_ID } from "./environment";

export interface ProcessEntry {
  readonly pid: number;
  /** Process group; on Windows the process itself. */
  readonly group: number;
  /** Opaque, compared with `sameStart`. */
  readonly started: string;
  /** `SYMPOSIUM_RUN_ID` in its environment when it started, where that can be read. */
  readonly runId?: string;
}

export type Target = { readonly pid: number } | { readonly group: number };

export interface ProcessTable {
  /** This process: it is never a target. */
  readonly self: { readonly pid: number; readonly group: number; readonly runId?: string };
  /** Start time of this process, or of a child that has just been started. Synchronous; "" when it cannot be had, which equals nothing. */
  startOf(pid: number): string;
  sameStart(a: string, b: string): boolean;
  /** The living (zombies are not), all or those of `pids`. Empty when the system does not tell. */
  living(pids?: readonly number[]): Promise<readonly ProcessEntry[]>;
  /** Who is gone, or may not be signalled, is none of our business: no error. On Windows both signals end the whole tree. */
  signal(target: Target, signal: "SIGTERM" | "SIGKILL"): void;
}

/** How system programs are run; both give stdout, or `undefined` for whatever goes wrong. */
export interface SystemTools {
  now(command: string, args: readonly string[]): string | undefined;
  soon(command: string, args: readonly string[]): Promise<string | undefined>;
}

export function processTable(tools: SystemTools, platform: string = process.platform): ProcessTable {
  switch (platform) {
    case "linux": return linuxTable();
    case "win32": return windowsTable(tools);
    default: return psTable(tools);
  }
}

function linuxTable(): ProcessTable {
  const boot = (readOr("/proc/sys/kernel/random/boot_id") ?? "").slice(0, 8);
  const read = (pid: number): ProcessEntry | undefined => {
    const stat = parseStat(readOr(`/proc/${pid}/stat`) ?? "");
    return stat && { pid, group: stat.group, started: `${boot}:${stat.ticks}`, ...runIdIn(readOr(`/proc/${pid}/environ`)) };
  };
  const pids = (): number[] => readdirSync("/proc").filter(name => /^\d+$/.test(name)).map(Number);
  return {
    self: { pid: process.pid, group: read(process.pid)?.group ?? process.pid, ...runIdOf(process.env[RUN_ID]) },
    startOf: pid => {
      const stat = parseStat(readOr(`/proc/${pid}/stat`) ?? "", true);
      return stat ? `${boot}:${stat.ticks}` : "";
    },
    sameStart,
    living: async (of = pids()) => of.map(read).filter(entry => entry !== undefined),
    signal: posixSignal,
  };
}

/** `pid (name) state ppid pgrp … starttime …`, where the name may hold anything (proc_pid_stat(5)). A zombie is none, unless asked for. */
export function parseStat(stat: string, zombies = false): { readonly group: number; readonly ticks: string } | undefined {
  const [state, , group, ...rest] = stat.slice(stat.lastIndexOf(")") + 2).trim().split(" ");
  const ticks = rest[16];
  if (!state || !ticks || (!zombies && "ZXx".includes(state))) return undefined;
  return { group: Number(group), ticks };
}

const PS = ["-ww", "-o", "pid=,pgid=,stat=,lstart=,command="];

function psTable(tools: SystemTools): ProcessTable {
  const read = (pid: number): ProcessEntry | undefined => parsePs(tools.now("ps", ["-p", String(pid), ...PS]) ?? "", true)[0];
  return {
    self: { pid: process.pid, group: read(process.pid)?.group ?? process.pid, ...runIdOf(process.env[RUN_ID]) },
    startOf: pid => read(pid)?.started ?? "",
    sameStart,
    // -E: the environment behind the command, of our own processes
    living: async pids => parsePs(await tools.soon("ps", ["-E", ...(pids ? ["-p", pids.join(",")] : ["-ax"]), ...PS]) ?? ""),
    signal: posixSignal,
  };
}

/** Lines of `ps -o pid=,pgid=,stat=,lstart=,command=`. Start times have seconds only, which pids do not come round in. */
export function parsePs(output: string, zombies = false): ProcessEntry[] {
  return [...output.matchAll(/^ *(\d+) +(\d+) +(\S+) +(\w{3} +\w{3} +\d+ +[\d:]+ +\d{4}) (.*)$/gm)].flatMap(([, pid, group, state = "", started = "", rest = ""]) =>
    state.startsWith("Z") && !zombies ? [] : [{ pid: Number(pid), group: Number(group), started: started.replaceAll(/ +/g, " "), ...runIdIn(rest.replaceAll(" ", "\0")) }]);
}

/** No tool is waited for where a child is started: it takes a second. Its start time is our own clock's, give or take. */
const WINDOWS_TOLERANCE_MS = 3000;
const CIM = "Get-CimInstance Win32_Process | Where-Object CreationDate | ForEach-Object { \"$($_.ProcessId) $(([DateTimeOffset]$_.CreationDate).ToUnixTimeMilliseconds())\" }";

function windowsTable(tools: SystemTools): ProcessTable {
  return {
    self: { pid: process.pid, group: process.pid, ...runIdOf(process.env[RUN_ID]) },
    startOf: pid => String(Math.round(pid === process.pid ? performance.timeOrigin : Date.now())),
    sameStart: (a, b) => a !== "" && b !== "" && Math.abs(Number(a) - Number(b)) <= WINDOWS_TOLERANCE_MS,
    living: async pids => {
      const output = await tools.soon("powershell", ["-NoProfile", "-NonInteractive", "-Command", CIM]) ?? "";
      const all = [...output.matchAll(/^(\d+) (\d+)\r?$/gm)].map(([, pid, started = ""]) => ({ pid: Number(pid), group: Number(pid), started }));
      return pids ? all.filter(({ pid }) => pids.includes(pid)) : all;
    },
    signal: target => void tools.soon("taskkill", ["/T", "/F", "/PID", String("pid" in target ? target.pid : target.group)]),
  };
}

function sameStart(a: string, b: string): boolean { return a !== "" && a === b; }

function posixSignal(target: Target, signal: NodeJS.Signals): void {
  const id = "pid" in target ? target.pid : -target.group;
  if (Math.abs(id) <= 1) return; // 0 and -1 mean many others
  try { process.kill(id, signal); } catch { /* gone, or not ours */ }
}

/** The run id in an environment whose variables are separated by NUL. */
function runIdIn(environ: string | undefined): { readonly runId?: string } {
  return runIdOf(environ?.match(RUN_ID_VARIABLE)?.[1]);
}
const RUN_ID_VARIABLE = new RegExp(`(?:^|\\0)${RUN_ID}=([^\\0]*)`);

function runIdOf(runId: string | undefined): { readonly runId?: string } { return runId ? { runId } : {}; }

function readOr(file: string): string | undefined {
  try { return readFileSync(file, "latin1"); } catch { return undefined; }
}
