/**
 * Cost of snapshots (issue 21): the first snapshot of a large repository and those after tool calls against `git
 * status`, a folder without a repository against `git add`, and the bytes kept per turn against the bytes changed.
 */
import { rmSync } from "node:fs";
import path from "node:path";
import { compare, type Bench, type Measured } from "./measure";
import { Corpus, git, take } from "./review/corpus";

const BASELINE_GOAL = 1.5,
  TOOL_CALL_GOAL = 1.2;
const CONVERSATION = "bench";
/** A process without a store. */
const OTHER_PID = 999_999_999;
const STATUS = ["status", "--porcelain"] as const;

async function repository(corpus: Corpus, files: number, rounds: number): Promise<readonly Measured[]> {
  const folder = await corpus.repository("repository", files),
    size = `${files} files, 10 changed`;
  let session = 0;
  corpus.change(folder);
  await git(folder, ...STATUS);
  const status = (): Promise<void> => git(folder, ...STATUS);
  const first = await compare(
    `first snapshot of a repository: ${size}`,
    async () => {
      await using store = corpus.open(`first${session++}`);
      await take(store, folder);
    },
    "git status",
    status,
    rounds,
  );
  const next = await compare(
    "first snapshot of a later session",
    async () => {
      // The index of another process is always copied.
      await using store = corpus.open("first0", OTHER_PID - (session++ % 2));
      await take(store, folder);
    },
    "git status",
    status,
    rounds,
  );
  await using store = corpus.open("calls");
  await take(store, folder);
  const changed = await compare(
    "snapshot after a tool call that changed 10 files",
    () => {
      corpus.change(folder);
      return take(store, folder);
    },
    "git status",
    () => {
      corpus.change(folder);
      return status();
    },
    rounds,
  );
  const unchanged = await compare(
    "snapshot after a tool call without changes",
    () => take(store, folder),
    "git status",
    status,
    rounds,
  );
  const kept = await bytesPerTurn(corpus, folder);
  return [
    { ...first, goal: BASELINE_GOAL },
    { ...next, goal: BASELINE_GOAL },
    { ...changed, goal: TOOL_CALL_GOAL },
    { ...unchanged, goal: TOOL_CALL_GOAL },
    kept,
  ];
}

/** A turn with three tool calls, pinned from its start to its end. */
async function bytesPerTurn(corpus: Corpus, folder: string): Promise<Measured> {
  await using store = corpus.open("bytes");
  const trees = [(await take(store, folder)).tree],
    before = corpus.bytesOf("bytes");
  let changed = 0;
  for (let call = 0; call < 3; call++) {
    changed += corpus.change(folder);
    trees.push((await take(store, folder)).tree);
  }
  await store.pin(CONVERSATION, folder, trees);
  const kept = corpus.bytesOf("bytes") - before;
  return {
    what: "bytes kept for a turn of three calls that each change 10 files",
    yardstick: "bytes changed",
    ratio: kept / changed,
    megabytes: { candidate: kept / 1e6, yardstick: changed / 1e6 },
  };
}

async function plainFolder(corpus: Corpus, files: number, rounds: number): Promise<readonly Measured[]> {
  const folder = corpus.plainFolder("plain", files),
    gitFolder = path.join(corpus.folder, "plain.git"),
    asRepository = [`--git-dir=${gitFolder}`, `--work-tree=${folder}`] as const;
  let session = 0;
  const first = await compare(
    `first snapshot of a folder without a repository: ${files} files`,
    async () => {
      await using store = corpus.open(`plain${session++}`);
      await take(store, folder);
    },
    "git init and git add",
    async () => {
      rmSync(gitFolder, { recursive: true, force: true });
      await git(folder, ...asRepository, "init", "-q");
      await git(folder, ...asRepository, "add", "-A");
    },
    rounds,
  );
  await using store = corpus.open("plain-calls");
  await take(store, folder);
  const later = await compare(
    "… and after a tool call that changed 10 files",
    () => {
      corpus.change(folder);
      return take(store, folder);
    },
    "git add",
    () => {
      corpus.change(folder);
      return git(folder, ...asRepository, "add", "-A");
    },
    rounds,
  );
  return [first, later];
}

const bench: Bench = async ({ quick }) => {
  using corpus = new Corpus();
  return [
    ...(await repository(corpus, 100_000, quick ? 5 : 15)),
    ...(await plainFolder(corpus, 10_000, quick ? 2 : 5)),
  ];
};
export default bench;
