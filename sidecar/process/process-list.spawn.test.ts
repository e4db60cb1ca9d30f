import { deepEqual, equal, ok } from "node:assert/strict";
import { RUN_ID } from "./child-environment";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { parseCpu, parsePs, parsePsTimes, parseStat, parseTreeTimes, processTable } from "./process-list";
import { systemTools } from "./stdio-process";

const silent = { now: () => undefined, soon: () => Promise.resolve(undefined) };

suite("process table", () => {
  test("parses names with spaces and parentheses in /proc", () => {
    const rest = "S 1 42 42 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 987654 1000 10";
    deepEqual(parseStat(`42 (a) b (c) ${rest}`), { group: 42, parent: 1, ticks: "987654" });
    equal(parseStat(`42 (x) ${rest.replace("S", "Z")}`), undefined);
    deepEqual(parseStat(`42 (x) ${rest.replace("S", "Z")}`, true), { group: 42, parent: 1, ticks: "987654" });
    equal(parseStat(""), undefined);
  });

  test("parses ps output with and without an environment", () => {
    deepEqual(
      parsePs(
        [
          `  501   500   501 S    Sat Nov  1 09:08:07 2026 node agent.js PATH=/bin ${RUN_ID}=run.1 HOME=/Users/a b`,
          "  502   501   501 Z    Sat Nov 21 09:08:07 2026 (node)",
          "99999     2     1 Ss+  Sat Nov 21 09:08:08 2026 /bin/sh -c x=1 y",
          "nonsense",
          "",
        ].join("\n"),
      ),
      [
        { pid: 501, group: 501, parent: 500, started: "Sat Nov 1 09:08:07 2026", runId: "run.1" },
        { pid: 99999, group: 1, parent: 2, started: "Sat Nov 21 09:08:08 2026" },
      ],
    );
  });

  test("reads creation times on Windows with a tolerance", async () => {
    const asked: (readonly string[])[] = [];
    const table = processTable(
      {
        now: () => undefined,
        soon: (command, args) => {
          asked.push([command, ...args]);
          return Promise.resolve("4 1700000000000\r\n88 1700000001000\r\n\r\nnoise\r\n");
        },
      },
      "win32",
    );
    deepEqual(await table.living([88]), [{ pid: 88, group: 88, started: "1700000001000" }]);
    ok(table.sameStart("1700000001000", "1700000002500"));
    ok(!table.sameStart("1700000001000", "1700000009000") && !table.sameStart("", "") && !table.sameStart("0", ""));
    table.signal({ group: 88 }, "SIGTERM");
    deepEqual(asked.at(-1), ["taskkill", "/T", "/F", "/PID", "88"]);
  });

  test("reads the CPU time of a process tree from /proc, ps and PowerShell", () => {
    deepEqual(parseCpu("42 (a) b (c) S 1 41 42 0 -1 4194304 1 2 3 4 150 50 1000 300 20 0 1 0 987654 1000 10"), {
      pid: 42,
      parent: 1,
      group: 41,
      seconds: 15,
    });
    deepEqual([parseCpu(""), parseCpu("42 (x) S 1 42 42")], [undefined, undefined]);
    equal(
      parsePsTimes(
        "  501 1 501   0:01.50\n  502 1 501 1-02:03:04\n  503 501 503 0:10\n504 503 504 0:20\n99 1 99 10:00\nnonsense\n",
        501,
      ),
      1.5 + 86_400 + 2 * 3600 + 3 * 60 + 4 + 10 + 20,
    );
    equal(parsePsTimes("99 1 99 10:00\n", 501), undefined);
    equal(parseTreeTimes("10 1 10000000\r\n12 11 5000000\r\n11 10 20000000\r\n13 1 90000000\r\n", 10), 3.5);
    equal(parseTreeTimes("", 10), undefined);
  });

  for (const platform of process.platform === "win32"
    ? ["win32"]
    : process.platform === "linux"
      ? ["linux", "darwin"]
      : [process.platform]) {
    const BUSY =
      "const used=()=>{const{user,system}=process.cpuUsage();return user+system};while(used()<11e5);console.log(1);process.stdin.resume()";
    /** Starts the busy program in another group. It exits with its parent, which closes its input. */
    const PARENT = `require("child_process").spawn(process.execPath,["-e",${JSON.stringify(BUSY)}],{detached:true,stdio:["pipe","inherit","inherit"]})`;
    for (const [name, code] of [
      ["a busy group", BUSY],
      ["a busy descendant in another group", PARENT],
    ] as const)
      test(`reports growing CPU time of ${name}, and undefined when it exited (${platform})`, async () => {
        const { cpuSeconds } = processTable(systemTools, platform);
        const child = spawn(process.execPath, ["-e", code], { detached: true, stdio: ["pipe", "pipe", "inherit"] });
        const group = child.pid ?? 0;
        await once(child.stdout, "data");
        ok(((await cpuSeconds(group)) ?? 0) >= 1);
        child.kill("SIGKILL");
        await once(child, "close");
        equal(await cpuSeconds(group), undefined);
      });
  }

  test("is empty without system tools, and unknown start times never match", async () => {
    for (const platform of ["darwin", "win32"]) deepEqual(await processTable(silent, platform).living(), []);
    const { startOf, sameStart } = processTable(silent, "darwin");
    equal(startOf(process.pid), "");
    ok(!sameStart("", ""));
  });

  for (const platform of process.platform === "linux" ? ["linux", "darwin"] : [process.platform]) {
    test(`contains this process (${platform})`, async () => {
      // ps of Linux has no -E; otherwise it is equivalent
      const table = processTable(
        {
          ...systemTools,
          soon: (command, args) =>
            systemTools.soon(
              command,
              args.filter(arg => arg !== "-E"),
            ),
        },
        platform,
      );
      const [self] = await table.living([process.pid]);
      ok(self && table.sameStart(self.started, table.startOf(process.pid)));
      equal(self.pid, table.self.pid);
      equal(self.group, table.self.group);
      equal(self.parent, process.ppid);
      ok((await table.living()).some(({ pid }) => pid === process.pid));
    });
  }

  test("never signals special pids and ignores missing processes", () => {
    const kill = process.kill;
    const killed: number[] = [];
    process.kill = id => {
      killed.push(id);
      throw new Error("ESRCH");
    };
    try {
      const { signal } = processTable(silent, "linux");
      for (const id of [-1, 0, 1, 7]) {
        signal({ pid: id }, "SIGKILL");
        signal({ group: id }, "SIGKILL");
      }
    } finally {
      process.kill = kill;
    }
    deepEqual(killed, [7, -7]);
  });
});
