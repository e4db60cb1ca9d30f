/**
 * Lists the processes of this computer and signals them. Linux uses `/proc`, macOS uses `ps`. Windows uses PowerShell
 * and `taskkill`, without process groups and environments, as best effort.
 *
 * Invariant: equal start times mean the same process, also after a reboot. A process id alone does not identify a
 * process.
 */
import { closeSync, openSync, readdirSync, readlinkSync, readSync } from "node:fs";
import { hostname } from "node:os";
import { RUN_ID } from "./child-environment";

export interface ProcessEntry {
  readonly pid: number;
  /** Process group. On Windows, the process id. */
  readonly group: number;
  /** Parent process id, if the table contains one. */
  readonly parent?: number;
  /** Opaque; compare with `sameStart`. */
  readonly started: string;
  /** `SYMPOSIUM_RUN_ID` in its initial environment, where readable. */
  readonly runId?: string;
}

export type Target = { readonly pid: number } | { readonly group: number };

export interface ProcessTable {
  /** Identifies the computer or container of this table. Process ids are valid only within it. */
  readonly computer: string;
  /** Whether run ids of other processes are readable. */
  readonly showsRunIds: boolean;
  /** This process. It is never a target. */
  readonly self: { readonly pid: number; readonly group: number; readonly runId?: string };
  /**
   * Start time of this process or of a child that was just started. Synchronous. Returns "" if unavailable, which
   * equals no other value.
   */
  startOf(pid: number): string;
  sameStart(a: string, b: string): boolean;
  /** Returns the living processes (no zombies): all, or those in `pids`. Empty when the system provides no list. */
  living(pids?: readonly number[]): Promise<readonly ProcessEntry[]>;
  /**
   * CPU seconds used so far by the living processes of this group and their descendants in other groups; on Linux also
   * by their reaped children. Undefined when unavailable.
   */
  cpuSeconds(group: number): Promise<number | undefined>;
  /** Ignores processes that are gone or may not be signalled. On Windows both signals end the whole tree. */
  signal(target: Target, signal: "SIGTERM" | "SIGKILL"): void;
}

/** Runs system programs. Both methods return stdout, or `undefined` on any failure. */
export interface SystemTools {
  now(command: string, args: readonly string[]): string | undefined;
  soon(command: string, args: readonly string[]): Promise<string | undefined>;
}

export function processTable(tools: SystemTools, platform: string = process.platform): ProcessTable {
  switch (platform) {
    case "linux":
      return linuxTable();
    case "win32":
      return windowsTable(tools);
    default:
      return psTable(tools);
  }
}

function linuxTable(): ProcessTable {
  const files = new SystemFiles();
  const boot = files.text("/proc/sys/kernel/random/boot_id").slice(0, 8);
  const read = (pid: number): ProcessEntry | undefined => {
    const stat = parseStat(files.text(`/proc/${pid}/stat`));
    if (!stat) return undefined;
    const { group, parent, ticks } = stat;
    return {
      pid,
      group,
      parent,
      started: `${boot}:${ticks}`,
      ...runIdOf(runIdIn(files.bytes(`/proc/${pid}/environ`))),
    };
  };
  const pids = (): number[] =>
    readdirSync("/proc")
      .filter(name => /^\d+$/.test(name))
      .map(Number);
  return {
    computer: `${hostname()} ${linkOr("/proc/self/ns/pid")}`,
    showsRunIds: true,
    self: { pid: process.pid, group: read(process.pid)?.group ?? process.pid, ...runIdOf(process.env[RUN_ID]) },
    startOf: pid => {
      const stat = parseStat(files.text(`/proc/${pid}/stat`), true);
      return stat ? `${boot}:${stat.ticks}` : "";
    },
    sameStart,
    living: async (selected = pids()) => selected.map(read).filter(entry => entry !== undefined),
    cpuSeconds: async group =>
      treeSeconds(
        pids()
          .map(pid => parseCpu(files.text(`/proc/${pid}/stat`)))
          .filter(entry => entry !== undefined),
        group,
      ),
    signal: posixSignal,
  };
}

/**
 * Parses `pid (name) state ppid pgrp … starttime …`; the name may contain any character (proc_pid_stat(5)). Returns
 * undefined for a zombie unless `zombies` is set.
 */
