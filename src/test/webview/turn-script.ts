/** A turn of the scripted agent: thoughts, plan, usage, reads, an edit, a failed command, an answer, and a question. */
const OLD = ["export function count(text) {", '  return text.split(" ").length;', "}", ""].join("\\n"),
  NEW = [
    "export function count(text) {",
    "  const words = text.trim().split(/\\\\s+/u);",
    '  return words[0] === "" ? 0 : words.length;',
    "}",
    "",
  ].join("\\n");

export const TURN = `title Count words properly
think The user wants words counted.
plan [x] Read the source | [>] Change the expression | Run the tests
usage 42000 200000 0.37 USD
tool a read Read src/count.mjs
toolupdate a completed locations=src/count.mjs text="export function count(text) {}"
tool b read Read src/lines.mjs
toolupdate b completed locations=src/lines.mjs text="export const lines = 1"
tool c search grep split
toolupdate c completed input={"pattern":"split("} text="src/count.mjs:2"
tool d edit Change src/count.mjs
toolupdate d completed locations=src/count.mjs:2 diff={"path":"src/count.mjs","oldText":"${OLD.replaceAll('"', '\\"')}","newText":"${NEW.replaceAll('"', '\\"')}"}
terminal node -e "console.log('ok 1 - counts'); console.error('not ok 2 - apostrophe'); process.exit(1)"
say The function now splits on any white space. One test still expects “don't” to count twice. I will rebuild before changing it.
ask q kind=execute title="rm -r build && npm run build" input={"command":"rm -r build && npm run build","cwd":"packages/web"} options=allow_once,allow_always,reject_once
toolupdate q completed`;
