import { deepEqual, equal, match, notEqual, ok, throws } from "node:assert/strict";
import { timeLimit } from "../../../scripts/time-limits.mjs";
import fc from "fast-check";
import { decompose, Eliza } from "../../eliza/engine";
import { DOCTOR } from "../../eliza/doctor-script";
import { compile, link, next, type Script } from "../../eliza/script-compiler";
import { clauses, word } from "../../eliza/tokenizer";

const doctor = compile(DOCTOR);
const fresh = () => new Eliza(doctor, { deterministic: true });
const ask = (...texts: string[]) => {
  const eliza = fresh();
  return texts.map(text => eliza.reply(text)).at(-1);
};

suite("Eliza", () => {
  const known: readonly (readonly [asked: readonly string[], answer: string])[] = [
    [["Hello, how are you?"], "I don't have feelings, but I'm functioning well. What about you?"],
    [["how are you"], "I don't have feelings, but I'm functioning well. What about you?"],
    [["Hello"], "How do you do. Please state your problem."],
    [["Hello, how are you?", "I am doing well, thanks!"], "Do you believe it is normal to be doing well thanks?"],
    [["I'm learning rust"], "I was written in Rust, you know."],
    [["I love ferris"], "Ferris believes in you, even when the compiler doesn't."],
    [["cargo build is failing"], "Have you tried `cargo clean`? It's very refreshing."],
  ];
  for (const [asked, answer] of known)
    test(`answers “${asked.join("” and then “")}” as the original does`, () => equal(ask(...asked), answer));

  test("reproduces the conversation printed in Weizenbaum's paper", () => {
    const printed: readonly (readonly [string, string])[] = [
      ["Men are all alike.", "In what way?"],
      ["They're always bugging us about something or other.", "Can you think of a specific example?"],
      ["Well, my boyfriend made me come here.", "Your boyfriend made you come here?"],
      ["He says I'm depressed much of the time.", "I am sorry to hear you are depressed."],
      ["It's true. I am unhappy.", "Do you think coming here will help you not to be unhappy?"],
      ["I need some help, that much seems certain.", "What would it mean to you if you got some help?"],
      ["Perhaps I could learn to get along with my mother.", "Tell me more about your family."],
      ["My mother takes care of me.", "Who else in your family takes care of you?"],
      ["My father.", "Your father?"],
      ["You are like my father in some ways.", "What resemblance do you see?"],
      [
        "You are not very aggressive but I think you don't want me to notice that.",
        "What makes you think I am not very aggressive?",
      ],
      ["You don't argue with me.", "Why do you think I don't argue with you?"],
      ["You are afraid of me.", "Does it please you to believe I am afraid of you?"],
      ["My father is afraid of everybody.", "What else comes to mind when you think of your father?"],
      ["Bullies.", "Does that have anything to do with the fact that your boyfriend made you come here?"],
    ];
    const eliza = fresh();
    deepEqual(
      printed.map(([text]) => [text, eliza.reply(text)]),
      printed,
    );
  });

  test("answers text in capitals", () => equal(ask("MY DOG."), "Your dog?"));

  const single: readonly (readonly [input: string, answer: string])[] = [
    ["", "How do you do. Please tell me your problem."],
    ["  ?! … ", "How do you do. Please tell me your problem."],
    ["banana", "What does “banana” suggest to you?"],
    ["plantain", "What does “plantain” suggest to you?"],
    ["Hello, I am sad", "I am sorry to hear you are sad."],
    ["hi", "How do you do. Please state your problem."],
    ["What is the capital of France?", "Why do you want to know about the capital of France?"],
    ["How do I write a test?", "What keeps you from finding out how to write a test?"],
    ["How are you doing today, doctor?", "I don't have feelings, but I'm functioning well. What about you?"],
    ["I dont like my job", "Don't you really like your job?"],
    ["I don’t sleep", "Don't you really sleep?"],
    ["I think you are kind", "What makes you think I am kind?"],
    ["you think I hate you", "We were discussing you, not me."],
    ["my brother says you are clever", "Tell me more about your family."],
    ["my friend says you are clever", "Your friend says I am clever?"],
    ["my friend laughs at you", "Your friend laughs at me?"],
    ["my src/main.rs is (very) long", "Your src/main.rs is very long?"],
    ["my main() fails", "Your main() fails?"],
    ["why can't I sing", "Do you think you should be able to sing?"],
    ["Was I wrong?", "What if you were wrong?"],
    ["you're silly", "What makes you think I am silly?"],
    ["I am", "Do you believe it is normal to be?"],
    ["ich spreche deutsch", "I am sorry, I speak only English."],
    ["ми зустрілися вчора", "What does “ми зустрілися вчора” suggest to you?"],
    ["我很难过。", "What does “我很难过” suggest to you?"],
  ];
  for (const [input, answer] of single) test(`answers “${input}” with “${answer}”`, () => equal(ask(input), answer));

  test("cycles through the replies of a rule", () => {
    const eliza = fresh();
    const replies = Array.from({ length: 5 }, () => eliza.reply("sorry"));
    equal(new Set(replies).size, 4);
    equal(replies[4], replies[0]);
  });

  test("keeps the cycle positions of conversations separate", () => {
    const eliza = fresh(),
      otherEliza = fresh();
    eliza.reply("sorry");
    equal(otherEliza.reply("sorry"), "Please don't apologise.");
  });

  test("recalls “my” statements on each fourth text without a keyword, oldest first, once", () => {
    const eliza = fresh();
    const notifications = [
      "my dog barks",
      "my cat is asleep",
      "so it goes",
      "so it goes",
      "so it goes",
      "so it goes",
      "so it goes",
      "so it goes",
      "so it goes",
      "so it goes",
      "so it goes",
    ];
    const recalled = notifications
      .map(text => eliza.reply(text))
      .map((reply, i) => (/your (dog barks|cat is asleep)[.?]$/i.test(reply) && i > 1 ? i + 1 : 0))
      .filter(Boolean);
    deepEqual(recalled, [3, 7]);
  });

  test("bounds its memory", () => {
    const eliza = fresh();
    for (let n = 0; n < 100; n++) eliza.reply(`my day ${n} passed`);
    const recalled = Array.from({ length: 400 }, () => eliza.reply("so it goes")).filter(reply =>
      /your day \d+ passed/i.test(reply),
    );
    equal(recalled.length, 32);
    match(recalled[0]!, /day 0 /);
  });

  test("randomizes the first replies per conversation and keeps the order within one", () => {
    const begin = (at: number) => new Eliza(doctor, { deterministic: false, random: () => at });
    deepEqual(
      [0, 0.3, 0.6, 0.99, 1].map(at => begin(at).reply("sorry")),
      [
        "Please don't apologise.",
        "Apologies are not necessary.",
        "What feelings do you have when you apologise?",
        "I've told you that apologies are not required.",
        "I've told you that apologies are not required.",
      ],
    );
    const eliza = begin(0.6);
    notEqual(eliza.reply("sorry"), eliza.reply("sorry"));
  });

  const some = fc.oneof(
    fc.string({ unit: "grapheme", maxLength: 60 }),
    fc.string({ unit: "binary", maxLength: 60 }),
    fc
      .array(fc.constantFrom(...doctor.keywords.keys(), "feel", "sad", "not", ",", ".", "but", "“", "-", "dont"), {
        maxLength: 20,
      })
      .map(words => words.join(" ")),
  );

  test("always answers, with bounded quotes, and never throws", () =>
    fc.assert(
      fc.property(fc.array(some, { minLength: 1, maxLength: 12 }), fc.boolean(), (texts, deterministic) => {
        const eliza = new Eliza(doctor, { deterministic });
        for (const text of texts) {
          const reply = eliza.reply(text);
          ok(reply.trim() !== "" && reply.length < 4000, JSON.stringify(reply));
          ok(!/\{\d\}|undefined| [?.,]/.test(reply) || !/^[a-z ]*$/.test(text), JSON.stringify(reply));
        }
      }),
      { numRuns: 300 },
    ));

  test("repeats deterministic conversations exactly", () =>
    fc.assert(
      fc.property(fc.array(some, { maxLength: 12 }), texts => {
        const eliza = fresh(),
          otherEliza = fresh();
        deepEqual(
          texts.map(text => eliza.reply(text)),
          texts.map(text => otherEliza.reply(text)),
        );
      }),
      { numRuns: 100 },
    ));

  test("swaps the pronouns of quoted text", () =>
    fc.assert(
      fc.property(fc.constantFrom("my", "your"), fc.constantFrom("bread", "garden", "plan"), (whose, thing) => {
        const reply = ask(`${whose} ${thing} is ready`) ?? "";
        ok(reply.toLowerCase().includes(`${whose === "my" ? "your" : "my"} ${thing} is ready`), reply);
      }),
    ));

  test("answers another text without a keyword differently", () =>
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.stringMatching(/^zq[a-z]{1,10}$/), { minLength: 2, maxLength: 2 }),
        ([one, other]) => {
          notEqual(ask(one!), ask(other!));
        },
      ),
    ));

  for (const [what, text] of [
    ["one word of a megabyte", "x".repeat(1 << 20)],
    ["a megabyte of keywords", "my i you are was what like think ".repeat(33_000)],
    ["a megabyte of near matches", "you are i feel ".repeat(70_000)],
    ["a megabyte of marks", ",.!?".repeat(1 << 18)],
    ["a megabyte of brackets", "(".repeat(1 << 19) + ")".repeat(1 << 19)],
    ["a megabyte of spaces", " ".repeat(1 << 20)],
    ["a megabyte of clauses", "so, ".repeat(1 << 18)],
    ["a megabyte of emoji", `x${"😀".repeat(1 << 18)}`],
  ] as const)
    test(`answers ${what} within the time limit`, function () {
      this.timeout(timeLimit(4_000));
      const reply = ask(text) ?? "";
      ok(reply !== "" && reply.length < 4000);
      equal(Buffer.from(reply, "utf8").toString("utf8"), reply, "no half characters");
    });
});