export function parseStat(
  stat: string,
  zombies = false,
): { readonly group: number; readonly parent: number; readonly ticks: string } | undefined {
  const [, state, parent, group, ticks] = STAT.exec(stat.slice(stat.lastIndexOf(")"))) ?? [];
  if (!state || !ticks || (!zombies && "ZXx".includes(state))) return undefined;
  return { group: Number(group), parent: Number(parent), ticks };
}

/** State, parent and group, and the start time after 16 more fields. */
const STAT = /^\) (\S) (\d+) (\d+) (?:\S+ ){16}(\d+)/;

/** Parses the CPU times of the same line. The kernel reports them in units of 1/100 s (USER_HZ). */
export function parseCpu(stat: string): CpuTime | undefined {
  const [, parent, group, ...rest] = stat
    .slice(stat.lastIndexOf(")") + 2)
    .trim()
    .split(" ");
  const ticks = rest.slice(8, 12).map(Number);
  return ticks.length === 4 && ticks.every(Number.isFinite)
    ? {
        pid: Number.parseInt(stat, 10),
        parent: Number(parent),
        group: Number(group),
        seconds: ticks.reduce((a, b) => a + b, 0) / 100,
      }
    : undefined;
}

interface CpuTime {
  readonly pid: number;
  readonly parent: number;
  /** Undefined where groups do not exist. */
  readonly group?: number;
  readonly seconds: number;
}

/** Sums the processes of the group, or with its id, and their descendants. Undefined if there are none. */
function treeSeconds(all: readonly CpuTime[], root: number): number | undefined {
  const tree = new Set(all.filter(({ pid, group }) => pid === root || group === root).map(({ pid }) => pid));
  for (let size = 0; size < tree.size; ) {
    size = tree.size;
    for (const { pid, parent } of all) if (tree.has(parent)) tree.add(pid);
  }
  return tree.size === 0 ? undefined : all.reduce((sum, { pid, seconds }) => sum + (tree.has(pid) ? seconds : 0), 0);
}

const PS = ["-ww", "-o", "pid=,ppid=,pgid=,stat=,lstart=,command="];

function psTable(tools: SystemTools): ProcessTable {
  const read = (pid: number): ProcessEntry | undefined =>
    parsePs(tools.now("ps", ["-p", String(pid), ...PS]) ?? "", true)[0];
  return {
    computer: hostname(),
    showsRunIds: true,
    self: { pid: process.pid, group: read(process.pid)?.group ?? process.pid, ...runIdOf(process.env[RUN_ID]) },
    startOf: pid => read(pid)?.started ?? "",
    sameStart,
    cpuSeconds: async group =>
      parsePsTimes((await tools.soon("ps", ["-ax", "-o", "pid=,ppid=,pgid=,time="])) ?? "", group),
    // -E: prints the environment after the command, for processes of the same user
    living: async pids =>
      parsePs((await tools.soon("ps", ["-E", ...(pids ? ["-p", pids.join(",")] : ["-ax"]), ...PS])) ?? ""),
    signal: posixSignal,
  };
}

const PS_LINE = /^ *(\d+) +(\d+) +(\d+) +(\S+) +(\w{3} +\w{3} +\d+ +[\d:]+ +\d{4}) (.*)$/gm;

/** Parses lines of `PS`. Start times have a resolution of one second, within which a pid is not reused. */
export function parsePs(output: string, zombies = false): ProcessEntry[] {
  return [...output.matchAll(PS_LINE)].flatMap(([, pid, parent, group, state = "", started = "", rest = ""]) => {
    if (state.startsWith("Z") && !zombies) return [];
    const ids = { pid: Number(pid), group: Number(group), parent: Number(parent) };
    return [
      {
        ...ids,
        started: started.replaceAll(/ +/g, " "),
        ...runIdOf(runIdIn(Buffer.from(rest.replaceAll(" ", "\0"), "latin1"))),
      },
    ];
  });
}

/** Parses lines of `ps -o pid=,ppid=,pgid=,time=`. A time is `[[days-]hours:]minutes:seconds[.hundredths]`. */
export function parsePsTimes(output: string, root: number): number | undefined {
  return treeSeconds(
    [...output.matchAll(/^ *(\d+) +(\d+) +(\d+) +(?:(\d+)-)?([\d:.]+) *$/gm)].map(
      ([, pid, parent, group, days = "0", time = ""]) => ({
        pid: Number(pid),
        parent: Number(parent),
        group: Number(group),
        seconds: time.split(":").reduce((total, part) => total * 60 + Number(part), 0) + Number(days) * 86_400,
      }),
    ),
    root,
  );
}

