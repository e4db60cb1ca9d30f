import { deepEqual, equal } from "node:assert/strict";
import { deferred, type Deferred } from "../protocol/wire/deferred";
import { FakeClock } from "../protocol/testing/fake-clock";
import { summary } from "../testing/session-summary";
import { settled } from "../testing/settled";
import { SEARCH_DELAY_MS, SessionSearch, searchItems, type SearchItem, type SearchResults } from "./session-search";

const item = (label: string): SearchItem => ({ label, description: "", detail: "", session: summary(label) });

function fixture() {
  const clock = new FakeClock(),
    shown: SearchResults[] = [],
    queries: string[] = [],
    answers: Deferred<{ items: readonly SearchItem[]; isCut: boolean }>[] = [];
  const search = new SessionSearch({
    clock,
    show: results => void shown.push(results),
    search: query => {
      queries.push(query);
      const answer = deferred<{ items: readonly SearchItem[]; isCut: boolean }>();
      answers.push(answer);
      return answer.promise;
    },
  });
  return { clock, shown, queries, answers, search };
}

suite("SessionSearch", () => {
  test("searches when the user pauses, not for each character", () => {
    const { clock, queries, search } = fixture();
    for (const text of ["a", "ab", " abc "]) {
      search.typed(text);
      clock.advance(SEARCH_DELAY_MS - 1);
    }
    clock.advance(1);
    deepEqual(queries, ["abc"]);
    equal(clock.waiting, 0);
  });

  test("shows only the results of the newest text", async () => {
    const { clock, shown, answers, search } = fixture();
    search.typed("a");
    clock.advance(SEARCH_DELAY_MS);
    search.typed("ab");
    clock.advance(SEARCH_DELAY_MS);
    answers[1]?.resolve({ items: [item("new")], isCut: true });
    await settled();
    answers[0]?.resolve({ items: [item("old")], isCut: false });
    await settled();
    deepEqual(shown.at(-1), { items: [item("new")], isCut: true, isSearching: false });
    search.typed("abc");
    deepEqual(shown.at(-1), { items: [item("new")], isCut: true, isSearching: true });
  });

  test("says that it found nothing, until the next text", async () => {
    const { clock, shown, answers, search } = fixture();
    search.typed("a");
    clock.advance(SEARCH_DELAY_MS);
    answers[0]?.resolve({ items: [], isCut: false });
    await settled();
    equal(shown.at(-1)?.problem, "No session contains this text.");
    search.typed("ab");
    deepEqual(shown.at(-1), { items: [], isCut: false, isSearching: true });
  });

  test("shows nothing for an empty text, also if results arrive later", async () => {
    const { clock, shown, answers, search } = fixture();
    search.typed("a");
    clock.advance(SEARCH_DELAY_MS);
    search.typed("  ");
    answers[0]?.resolve({ items: [item("late")], isCut: false });
    await settled();
    deepEqual(shown.at(-1), { items: [], isCut: false, isSearching: false });
  });

  test("shows a failure, and nothing after the list is closed", async () => {
    const { clock, shown, answers, search } = fixture();
    search.typed("a");
    clock.advance(SEARCH_DELAY_MS);
    answers[0]?.reject(new Error("The search failed."));
    await settled();
    equal(shown.at(-1)?.problem, "The search failed.");
    search.typed("b");
    search.dispose();
    equal(clock.waiting, 0);
  });

  test("describes hits by their session, and omits unknown sessions", () => {
    const hits = [
      { conversation: "a", entryId: "e", excerpt: "some $(text)\u202E", start: 0, end: 4 },
      { conversation: "gone", excerpt: "", start: 0, end: 0 },
      { conversation: "a", excerpt: "title", start: 0, end: 5 },
    ];
    deepEqual(searchItems(hits, [summary("a", { cwd: "/projects/w" })], 0), [
      {
        label: "a",
        description: "Mine · w",
        detail: "some \\$(text)⟦U+202E⟧",
        session: summary("a", { cwd: "/projects/w" }),
        entryId: "e",
      },
      { label: "a", description: "Mine · w", detail: "title", session: summary("a", { cwd: "/projects/w" }) },
    ]);
  });
});
