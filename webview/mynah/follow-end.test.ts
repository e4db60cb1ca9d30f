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
  /** Pixels by which the first visible card has moved, or undefined if it is not drawn. */
  moved: number | undefined = 0;
  anchor(): () => number | undefined {
    return () => this.moved;
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
    let starts = 0,
      continues = false;
    const follow = new FollowEnd(
      list,
      {
        now: () => 0,
        after: (_ms, expired) => {
          timers.push(expired);
        },
      },
      () => starts++,
      () => continues,
    );
    const draw = (pixels: number, isComplete = true) => {
      const after = follow.before();
      list.scrollHeight += pixels;
      after(isComplete);
    };
    const beforeEnd = (): void => {
      continues = true;
    };
    return {
      list,
      draw,
      follow,
      beforeEnd,
      starts: () => starts,
      late: () => timers.splice(0).forEach(expired => expired()),
    };
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

  test("keeps the first visible card where it is when earlier cards are drawn in several frames", () => {
    const { list, draw } = following();
    draw(0);
    list.scroll(50);
    list.moved = undefined;
    draw(-400, false);
    list.onNotification();
    draw(500, false);
    list.moved = 120;
    draw(100);
    equal(list.scrollTop, 170);
    list.moved = 0;
    draw(300);
    equal(list.scrollTop, 170, "the end is not followed");
  });

  test("reports that the user scrolls up to the start", () => {
    const { list, draw, starts } = following();
    draw(500);
    list.scroll(300);
    equal(starts(), 0);
    list.scroll(90);
    equal(starts(), 1);
    list.scroll(95);
    equal(starts(), 1, "downward");
  });

  test("treats a distance of a few pixels as the end", () => {
    const { list, draw } = following();
    draw(0);
    list.scroll(list.scrollTop - 30);
    draw(100);
    equal(list.distance, 0);
  });

  test("stays at a match, also at the end, until the user scrolls", () => {
    const { list, draw, follow, late } = following();
    draw(0);
    follow.hold();
    list.onNotification();
    draw(300);
    late();
    equal(list.distance, 300, "the match stays");
    list.scroll(list.scrollHeight);
    draw(300);
    equal(list.distance, 0, "the user follows the end again");
  });

  test("does not follow the end of cards that others follow", () => {
    const { list, draw, follow, beforeEnd } = following();
    beforeEnd();
    follow.hold();
    list.scroll(10);
    list.scroll(list.scrollHeight);
    draw(300);
    equal(list.distance, 300);
    follow.toEnd();
    draw(0);
    equal(list.distance, 0);
  });
});