/**
 * Tolerance of start times. Running PowerShell takes a second, so the start time of a new child is taken from our own
 * clock.
 */
const WINDOWS_TOLERANCE_MS = 3000;
const CPU_TIMES =
  'Get-CimInstance Win32_Process | ForEach-Object { "$($_.ProcessId) $($_.ParentProcessId) $($_.KernelModeTime + $_.UserModeTime)" }';
const CIM =
  'Get-CimInstance Win32_Process | Where-Object CreationDate | ForEach-Object { "$($_.ProcessId) $(([DateTimeOffset]$_.CreationDate).ToUnixTimeMilliseconds())" }';

function windowsTable(tools: SystemTools): ProcessTable {
  return {
    computer: hostname(),
    showsRunIds: false,
    self: { pid: process.pid, group: process.pid, ...runIdOf(process.env[RUN_ID]) },
    startOf: pid => String(Math.round(pid === process.pid ? performance.timeOrigin : Date.now())),
    sameStart: (a, b) => a !== "" && b !== "" && Math.abs(Number(a) - Number(b)) <= WINDOWS_TOLERANCE_MS,
    living: async pids => {
      const output = (await tools.soon("powershell", ["-NoProfile", "-NonInteractive", "-Command", CIM])) ?? "";
      const all = [...output.matchAll(/^(\d+) (\d+)\r?$/gm)].map(([, pid, started = ""]) => ({
        pid: Number(pid),
        group: Number(pid),
        started,
      }));
      return pids ? all.filter(({ pid }) => pids.includes(pid)) : all;
    },
    cpuSeconds: async group =>
      parseTreeTimes(
        (await tools.soon("powershell", ["-NoProfile", "-NonInteractive", "-Command", CPU_TIMES])) ?? "",
        group,
      ),
    signal: target =>
      void tools.soon("taskkill", ["/T", "/F", "/PID", String("pid" in target ? target.pid : target.group)]),
  };
}

/** Parses lines `pid parent time` (units of 100 ns). */
export function parseTreeTimes(output: string, root: number): number | undefined {
  return treeSeconds(
    [...output.matchAll(/^(\d+) (\d+) (\d+)\r?$/gm)].map(([, pid, parent, time]) => ({
      pid: Number(pid),
      parent: Number(parent),
      seconds: Number(time) / 1e7,
    })),
    root,
  );
}

function sameStart(a: string, b: string): boolean {
  return a !== "" && a === b;
}

function posixSignal(target: Target, signal: NodeJS.Signals): void {
  const id = "pid" in target ? target.pid : -target.group;
  if (Math.abs(id) <= 1) return; // 0 and -1 address several processes
  try {
    process.kill(id, signal);
  } catch {
    /* gone, or not permitted */
  }
}

/** Finds the run id in a NUL-separated environment. */
export function runIdIn(environment: Buffer): string | undefined {
  const name = `${RUN_ID}=`,
    first = environment.indexOf(name);
  const at = first === 0 ? 0 : environment.indexOf(`\0${name}`) + 1;
  if (first === -1 || (at === 0 && first !== 0)) return undefined;
  const end = environment.indexOf(0, at);
  return environment.toString("latin1", at + name.length, end === -1 ? undefined : end);
}

function runIdOf(runId: string | undefined): { readonly runId?: string } {
  return runId ? { runId } : {};
}

function linkOr(file: string): string {
  try {
    return readlinkSync(file);
  } catch {
    return "";
  }
}

/**
 * Reads files of `/proc`. They report no size, and `readFileSync` would reserve a buffer for each file. A list of all
 * processes would then cost more memory than the rest of the program.
 */
class SystemFiles {
  #buffer = Buffer.allocUnsafeSlow(16 * 1024);

  /** Empty if the file is not readable. The bytes are valid until the next read. */
  bytes(file: string): Buffer {
    let descriptor: number | undefined;
    try {
      descriptor = openSync(file, "r");
      let length = 0;
      for (let read = -1; read !== 0; length += read) {
        if (length === this.#buffer.length) this.#buffer = Buffer.concat([this.#buffer], 2 * length);
        read = readSync(descriptor, this.#buffer, length, this.#buffer.length - length, null);
      }
      return this.#buffer.subarray(0, length);
    } catch {
      return this.#buffer.subarray(0, 0);
    } finally {
      if (descriptor !== undefined) closeSync(descriptor);
    }
  }

  text(file: string): string {
    return this.bytes(file).toString("latin1");
  }
}
