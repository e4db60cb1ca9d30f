import { deepEqual } from "node:assert/strict";
import type { Permission } from "../../../src/protocol/chat/chat";
import { permissionBody } from "./permission-content";

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
const body = (input: unknown, rest: Partial<Permission> = {}): readonly string[] =>
  permissionBody({ ...question, input: typeof input === "string" ? input : JSON.stringify(input), ...rest }, "/w");

suite("content of a permission request", () => {
  test("is a command with its folder and its other parameters", () => {
    deepEqual(body({ command: "rm -r build", cwd: "/w/packages/web", timeout: 5 }), [
      "**Title**",
      "```sh\nrm -r build\n```",
      "in packages\\/web",
      "timeout: 5",
    ]);
    deepEqual(body({ command: "ls", cwd: "/w" }, { title: "`ls`" }), ["```sh\nls\n```"]);
    deepEqual(body({ command: ["rm", "a b"] }, { title: "" }), ["```sh\nrm 'a b'\n```"]);
  });

  test("is the address of a fetch", () => {
    deepEqual(body({ url: "https://a.example/x", prompt: "Sum up" }, { toolKind: "fetch" }), [
      "```text\nhttps://a.example/x\n```",
      "prompt: Sum up",
    ]);
  });

  test("is a row for each parameter of another request, and a block for a long one", () => {
    deepEqual(body({ path: "/w/a", deep: { x: 1 }, text: "a\nb" }, { toolKind: "other" }), [
      "**Title**",
      "path: \\/w\\/a",
      "deep:",
      '```json\n{\n  "x": 1\n}\n```',
      "text:",
      "```text\na\nb\n```",
    ]);
    deepEqual(body("not JSON"), ["**Title**", "```text\nnot JSON\n```"]);
    deepEqual(body(["a"]), ["**Title**", '```json\n["a"]\n```']);
  });

  test("is a row for a list of plain values, unless a value contains the separator", () => {
    deepEqual(body({ labels: ["bug", 2], names: ["a, b"] }, { title: "", toolKind: "other" }), [
      "labels: bug\\, 2",
      "names:",
      '```json\n[\n  "a, b"\n]\n```',
    ]);
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
      ["**Title**", "replace\\_all: true", "extra: hidden"],
    );
  });

  test("shows hidden characters", () => {
    deepEqual(body({ "na\u202eme": "va\u200blue" }, { toolKind: "other", title: "" }), [
      "na⟦U\\+202E⟧me: va⟦U\\+200B⟧lue",
    ]);
  });
});
