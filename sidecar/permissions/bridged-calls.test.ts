import { deepEqual, equal } from "node:assert/strict";
import { bridgedClaim, QualifiedNames } from "./bridged-calls";

suite("bridged tool name", () => {
  const names = new QualifiedNames("vsctools", { all: ["find", "find_all"] });

  test("is recognized only in the known spellings", () => {
    for (const name of [
      "mcp__vsctools__find",
      "mcp_vsctools_find_all",
      "vsctools__find",
      "vsctools_find",
      "vsctools-find",
      "vsctools/find",
      "vsctools.find",
      "vsctools:find",
      "vsctools::find",
      "mcp.vsctools.find",
    ])
      equal(names.toolNamed(name)?.startsWith("find"), true, name);
    for (const name of [
      "find",
      "mcp__vsctools2__find",
      "mcp__vsctools__gone",
      "mcp__vsctools__find ",
      " mcp__vsctools__find",
      "mcp__vsctools__",
      "xmcp__vsctools__find",
      "Bash",
      "",
    ])
      equal(names.toolNamed(name), undefined, name);
  });

  test("is recognized at the start of a call id", () => {
    for (const id of ["mcp_vsctools_find-1763770000000-1", "mcp__vsctools__find_all_7", "vsctools_find_1"])
      equal(names.toolOfId(id)?.startsWith("find"), true, id);
    for (const id of [
      "toolu_01ABC",
      "mcp_vsctools_find",
      "mcp_vsctools_finder-1",
      "x_mcp_vsctools_find-1",
      "run_shell_command-17-mcp_vsctools_find-1",
      "",
    ])
      equal(names.toolOfId(id), undefined, id);
  });
});

suite("bridged call", () => {
  test("is proved only after the agent has listed the server's tools", () => {
    let isListed = false;
    const names = new QualifiedNames("vsctools", { all: ["find"], isListed: () => isListed }),
      report = { toolCallId: "c", name: "mcp__vsctools__find", rawInput: { text: "a" } };
    deepEqual(bridgedClaim([report], names), { kind: "reference", tool: "find", args: { text: "a" } });
    isListed = true;
    deepEqual(bridgedClaim([report], names), { kind: "proved", tool: "find", args: { text: "a" } });
  });
});
