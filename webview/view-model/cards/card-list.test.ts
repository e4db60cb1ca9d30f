import { deepEqual, equal } from "node:assert/strict";
import fc from "fast-check";
import { card, type Card } from "./card";
import { EARLIER } from "./card-diff";
import { CardList, type CardScreen } from "./card-list";

/** Cards of a renderer that can only append cards, and text to growing cards. */
class Screen implements CardScreen {
  cards: Card[] = [];
  acts = 0;
  clear(): void {
    this.cards = [];
  }
  add(card: Card): void {
    this.acts++;
    this.cards.push(card);
  }
  change(card: Card): void {
    this.acts++;
    this.#put(card);
  }
  end(card: Card): void {
    this.acts++;
    this.#put(card);
  }
  clearBody(key: string): void {
    this.cards = this.cards.map(each => (each.key === key ? { ...each, body: "" } : each));
  }
  remove(key: string): void {
    this.cards = this.cards.filter(each => each.key !== key);
  }
  putFirst(key: string): void {
    this.cards = [this.#of(key), ...this.cards.filter(each => each.key !== key)];
  }
  #of(key: string): Card {
    return this.cards.find(each => each.key === key) ?? card(key, "unknown", {});
  }
  #put(card: Card): void {
    const before = this.#of(card.key);
    equal(this.cards.includes(before), true, `${card.key} is not there`);
    equal(
      card.kind !== "tool" || card.body.startsWith(before.body),
      true,
      `${card.key} was not cleared before it became another`,
    );
    this.cards = this.cards.map(each => (each === before ? card : each));
  }
}

/** The content of a key does not change, except that text grows. */
const cards = fc
  .uniqueArray(
    fc.record({
      key: fc.constantFrom(..."abcdefgh"),
      body: fc.constantFrom("", "x", "xy", "z"),
      growing: fc.boolean(),
    }),
    { selector: ({ key }) => key },
  )
  .map(made =>
    made.map(({ key, body, growing }) =>
      key < "e" ? card(key, "answer", { body, growing }) : card(key, "tool", { body }),
    ),
  );

suite("CardList", () => {
  test("shows the given cards after each complete drawing, for any time budget (property)", () => {
    fc.assert(
      fc.property(fc.array(cards, { maxLength: 8 }), fc.integer({ min: 0, max: 60 }), (views, ms) => {
        let now = 0;
        const screen = new Screen(),
          list = new CardList(screen, { now: () => (now += ms) });
        for (const view of views) {
          // Draws at least one card per call, even without time.
          for (let left = view.length; !list.draw(view); left--) equal(left > 0, true, "it does not come to an end");
          deepEqual(screen.cards, view);
          deepEqual(list.cards, view);
        }
      }),
    );
  });

  const answers = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, i) => card(`${from + i}`, "answer", { body: `${from + i}` }));
  const listed = () => {
    const screen = new Screen(),
      list = new CardList(screen, { now: () => 0 }),
      keys = () => screen.cards.map(({ key }) => key);
    return { list, keys };
  };

  test("shows a hundred of many cards, and a hundred earlier ones for each request", () => {
    const { list, keys } = listed(),
      all = answers(0, 260);
    list.draw(all);
    deepEqual([keys()[0], keys()[1], keys().length], [EARLIER, "160", 101]);
    list.showEarlier(all, 0);
    list.draw(all);
    deepEqual([keys()[1], list.isShortened], ["60", true]);
    list.showEarlier(all, 0);
    list.draw(all);
    deepEqual([keys()[0], keys().length, list.isShortened], ["0", 260, false]);
  });

  test("shows the newest cards if the window's first card is gone", () => {
    const { list, keys } = listed();
    list.draw(answers(0, 702));
    list.draw(answers(650, 760), 650);
    deepEqual([keys()[0], keys()[1], keys().length], [EARLIER, "650", 111]);
  });

  test("retains the requested cards when others arrive before them", () => {
    const { list, keys } = listed();
    list.draw(answers(300, 445), 300);
    list.draw(answers(300, 545), 300);
    list.showEarlier(answers(300, 545), 300);
    list.draw(answers(300, 545), 300);
    const shown = keys().slice(1);
    list.draw(answers(100, 545), 100);
    deepEqual(keys().slice(1), shown);
  });

  test("requests cards that the page does not have, and shows them when they arrive", () => {
    const { list, keys } = listed();
    list.draw(answers(200, 300), 200);
    deepEqual([keys()[0], keys()[1], list.isShortened], [EARLIER, "200", true]);
    list.showEarlier(answers(200, 300), 200);
    list.draw(answers(200, 301), 200);
    deepEqual([keys()[1], keys().length], ["200", 102], "nothing has arrived");
    list.draw(answers(40, 301), 40);
    deepEqual([keys()[0], keys()[1], keys().length], [EARLIER, "100", 202]);
    list.draw(answers(90, 301), 90);
    deepEqual([keys()[1], keys().length], ["100", 202], "the page has dropped cards that were not shown");
  });

  test("touches no unchanged cards and resumes a long drawing", () => {
    let now = 0;
    const screen = new Screen(),
      list = new CardList(screen, { now: () => (now += 30) });
    const [a, b, c] = [
      card("a", "answer", { body: "A" }),
      card("b", "tool", { body: "B" }),
      card("c", "answer", { body: "C" }),
    ];
    equal(list.draw([a, b]), false);
    deepEqual(screen.cards, [a]);
    equal(list.draw([a, b, c]), false);
    deepEqual(screen.cards, [a, b]);
    equal(list.draw([a, b, c]), true);
    equal(list.draw([{ ...a }, b, { ...c, body: "CC" }]), true);
    equal(screen.acts, 4);
  });
});
