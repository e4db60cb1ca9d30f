import { deepEqual, equal } from "node:assert/strict";
import { duration, grouped, money, short, size } from "./format-numbers";

suite("number formatting", () => {
  test("shortens times, sizes and token counts", () => {
    deepEqual([1_400, 59_400, 60_000, 125_000, 3_600_000, 3_780_000].map(duration), [
      "1 s",
      "59 s",
      "1 min",
      "2 min 5 s",
      "1 h",
      "1 h 3 min",
    ]);
    deepEqual([0, 1, 999, 1_000, 34_123, 999_499, 999_500, 1_240_000].map(size), [
      "0 bytes",
      "1 byte",
      "999 bytes",
      "1 KB",
      "34 KB",
      "999 KB",
      "1 MB",
      "1.2 MB",
    ]);
    deepEqual([0, 999, 1_000, 1_250, 9_949, 9_950, 12_345, 999_499, 999_500, 1_500_000].map(short), [
      "0",
      "999",
      "1k",
      "1.3k",
      "9.9k",
      "10k",
      "12k",
      "999k",
      "1M",
      "1.5M",
    ]);
    equal(grouped(1_234_567), "1,234,567");
  });

  test("formats money by currency, small amounts with more digits, unknown currencies after the number", () => {
    deepEqual(
      [money(0.3412, "USD"), money(0.00123, "EUR"), money(12, "usd"), money(0, "USD"), money(1_200, "JPY")],
      ["$0.34", "€0.0012", "$12.00", "$0.00", "¥1,200.00"],
    );
    deepEqual([money(3.5, "credits"), money(3, ""), money(1, "ABCD")], ["3.5 credits", "3", "1 ABCD"]);
  });
});