suite("Eliza script", () => {
  const minimal: Script = {
    greeting: "Hello.",
    spelling: {},
    tags: {},
    polish: [],
    keywords: {},
    memory: { keyword: "my", rule: { match: "*", say: ["Earlier."] } },
    fallback: { match: "*", say: ["Go on."] },
  };
  const wrong: readonly (readonly [what: string, keywords: Script["keywords"], why: RegExp])[] = [
    ["a link without a target", { a: { rules: [{ match: "*", say: [link("b")] }] } }, /“a”.*no keyword “b”/],
    ["a missing part of the pattern", { a: { rules: [{ match: "* a", say: ["{3}"] }] } }, /no part \{3\}/],
    ["a missing tag", { a: { rules: [{ match: "<x> *", say: ["."] }] } }, /no such tag/],
    ["no reply", { a: { rules: [{ match: "*", say: [] }] } }, /no reply to begin with/],
    ["a start after the end", { a: { rules: [{ match: "*", say: ["."], first: 1 }] } }, /no reply to begin with/],
    ["adjacent gaps", { a: { rules: [{ match: "* * a", say: ["."] }] } }, /two \*/],
  ];
  for (const [what, keywords, why] of wrong)
    test(`is rejected for ${what}`, () => throws(() => compile({ ...minimal, keywords }), why));

  test("returns the fallback for circular links", () => {
    const circle = compile({
      ...minimal,
      keywords: { a: { rules: [{ match: "*", say: [link("b")] }] }, b: { as: "a" } },
    });
    equal(new Eliza(circle, { deterministic: true }).reply("a"), "Go on.");
  });

  test("tries the next keyword by rank, then by position", () => {
    const say = (text: string, rank: number) => ({
      rank,
      rules: [
        { match: "*", say: [next] },
        { match: "*", say: [text] },
      ],
    });
    const tried = compile({
      ...minimal,
      keywords: {
        a: { rank: 0, rules: [{ match: "* x", say: ["A"] }] },
        b: { rank: 5, rules: [{ match: "* y", say: ["B"] }] },
        c: say("C", 9),
      },
    });
    const reply = (text: string) => new Eliza(tried, { deterministic: true }).reply(text);
    deepEqual([reply("a b c x"), reply("a b c y"), reply("a b c z")], ["A", "B", "Go on."]);
  });

  test("contains only lower-case keywords in DOCTOR", () =>
    deepEqual(
      Object.keys(DOCTOR.keywords).filter(key => key !== key.toLowerCase()),
      [],
    ));
});

