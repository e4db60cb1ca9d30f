/** Schemas of the page's attachment messages, used by `validate-page-message.ts`. Pure. */
import { ATTACHED_TEXT_LIMIT, IMAGE_LIMIT, MAX_ATTACHMENTS, type Attachment, type Want } from "../protocol/attachments";
import { count, filled, just, list, matching, object, ordinal, tagged, text, type Shape } from "./schema";

/** Maximum number of files in one drop. More than `MAX_ATTACHMENTS` are refused with a message, not silently. */
const MAX_DROPPED = 10_000;

const path = filled(4_096);
const name = filled(4_096);
const attached = text(ATTACHED_TEXT_LIMIT);
const lines = { startLine: ordinal, endLine: ordinal };

const attachment: Shape<Attachment> = tagged<Attachment>("kind", {
  file: object({ kind: just("file"), path }),
  folder: object({ kind: just("folder"), path }),
  symbol: object({ kind: just("symbol"), name, path, ...lines }),
  selection: object({ kind: just("selection"), name, text: attached, ...lines }, { path }),
  problems: object({ kind: just("problems"), count, text: attached }),
  terminal: object({ kind: just("terminal"), name: text(4_096), text: attached }),
  // A page restored from an earlier window may hold the image by name only, so `data` may be empty.
  image: object({
    kind: just("image"),
    name: text(4_096),
    mimeType: matching(/^image\/[a-z0-9.+-]+$/, "the type of an image", 100),
    data: matching(/^[A-Za-z0-9+/]*={0,2}$/, "base64", IMAGE_LIMIT),
  }),
} satisfies { readonly [K in Attachment["kind"]]: Shape<unknown> });

export const attachments: Shape<readonly Attachment[]> = list(attachment, MAX_ATTACHMENTS);

export const want: Shape<Want> = tagged<Want>("kind", {
  selection: object({ kind: just("selection") }),
  problems: object({ kind: just("problems") }),
  terminal: object({ kind: just("terminal") }),
  dropped: object({ kind: just("dropped"), uris: list(filled(8_192), MAX_DROPPED) }),
});
