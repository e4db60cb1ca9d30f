/**
 * Converts an address copied from a browser to the address of an `extension.json` or `agent.json`. GitHub pages are
 * converted to the file itself. Pure.
 */
import * as l10n from "@vscode/l10n";
import { secureUrl } from "../../http/secure-url";

/** `file`: default file of a repository address. `loopback`: allows http addresses of this computer. */
export function documentAddress(
  text: string,
  file: string,
  { loopback = true }: { readonly loopback?: boolean } = {},
): { readonly url: string } | { readonly wrong: string } {
  const trimmed = text.trim(),
    url = secureUrl(trimmed, { loopback });
  if (!url)
    return { wrong: /^http:/i.test(trimmed) ? l10n.t("The URL is not https.") : l10n.t("This is not an https URL.") };
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

/** GitHub pages that show or annotate a file. */
const OF_FILES: ReadonlySet<string> = new Set(["blob", "raw", "blame", "edit"]);

/**
 * Supports github.com/OWNER/REPOSITORY, …/blob/REF/PATH, …/raw/REF/PATH and …/tree/REF/FOLDER. A slash in REF is
 * ambiguous, but harmless because both parts are joined again.
 */
function ofGitHub(url: URL, file: string): { readonly url: string } | { readonly wrong: string } {
  const [owner, name, view, ...rest] = url.pathname.split("/").filter(part => part !== "");
  const repository = name?.replace(/\.git$/, "");
  if (owner === undefined || repository === undefined || repository === "")
    return { wrong: l10n.t("The URL is not a GitHub repository.") };
  const raw = (...parts: readonly string[]): { readonly url: string } => ({
    url: [RAW, owner, repository, ...parts].join("/"),
  });
  if (view === undefined) return raw("HEAD", file);
  if (OF_FILES.has(view) && rest.length > 1) return raw(...rest);
  if (view === "tree" && rest.length > 0)
    return rest.length > 1 && /\.json$/i.test(rest.at(-1) ?? "") ? raw(...rest) : raw(...rest, file);
  // The address of a release asset is already a download.
  if (view === "releases" && rest.includes("download")) return { url: `${GITHUB}${url.pathname}` };
  return { wrong: l10n.t`This GitHub page shows no file. Open ${file} there, and copy its URL.` };
}

/**
 * Supports gist.github.com/OWNER/ID, …#file-NAME-json and …/raw/…. GitHub redirects an address without an owner.
 * Without a file name, the first file of the gist is used.
 */
function ofGist({ pathname, hash }: URL): { readonly url: string } | { readonly wrong: string } {
  const parts = pathname.split("/").filter(part => part !== ""),
    [owner, id, ...surplus] = /^[0-9a-f]{20,}$/.test(parts[0] ?? "") ? [undefined, ...parts] : parts;
  if (id === undefined || !/^[0-9a-f]+$/.test(id))
    return { wrong: l10n.t("The URL is not a gist. Open the gist, and copy its URL.") };
  const place = owner === undefined ? [GIST_PAGES, id] : [GISTS, owner, id],
    named = /^#file-(.+)-json$/.exec(hash)?.[1];
  if (surplus[0] === "raw") return { url: [...place, ...surplus].join("/") };
  if (surplus.length > 0)
    return { wrong: l10n.t("This is an earlier version of a gist. Open its file with “Raw”, and copy that URL.") };
  return { url: [...place, "raw", ...(named === undefined ? [] : [`${named}.json`])].join("/") };
}
