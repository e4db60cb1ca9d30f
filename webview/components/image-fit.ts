/** Scales an image down to the attachment limit. Pure: the encoder is a parameter. */
import { IMAGE_LIMIT } from "../../src/protocol/chat/attachments";

/** Image types that agents accept. */
const SUPPORTED_TYPES: readonly string[] = ["image/png", "image/jpeg", "image/gif", "image/webp"];
/** Maximum length of the longer edge, in pixels. Models downscale larger images. */
export const MAX_EDGE = 1_568;

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
  /** MIME type of `original`. */
  readonly mimeType: string;
  original(): Promise<string>;
  /** Base64 data of the resized picture; `undefined` if encoding fails. */
  encoded(size: Size, mimeType: "image/png" | "image/jpeg", quality: number): Promise<string | undefined>;
}

/**
 * Returns the original if it is within the limits, otherwise a downscaled version, preferably as PNG. `undefined` if no
 * version fits.
 */
export async function fitted(picture: Picture): Promise<Encoded | undefined> {
  const { size, mimeType } = picture;
  if (SUPPORTED_TYPES.includes(mimeType) && Math.max(size.width, size.height) <= MAX_EDGE) {
    const data = await picture.original();
    if (isSmall(data)) return { mimeType, data };
  }
  for (const edge of [MAX_EDGE, MAX_EDGE / 2, MAX_EDGE / 4]) {
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

/** Scales down to a longer edge of at most `edge`. Keeps the aspect ratio and at least 1×1 pixel. */
export function within({ width, height }: Size, edge: number): Size {
  const scale = Math.min(1, edge / Math.max(width, height));
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}
