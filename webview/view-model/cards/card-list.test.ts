import { deepEqual, equal } from "node:assert/strict";
import fc from "fast-check";
import { card, type Card } from "./card";
import { EARLIER, LATER } from "./card-diff";
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

  test("moves to a distant card, draws later ones on request, and returns to the newest", () => {
    const { list, keys } = listed(),
      all = answers(0, 1_000);
    list.draw(all);
    list.reveal("500", all);
    list.draw(all);
    deepEqual([keys()[0], keys()[1], keys().at(-2), keys().at(-1)], [EARLIER, "450", "549", LATER]);
    equal(list.isBeforeEnd, true);
    list.draw([...all, ...answers(1_000, 1_300)]);
    equal(keys().length, 102, "new cards do not move the window");
    list.showLater(all);
    list.draw(all);
    deepEqual([keys()[1], keys().at(-2), keys().at(-1)], ["450", "649", LATER]);
    list.showNewest(all);
    list.draw(all);
    deepEqual([keys()[0], keys()[1], keys().at(-1), list.isBeforeEnd], [EARLIER, "900", "999", false]);
    list.reveal("910", all);
    list.reveal("missing", all);
    list.draw(all);
    deepEqual(keys()[1], "900", "a drawn card moves nothing");
    list.reveal("0", all);
    list.draw(all);
    deepEqual([keys()[0], keys().at(-1)], ["0", LATER]);
  });

  test("shows the revealed card and a range of neighbours after any steps (property)", () => {
    const step = fc.oneof(
      fc.record({ reveal: fc.nat(600) }),
      fc.record({ add: fc.nat(200) }),
      fc.record({ earlier: fc.nat(200) }),
      fc.constantFrom("later" as const, "newest" as const, "before" as const),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 15 }), steps => {
        const { list, keys } = listed();
        let from = 600,
          to = 600;
        for (const each of steps) {
          const all = answers(from, to);
          let revealed: string | undefined;
          if (each === "later") list.showLater(all);
          else if (each === "newest") list.showNewest(all);
          else if (each === "before") list.showEarlier(all, from);
          else if ("add" in each) to += each.add;
          else if ("earlier" in each) from = Math.max(0, from - each.earlier);
          else if (all.length > 0) {
            revealed = all[each.reveal % all.length]?.key ?? "";
            list.reveal(revealed, all);
          }
          const cards = answers(from, to);
          list.draw(cards, from);
          const shown = keys().filter(key => key !== EARLIER && key !== LATER),
            start = cards.findIndex(({ key }) => key === shown[0]);
          if (revealed !== undefined) equal(shown.includes(revealed), true);
          deepEqual(
            shown,
            cards.slice(start, start + shown.length).map(({ key }) => key),
          );
          const end = Number(shown.at(-1) ?? to - 1) + 1;
          deepEqual([keys()[0] === EARLIER, keys().at(-1) === LATER], [Number(shown[0] ?? from) > 0, end < to]);
          equal(list.isBeforeEnd, end < to);
        }
      }),
    );
  });

  test("keeps the revealed card while new cards arrive", () => {
    const { list, keys } = listed();
    list.draw(answers(0, 100));
    list.reveal("60", answers(0, 100));
    for (let count = 110; count <= 400; count += 10) list.draw(answers(0, count));
    deepEqual([keys().includes("60"), keys().at(-1), keys().length < 152], [true, LATER, true]);
    list.release();
    list.showNewest(answers(0, 400));
    list.draw(answers(0, 400));
    deepEqual([keys()[1], keys().at(-1)], ["300", "399"]);
  });
});