suite("decomposition", () => {
  const pattern = (source: string) => compile({ ...DOCTOR, fallback: { match: source, say: ["."] } }).fallback.pattern;
  const parts = (source: string, text: string) =>
    decompose(pattern(source), text === "" ? [] : text.split(" ").map(word))?.map(part =>
      part.map(each => each.text).join(" "),
    );
  for (const [source, text, expected] of [
    ["*", "", [""]],
    ["*", "a b", ["a b"]],
    ["a", "a", ["a"]],
    ["a", "a b", undefined],
    ["a *", "b a", undefined],
    ["* a", "a b a", ["a b", "a"]],
    ["* a *", "x a y a z", ["x", "a", "y a z"]],
    ["* a _ *", "a a b", ["", "a", "a", "b"]],
    ["* a b *", "a a b c", ["a", "a", "b", "c"]],
    ["* a * a", "a", undefined],
    ["* a * a", "a a", ["", "a", "", "a"]],
    ["* [a b] * c *", "c b c", ["c", "b", "", "c", ""]],
    ["* <family>", "my Sister", ["my", "Sister"]],
  ] as const)
    test(`matches “${source}” against “${text}”`, () => deepEqual(parts(source, text), expected));

  test("equals an exhaustive search, and its parts join to the whole", () => {
    const element = fc.constantFrom("*", "_", "a", "b", "[a b]"),
      words = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 8 });
    fc.assert(
      fc.property(fc.array(element, { minLength: 1, maxLength: 6 }), words, (elements, messages) => {
        const source = elements.filter((each, i) => each !== "*" || elements[i - 1] !== "*").join(" ");
        const regex = new RegExp(
          "^" +
            source
              .split(" ")
              .map(each =>
                each === "*" ? "(?:\\w )*" : each === "_" ? "\\w " : each === "[a b]" ? "[ab] " : `${each} `,
              )
              .join("") +
            "$",
        );
        const found = parts(source, messages.join(" "));
        equal(found !== undefined, regex.test(messages.map(each => `${each} `).join("")), source);
        if (found) equal(found.filter(Boolean).join(" "), messages.join(" "));
      }),
      { numRuns: 500 },
    );
  });
});

suite("clause", () => {
  const clausesOf = (text: string) =>
    [...clauses(text)].map(({ words, end }) => `${words.map(each => each.text).join(" ")} (${end})`);
  for (const [text, expected] of [
    ["", []],
    ["one", ["one (stop)"]],
    ["One. Two, three but four", ["one (stop)", "two (comma)", "three (but)", "four (stop)"]],
    ["v1.2, std::vec; a,b", ["v1.2 (comma)", "std::vec (stop)", "a,b (stop)"]],
    ["“quoted” *bold* `code`", ["quoted bold code (stop)"]],
    ["here — there", ["here (comma)", "there (stop)"]],
    ["你好。我很好", ["你好 (stop)", "我很好 (stop)"]],
    ["don’t", ["don't (stop)"]],
    ["CI is red", ["CI is red (stop)"]],
  ] as const)
    test(`splits “${text}”`, () => deepEqual(clausesOf(text), expected));

  test("has a bounded length", () => {
    const lengths = [...clauses("a ".repeat(10_000))].map(({ words }) => words.length);
    match(String(Math.max(...lengths)), /^400$/);
    equal(
      lengths.reduce((sum, n) => sum + n),
      10_000,
    );
  });
});
