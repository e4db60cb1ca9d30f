/**
 * Implements `search.ts` with the user's ripgrep or VS Code's bundled ripgrep.
 *
 * Invariants: if ripgrep cannot run a search (for example an old version), the fallback search runs instead. Ripgrep is
 * stopped at the limit of the results.
 */
import { StringDecoder } from "node:string_decoder";
import path from "node:path";
import { AgentError } from "../../errors";
import type { ExtensionDeps } from "../extension";
import { ToolFailure } from "../tool";
import {
  MAX_LINE_LENGTH,
  SEARCH_MS,
  TOOK_TOO_LONG,
  type Search,
  type SearchEnd,
  type SearchPlace,
} from "./search-backend";

/** Environment variable with the path of the editor's ripgrep. */
export const RIPGREP = "SYMPOSIUM_RIPGREP";

type Deps = Pick<ExtensionDeps, "run" | "clock" | "log">;

/** The path of ripgrep. Undefined if it is not installed. */
export async function findRipgrep({
  find,
  environment,
}: Pick<ExtensionDeps, "find" | "environment">): Promise<string | undefined> {
  const given = (await environment())[RIPGREP];
  return (given === undefined || !path.isAbsolute(given) ? undefined : await find(given)) ?? (await find("rg"));
}

/** `fallback`: for searches that ripgrep cannot run. */
export function ripgrepSearch(program: string, deps: Deps, fallback: Search): Search {
  return {
    async files(place, found, signal) {
      const pieces = new Pieces("\0", file => found(place.isFile ? "" : slashes(file)));
      return (
        (await run(program, place, ["--files", "--null"], pieces, signal, deps)) ?? fallback.files(place, found, signal)
      );
    },
    async lines(place, query, found, signal) {
      const names = query.names === undefined ? [] : ["--type-add", `wanted:${query.names}`, "--type", "wanted"];
      const report = (file: string, line: number, text: string): boolean =>
        (place.isFile || query.takes(slashes(file))) && found(place.isFile ? "" : slashes(file), line, text);
      const pieces = new Pieces("\n", piece => lineOf(piece, report));
      return (
        (await run(
          program,
          place,
          [
            "--engine=auto",
            "--line-number",
            "--no-heading",
            "--with-filename",
            "--null",
            "--max-columns",
            "4000",
            "--max-columns-preview",
            ...names,
            `--regexp=${query.pattern}`,
          ],
          pieces,
          signal,
          deps,
        )) ?? fallback.lines(place, query, found, signal)
      );
    },
  };
}

interface Reader {
  /** Returns true to stop the search. */
  push(text: string): boolean;
}

/** Hidden files are searched, as in VS Code. Rules of `.gitignore` also apply outside of a repository. */
const ALWAYS = ["--no-config", "--hidden", "--no-require-git", "--glob=!.git", "--color=never", "--no-messages"];

export const INCOMPLETE = "Some files or folders could not be searched.";

class ResultLimitReached extends Error {}
class TimeLimitReached extends Error {}

/** `undefined`: ripgrep could not run the search. */
async function run(
  program: string,
  place: SearchPlace,
  args: readonly string[],
  reader: Reader,
  signal: AbortSignal,
  deps: Deps,
): Promise<SearchEnd | undefined> {
  const done = new AbortController(),
    decoder = new StringDecoder(),
    cwd = place.isFile ? path.dirname(place.real) : place.real;
  using _timer = deps.clock.after(SEARCH_MS, () => done.abort(new TimeLimitReached()));
  const onStdout = (chunk: Buffer): void => {
    if (!done.signal.aborted && reader.push(decoder.write(chunk))) done.abort(new ResultLimitReached());
  };
  try {
    const {
      exit: { code },
      stderr,
    } = await deps.run(
      {
        name: "ripgrep",
        command: program,
        args: [...ALWAYS, ...args, "--", place.isFile ? path.basename(place.real) : "."],
        env: {},
        cwd,
      },
      { signal: AbortSignal.any([signal, done.signal]), stdout: onStdout, quietMs: 2 * SEARCH_MS },
    );
    if (code === 0 || code === 1) return {};
    // Code 2: at least one file could not be read, even if other files match. `--no-messages` suppresses the message.
    if (code === 2 && stderr.trim() === "") return { note: INCOMPLETE };
    if (/regex|PCRE2/i.test(stderr))
      throw new ToolFailure(
        `The pattern is not a supported regular expression. Escape literal characters with a backslash. ${firstError(stderr)}`,
      );
    deps.log("warn", "ripgrep could not search; the built-in search is used", {
      program,
      code,
      stderr: stderr.slice(-500),
    });
    return undefined;
  } catch (error) {
    if (error instanceof ResultLimitReached) return {};
    if (error instanceof TimeLimitReached) return { note: TOOK_TOO_LONG };
    if (!(error instanceof AgentError)) throw error;
    deps.log("warn", "ripgrep could not be started; the built-in search is used", { program, error: error.message });
    return undefined;
  }
}

function firstError(stderr: string): string {
  return /error: (?!.*engine)(.*)/.exec(stderr)?.[0] ?? stderr.split("\n")[0] ?? "";
}

function slashes(file: string): string {
  return file.replaceAll("\\", "/").replace(/^\.\//, "");
}

/** Splits text into pieces that each end with `mark`. */
class Pieces implements Reader {
  #rest = "";

  constructor(
    private readonly mark: string,
    private readonly notify: (piece: string) => boolean,
  ) {}

  push(text: string): boolean {
    const pieces = (this.#rest + text).split(this.mark);
    this.#rest = pieces.pop() ?? "";
    return pieces.some(this.notify);
  }
}

/** Parses `file\0line:text`. Ripgrep truncates a long line to its beginning. */
function lineOf(piece: string, notify: (file: string, line: number, text: string) => boolean): boolean {
  const [, file, line, text = ""] = /^([^\0]*)\0(\d+):(.*)$/s.exec(piece) ?? [];
  return file !== undefined && notify(file, Number(line), text.replace(/\r$/, "").slice(0, MAX_LINE_LENGTH));
}
