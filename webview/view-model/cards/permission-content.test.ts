import { deepEqual } from "node:assert/strict";
import type { Permission } from "../../../src/protocol/chat/chat";
import { permissionBody } from "./permission-content";
import { valueLine, valueList } from "./value-list";

const question: Permission = {
  kind: "permission",
  id: "q",
  agent: "A",
  toolEntryId: "t",
  title: "Title",
  toolKind: "execute",
  content: [],
  options: [],
};
const list = (...lines: readonly (readonly [name: string, value: string])[]): string =>
  valueList(lines.map(([name, value]) => valueLine(name, value) ?? ""));
const body = (input: unknown, rest: Partial<Permission> = {}): readonly string[] =>
  permissionBody({ ...question, input: typeof input === "string" ? input : JSON.stringify(input), ...rest }, "/w");

suite("content of a permission request", () => {
  test("is a command with its folder and its other parameters", () => {
    deepEqual(body({ command: "rm -r build", cwd: "/w/packages/web", timeout: 5 }), [
      "**Title**",
      "```sh\nrm -r build\n```",
      "in packages\\/web",
      list(["timeout", "5"]),
    ]);
    deepEqual(body({ command: "ls", cwd: "/w" }, { title: "`ls`" }), ["```sh\nls\n```"]);
    deepEqual(body({ command: ["rm", "a b"] }, { title: "" }), ["```sh\nrm 'a b'\n```"]);
  });

  test("is the address of a fetch", () => {
    deepEqual(body({ url: "https://a.example/x", prompt: "Sum up" }, { toolKind: "fetch" }), [
      "```text\nhttps://a.example/x\n```",
      list(["prompt", "Sum up"]),
    ]);
  });

  test("is a line for each parameter of another request, and a block for a long one", () => {
    deepEqual(body({ path: "/w/a", n: 1, text: "a\nb", rest: "c" }, { toolKind: "other" }), [
      "**Title**",
      list(["path", "/w/a"], ["n", "1"]),
      "text:",
      "```text\na\nb\n```",
      list(["rest", "c"]),
    ]);
    deepEqual(body({ deep: { a: { b: { c: { d: { e: { f: 1 } } } } } } }, { title: "", toolKind: "other" }), [
      "deep:",
      `\`\`\`json\n${JSON.stringify({ a: { b: { c: { d: { e: { f: 1 } } } } } }, undefined, 2)}\n\`\`\``,
    ]);
    deepEqual(body("not JSON"), ["**Title**", "```text\nnot JSON\n```"]);
    deepEqual(body(["a"]), ["**Title**", '```json\n["a"]\n```']);
  });

  test("omits a title that only names the file of the diff", () => {
    const content = [{ kind: "diff", path: "/w/src/a.ts", newText: "x" }] as const,
      titled = (title: string) => body({}, { title, content });
    for (const title of ["Edit src/a.ts", "Edit `/w/src/a.ts`", "src/a.ts"]) deepEqual(titled(title), [], title);
    deepEqual(titled("Delete b, edit src/a.ts"), ["**Delete b\\, edit src\\/a\\.ts**"]);
  });

  test("omits the parameters that a diff shows, and no others", () => {
    deepEqual(
      body(
        { file_path: "/w/a", old_string: "x", new_string: "y", replace_all: true, extra: "hidden" },
        { toolKind: "edit", content: [{ kind: "diff", path: "/w/a", oldText: "x", newText: "y" }] },
      ),
      ["**Title**", list(["replace_all", "true"], ["extra", "hidden"])],
    );
  });
});
