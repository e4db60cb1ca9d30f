import { deepEqual } from "node:assert/strict";
import { PendingImages } from "./pending-images";

const turns = async (): Promise<void> => {
  for (let n = 0; n < 10; n++) await Promise.resolve();
};

suite("Intakes", () => {
  test("delays a prompt of the same tab until its images are read, in order", async () => {
    const intakes = new PendingImages(),
      done: string[] = [];
    let read: () => void = () => undefined;
    intakes.after("t", () => done.push("before"));
    intakes.add(
      "t",
      new Promise<void>(resolve => {
        read = resolve;
      }).then(() => {
        done.push("image");
      }),
    );
    intakes.after("t", () => done.push("sent"));
    intakes.after("t", () => done.push("sent again"));
    intakes.after("other", () => done.push("other"));
    await turns();
    deepEqual(done, ["before", "other"]);
    read();
    await turns();
    deepEqual(done, ["before", "other", "image", "sent", "sent again"]);
    intakes.after("t", () => done.push("at once"));
    deepEqual(done.at(-1), "at once");
  });

  test("releases prompts when an image is unreadable", async () => {
    const intakes = new PendingImages(),
      done: string[] = [];
    intakes.add("t", Promise.reject(new Error("no image")));
    intakes.after("t", () => done.push("sent"));
    await turns();
    deepEqual(done, ["sent"]);
  });
});
