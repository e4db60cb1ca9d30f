/** Converts pasted or dropped files to image attachments, and reports an error sentence for each other file. */
import * as l10n from "@vscode/l10n";
import type { Attachment } from "../../src/protocol/chat/attachments";
import { fitted, type Picture, type Size } from "./image-fit";

export interface IntakeResult {
  readonly attachments: readonly Attachment[];
  readonly refusals: readonly string[];
}

/** Maximum size in bytes, because decoding loads the whole image into memory. */
const MAX_FILE_BYTES = 50_000_000;

/** Results are in the order of the files. */
export async function takeImages(files: readonly File[]): Promise<IntakeResult> {
  const results = await Promise.all(files.map(takeImage));
  return {
    attachments: results.flatMap(result => (typeof result === "string" ? [] : [result])),
    refusals: results.filter(result => typeof result === "string"),
  };
}

async function takeImage(file: File): Promise<Attachment | string> {
  // Clipboard images have no meaningful file name.
  const name = file.name === "" || file.name === "image.png" ? l10n.t("Pasted image") : file.name;
  if (file.size > MAX_FILE_BYTES) return l10n.t`${name} is too large to attach.`;
  let bitmap: ImageBitmap | undefined;
  try {
    bitmap = await createImageBitmap(file);
    const image = await fitted(pictureOf(file, bitmap));
    return image === undefined
      ? l10n.t`${name} could not be resized below the size limit of attachments.`
      : { kind: "image", name, ...image };
  } catch {
    return l10n.t`${name} could not be read as an image.`;
  } finally {
    bitmap?.close();
  }
}

function pictureOf(file: File, bitmap: ImageBitmap): Picture {
  return {
    size: bitmap,
    mimeType: file.type,
    original: () => base64Of(file),
    async encoded(size, mimeType, quality) {
      const canvas = new OffscreenCanvas(size.width, size.height);
      const context = canvas.getContext("2d");
      if (!context) return undefined;
      draw(context, bitmap, size, mimeType);
      return base64Of(await canvas.convertToBlob({ type: mimeType, quality }));
    },
  };
}

function draw(
  context: OffscreenCanvasRenderingContext2D,
  bitmap: ImageBitmap,
  { width, height }: Size,
  mimeType: string,
): void {
  // JPEG has no transparency. Without a background, transparent pixels become black.
  if (mimeType === "image/jpeg") {
    context.fillStyle = "white";
    context.fillRect(0, 0, width, height);
  }
  context.imageSmoothingQuality = "high";
  context.drawImage(bitmap, 0, 0, width, height);
}

function base64Of(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onerror = () => reject(reader.error ?? new Error("could not be read"));
    reader.onload = () => {
      const { result } = reader;
      resolve(typeof result === "string" ? result.slice(result.indexOf(",") + 1) : "");
    };
    reader.readAsDataURL(blob);
  });
}
