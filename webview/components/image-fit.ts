/** Scales an image down to the attachment limit. Pure: the encoder is a parameter. */
import { IMAGE_LIMIT } from "../../src/protocol/chat/attachments";

/** Image types that agents accept. */
const KNOWN: readonly string[] = ["image/png", "image/jpeg", "image/gif", "image/webp"];
/** Pixels. Models downscale images whose longer edge exceeds this. */
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
  /** Original type. */
  readonly mimeType: string;
  original(): Promise<string>;
  /** Base64 of the picture in this size; `undefined` if it cannot be encoded. */
  encoded(size: Size, mimeType: "image/png" | "image/jpeg", quality: number): Promise<string | undefined>;
}

/**
 * The original if it is small enough, otherwise a smaller version, preferably as PNG. `undefined` if no version is
 * small enough.
 */
export async function fitted(picture: Picture): Promise<Encoded | undefined> {
  const { size, mimeType } = picture;
  if (KNOWN.includes(mimeType) && Math.max(size.width, size.height) <= MAX_EDGE) {
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

/** Same aspect ratio with the longer edge at most `edge`; never enlarged, at least 1×1. */
export function within({ width, height }: Size, edge: number): Size {
  const scale = Math.min(1, edge / Math.max(width, height));
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}
