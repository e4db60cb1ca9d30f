/** Computes changes of reviewed files without writing them, for the user to see. */
import { mapBounded, slices } from "./snapshots/bounded";
import type { FileReview } from "./file-review";
import { isSame, type FileContent } from "./file-version";
import { FILES_AT_ONCE, FILES_IN_MEMORY, statesOf, type ReviewContents } from "./review-contents";
import type { ObservedChange } from "./review-decision";
import type { ReviewedFile } from "./review-log";

export interface ContentChange {
  readonly before: FileContent;
  readonly after: FileContent;
}

/** The contents of the changes are stored. Files without a change are absent. */
export async function previewed(
  files: readonly ReviewedFile[],
  change: (review: FileReview, file: ReviewedFile) => ContentChange | undefined,
  contents: ReviewContents,
): Promise<readonly { readonly file: ReviewedFile; readonly change: ObservedChange }[]> {
  const all: { readonly file: ReviewedFile; readonly change: ObservedChange }[] = [];
  for (const slice of slices(files, FILES_IN_MEMORY)) {
    const changes = await contents.during(slice.flatMap(statesOf), () =>
      mapBounded(FILES_AT_ONCE, slice, async file => {
        const computed = change(await contents.reviewOf(file), file);
        return computed && storedChange(file, computed, contents);
      }),
    );
    changes.forEach((stored, i) => {
      const file = slice[i];
      if (stored !== undefined && file !== undefined) all.push({ file, change: stored });
    });
  }
  return all;
}

async function storedChange(
  { root, path }: ReviewedFile,
  change: ContentChange,
  contents: ReviewContents,
): Promise<ObservedChange | undefined> {
  if (isSame(change.before, change.after)) return undefined;
  const [before, after] = await Promise.all([contents.store(root, change.before), contents.store(root, change.after)]);
  return { root, path, ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) };
}
