/**
 * The address of an `extension.json` (or `agent.json`), from what a person copies out of a browser: of a page on GitHub
 * the file itself. Pure.
 */
import { secureUrl } from "../../http/address";

/**
 * `file`: what is meant where a repository is named and no file in it. `loopback`: this computer may be asked over
 * http.
 */
export function documentAddress(
  text: string,
  file: string,
  { loopback = true }: { readonly loopback?: boolean } = {},
): { readonly url: string } | { readonly wrong: string } {
  const given = text.trim(),
    url = secureUrl(given, { loopback });
  if (!url) return { wrong: /^http:/i.test(given) ? "The address is not https." : "This is no https address." };
  switch (url.hostname) {
    case "github.com":
    case "www.github.com":
      return ofGitHub(url, file);
    case "gist.github.com":
      return ofGist(url);
    default:
      return { url: url.href };
  }
}

const GITHUB = "https://github.com",
  RAW = "https://raw.githubusercontent.com",
  GISTS = "https://gist.githubusercontent.com",
  GIST_PAGES = "https://gist.github.com";

/** Pages that show a file, or say something about each of its lines. */
const OF_FILES: ReadonlySet<string> = new Set(["blob", "raw", "blame", "edit"]);

/**
 * github.com/OWNER/REPOSITORY, …/blob/REF/PATH, …/raw/REF/PATH, …/tree/REF/FOLDER. A REF with a slash in it cannot be
 * told from a folder, which does not matter: both are joined again.
 */
function ofGitHub(url: URL, file: string): { readonly url: string } | { readonly wrong: string } {
  const [owner, name, view, ...rest] = url.pathname.split("/").filter(part => part !== "");
  const repository = name?.replace(/\.git$/, "");
  if (owner === undefined || repository === undefined || repository === "")
    return { wrong: "The address is of no repository on GitHub." };
  const raw = (...parts: readonly string[]): { readonly url: string } => ({
    url: [RAW, owner, repository, ...parts].join("/"),
  });
  if (view === undefined) return raw("HEAD", file);
  if (OF_FILES.has(view) && rest.length > 1) return raw(...rest);
  if (view === "tree" && rest.length > 0)
    return rest.length > 1 && /\.json$/i.test(rest.at(-1) ?? "") ? raw(...rest) : raw(...rest, file);
  // What was published with a release is where it says.
  if (view === "releases" && rest.includes("download")) return { url: `${GITHUB}${url.pathname}` };
  return { wrong: `This page of GitHub shows no file. Open ${file} there, and copy its address.` };
}

/**
 * gist.github.com/OWNER/ID, …#file-NAME-json, …/raw/…; without its owner it leads on to the one with. Where no file is
 * named it is the gist's first.
 */
function ofGist({ pathname, hash }: URL): { readonly url: string } | { readonly wrong: string } {
  const parts = pathname.split("/").filter(part => part !== ""),
    [owner, id, ...more] = /^[0-9a-f]{20,}$/.test(parts[0] ?? "") ? [undefined, ...parts] : parts;
  if (id === undefined || !/^[0-9a-f]+$/.test(id))
    return { wrong: "The address is of no gist. Open the gist, and copy its address." };
  const place = owner === undefined ? [GIST_PAGES, id] : [GISTS, owner, id],
    named = /^#file-(.+)-json$/.exec(hash)?.[1];
  if (more[0] === "raw") return { url: [...place, ...more].join("/") };
  if (more.length > 0)
    return { wrong: "This is an earlier version of a gist. Open its file by “Raw”, and copy that address." };
  return { url: [...place, "raw", ...(named === undefined ? [] : [`${named}.json`])].join("/") };
}
