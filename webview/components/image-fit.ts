/** How a picture is made small enough to be attached. Pure: what encodes it is given. */
import { IMAGE_LIMIT } from "../../src/protocol/attachments";

/** Types that agents take. */
const KNOWN: readonly string[] = ["image/png", "image/jpeg", "image/gif", "image/webp"];
/** Models see no more than this of an image's longer edge. */
export const LONGEST_EDGE = 1_568;

export interface Size {
  readonly width: number;
  readonly height: number;
}
export interface Encoded {
  readonly mimeType: string;
  readonly data: string;
}

export interface Picture {
  readonly size: Size;
  /** As it came. */
  readonly mimeType: string;
  original(): Promise<string>;
  /** Base64 of it in this size; `undefined` when that cannot be made. */
  encoded(size: Size, mimeType: "image/png" | "image/jpeg", quality: number): Promise<string | undefined>;
}

/** As it is where it may be, else smaller, as PNG where that is small enough. `undefined` when nothing helps. */
export async function fitted(picture: Picture): Promise<Encoded | undefined> {
  const { size, mimeType } = picture;
  if (KNOWN.includes(mimeType) && Math.max(size.width, size.height) <= LONGEST_EDGE) {
    const data = await picture.original();
    if (isSmall(data)) return { mimeType, data };
  }
  for (const edge of [LONGEST_EDGE, LONGEST_EDGE / 2, LONGEST_EDGE / 4]) {
    const smaller = within(size, edge);
    for (const [type, quality] of [
      ["image/png", 1],
      ["image/jpeg", 0.85],
      ["image/jpeg", 0.6],
    ] as const) {
      const data = await picture.encoded(smaller, type, quality);
      if (data !== undefined && isSmall(data)) return { mimeType: type, data };
    }
  }
  return undefined;
}

const isSmall = (data: string): boolean => data !== "" && data.length <= IMAGE_LIMIT;

/** The same shape, with its longer edge no longer than `edge`; never larger, and never without an extent. */
export function within({ width, height }: Size, edge: number): Size {
  const scale = Math.min(1, edge / Math.max(width, height));
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}
