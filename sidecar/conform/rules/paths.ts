/** Accepts absolute paths of any platform, because a recording may come from another computer. */
import { posix, win32 } from "node:path";
import { arrayOr, objectOr, type JsonObject } from "../../rpc/json";

export function isAbsolutePath(path: string): boolean {
  return posix.isAbsolute(path) || win32.isAbsolute(path);
}

/** Paths of a tool call or its update that the client resolves: locations and diffs, but not the input and output. */
export function toolCallPaths(toolCall: JsonObject): readonly string[] {
  const content = arrayOr(toolCall.content)
    .map(objectOr)
    .filter(({ type }) => type === "diff");
  const changes = content.flatMap(({ changes }) => arrayOr(changes));
  return [...arrayOr(toolCall.locations), ...content, ...changes]
    .map(objectOr)
    .flatMap(({ path, oldPath }) => [path, oldPath])
    .filter(path => typeof path === "string");
}
