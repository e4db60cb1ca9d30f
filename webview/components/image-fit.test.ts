import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { IMAGE_LIMIT } from "../../src/protocol/chat/attachments";
import { fitted, MAX_EDGE, within, type Picture, type Size } from "./image-fit";

/** A picture whose encoded data has `cost` characters per pixel, by type. */
function picture(
  size: Size,
  mimeType: string,
  cost: { readonly original?: number; readonly png: number; readonly jpeg: number },
): { readonly picture: Picture; readonly tried: string[] } {
  const tried: string[] = [];
  return {
    tried,
    picture: {
      size,
      mimeType,
      original: () => Promise.resolve("o".repeat(cost.original ?? 10)),
      encoded: ({ width, height }, type, quality) => {
        tried.push(`${type} ${width}x${height} ${quality}`);
        return Promise.resolve(
          "e".repeat(Math.round(width * height * (type === "image/png" ? cost.png : cost.jpeg * quality))),
        );
      },
    },
  };
}

suite("image fit", () => {
  test("keeps a small image of a supported type", async () => {
    const small = picture({ width: 100, height: 50 }, "image/gif", { png: 1, jpeg: 1 });
    deepEqual([await fitted(small.picture), small.tried], [{ mimeType: "image/gif", data: "oooooooooo" }, []]);
  });

  test("converts another type, a long edge or large data to a PNG within the model's limit", async () => {
    for (const [size, type, original] of [
      [{ width: 100, height: 50 }, "image/bmp", 10],
      [{ width: 3_136, height: 1_568 }, "image/png", 10],
      [{ width: 100, height: 50 }, "image/png", IMAGE_LIMIT + 1],
    ] as const) {
      const { picture: p, tried } = picture(size, type, { original, png: 0.1, jpeg: 0.1 });
      equal((await fitted(p))?.mimeType, "image/png");
      equal(tried.length, 1);
    }
  });

  test("falls back to JPEG and to smaller sizes, and returns nothing if no version fits", async () => {
    const size = { width: 2_000, height: 2_000 };
    equal((await fitted(picture(size, "image/png", { png: 2, jpeg: 0.3 }).picture))?.mimeType, "image/jpeg");
    const { picture: p, tried } = picture(size, "image/png", { png: 2, jpeg: 2 });
    equal((await fitted(p))?.mimeType, "image/png");
    equal(tried.at(-1), "image/png 784x784 1");
    equal(await fitted(picture(size, "image/png", { png: 200, jpeg: 200 }).picture), undefined);
  });

  test("keeps the aspect ratio, never enlarges and never returns an empty size", () =>
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100_000 }), fc.integer({ min: 1, max: 100_000 }), (width, height) => {
        const size = within({ width, height }, MAX_EDGE);
        ok(
          size.width >= 1 &&
            size.height >= 1 &&
            Math.max(size.width, size.height) <= MAX_EDGE &&
            size.width <= width &&
            size.height <= height,
        );
        if (Math.min(size.width, size.height) > 20)
          ok(Math.abs(size.width / size.height - width / height) / (width / height) < 0.05);
      }),
    ));
});
