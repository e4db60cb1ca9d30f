import { equal } from "node:assert/strict";
import { QualifiedNames } from "./bridged-calls";

suite("bridged tool name", () => {
  const names = new QualifiedNames("vsc_ab12", { all: ["find", "find_all"] });

  test("is recognized only in the known spellings", () => {
    for (const name of [
      "mcp__vsc_ab12__find",
      "mcp_vsc_ab12_find_all",
      "vsc_ab12__find",
      "vsc_ab12_find",
      "vsc_ab12-find",
      "vsc_ab12/find",
      "vsc_ab12.find",
      "vsc_ab12:find",
      "vsc_ab12::find",
      "mcp.vsc_ab12.find",
    ])
      equal(names.toolNamed(name)?.startsWith("find"), true, name);
    for (const name of [
      "find",
      "mcp__vsc_ab13__find",
      "mcp__vsc_ab12__gone",
      "mcp__vsc_ab12__find ",
      " mcp__vsc_ab12__find",
      "mcp__vsc_ab12__",
      "xmcp__vsc_ab12__find",
      "Bash",
      "",
    ])
      equal(names.toolNamed(name), undefined, name);
  });

  test("is recognized at the start of a call id", () => {
    for (const id of ["mcp_vsc_ab12_find-1763770000000-1", "mcp__vsc_ab12__find_all_7", "vsc_ab12_find_1"])
      equal(names.toolOfId(id)?.startsWith("find"), true, id);
    for (const id of [
      "toolu_01ABC",
      "mcp_vsc_ab12_find",
      "mcp_vsc_ab12_finder-1",
      "x_mcp_vsc_ab12_find-1",
      "run_shell_command-17-mcp_vsc_ab12_find-1",
      "",
    ])
      equal(names.toolOfId(id), undefined, id);
  });
});
