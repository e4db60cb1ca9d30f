// Version, channel and notes of a release, from package.json and CHANGELOG.md. Pure; `release.mjs` reads the files.

/** The Marketplace accepts no other versions. */
const VERSION = /^(\d+)\.(\d+)\.(\d+)$/;
const HEADING = /^## \[([^\]\n]+)\](.*)$/gm;

/**
 * Whether a version is a pre-release, which the Marketplace offers only to users who opted in. These have an odd minor
 * number, because the Marketplace has no other mark in a version.
 */
export function isPrerelease(version) {
  return Number(VERSION.exec(version)?.[2]) % 2 === 1;
}

/** The released and unreleased versions of a changelog, in its order. `rest`: the heading after the version. */
export function sectionsOf(changelog) {
  const headings = [...changelog.matchAll(HEADING)];
  return headings.map(({ 0: heading, 1: version, 2: rest, index }, i) => ({
    version,
    rest: rest.trim(),
    text: changelog.slice(index + heading.length, headings[i + 1]?.index).trim(),
  }));
}

/**
 * The release of `version`. `tag`: undefined in a dry run. `repository`: the base of relative links. Throws an error
 * with a sentence.
 */
export function releaseOf({ version, lockedVersion, tag, changelog, repository }) {
  if (!VERSION.test(version)) throw new Error(`The version ${version} of package.json is not of the form X.Y.Z.`);
  if (lockedVersion !== version)
    throw new Error(`package.json has version ${version}, but package-lock.json has ${lockedVersion}.`);
  if (tag !== undefined && tag !== `v${version}`)
    throw new Error(`The tag ${tag} does not match version ${version} of package.json, which needs v${version}.`);
  const { text } = sectionFor(version, sectionsOf(changelog), tag !== undefined),
    effectiveTag = `v${version}`;
  return {
    version,
    tag: effectiveTag,
    channel: isPrerelease(version) ? "pre-release" : "release",
    notes: withAbsoluteLinks(text, `${repository}/blob/${effectiveTag}/`),
  };
}

function sectionFor(version, sections, isTagged) {
  const released = sections.filter(section => section.version !== "Unreleased"),
    named = released.filter(section => section.version === version);
  if (named.length > 1) throw new Error(`CHANGELOG.md has ${named.length} sections [${version}].`);
  const section = named[0] ?? (isTagged ? undefined : sections.find(each => each.version === "Unreleased"));
  if (section === undefined)
    throw new Error(`CHANGELOG.md has no section [${version}]. Rename [Unreleased] to it and add the date.`);
  if (isTagged && !/^- \d{4}-\d\d-\d\d$/.test(section.rest))
    throw new Error(`The section [${version}] of CHANGELOG.md needs a date: ## [${version}] - YYYY-MM-DD.`);
  if (isTagged && released[0] !== section)
    throw new Error(
      `The newest section of CHANGELOG.md is [${released[0].version}], not [${version}] of package.json.`,
    );
  if (!section.text.split("\n").some(line => line.trim() !== "" && !line.startsWith("#")))
    throw new Error(`The section [${section.version}] of CHANGELOG.md is empty.`);
  return section;
}

/** GitHub does not resolve relative links in the notes of a release. */
function withAbsoluteLinks(markdown, base) {
  return markdown.replace(/(\]\()(?![a-z]+:|#)(?:\.\/)?([^)\s]+)\)/gi, `$1${base}$2)`);
}
