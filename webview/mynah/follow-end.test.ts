import { equal } from "node:assert/strict";
import { FollowEnd, type Scroller } from "./follow-end";

/** A list with a visible height of 100 pixels. */
class List implements Scroller {
  scrollHeight = 500;
  readonly clientHeight = 100;
  #top = 0;
  #listener: () => void = () => undefined;
  get scrollTop(): number {
    return this.#top;
  }
  set scrollTop(value: number) {
    this.#top = Math.max(0, Math.min(value, this.scrollHeight - this.clientHeight));
  }
  addEventListener(_type: "scroll", listener: () => void): void {
    this.#listener = listener;
  }
  /** Scrolls like a user. */
  scroll(to: number): void {
    this.scrollTop = to;
    this.#listener();
  }
  onNotification(): void {
    this.#listener();
  }
  get distance(): number {
    return this.scrollHeight - this.scrollTop - this.clientHeight;
  }
}

suite("follow end", () => {
  function following() {
    const list = new List(),
      timers: (() => void)[] = [];
    const follow = new FollowEnd(list, {
      now: () => 0,
      after: (_ms, expired) => {
        timers.push(expired);
      },
    });
    const draw = (pixels: number) => {
      const after = follow.before();
      list.scrollHeight += pixels;
      after();
    };
    return { list, draw, late: () => timers.splice(0).forEach(expired => expired()) };
  }

  test("keeps a reader at the end after each drawing", () => {
    const { list, draw } = following();
    draw(300);
    equal(list.distance, 0);
    list.onNotification();
    draw(300);
    equal(list.distance, 0);
  });

  test("keeps a reader at the end when content grows after a drawing", () => {
    const { list, draw, late } = following();
    draw(300);
    list.scrollHeight += 200;
    list.onNotification();
    equal(list.distance, 200);
    late();
    equal(list.distance, 0);
    list.scrollHeight += 200;
    draw(10);
    equal(list.distance, 0);
  });

  test("keeps a scrolled position until the end is reached again", () => {
    const { list, draw, late } = following();
    draw(300);
    list.onNotification();
    list.scroll(200);
    draw(300);
    late();
    equal(list.scrollTop, 200);
    list.scroll(list.scrollHeight);
    draw(300);
    equal(list.distance, 0);
  });

  test("treats a distance of a few pixels as the end", () => {
    const { list, draw } = following();
    draw(0);
    list.scroll(list.scrollTop - 30);
    draw(100);
    equal(list.distance, 0);
  });
});
