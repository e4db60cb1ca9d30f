/**
 * The DOCTOR: Weizenbaum's script of 1966 (the appendix of his paper), in the notation of `script.ts`, with corrected
 * question marks and minor words. Our additions follow under “house”. Ranks, patterns and the order of replies are his.
 *
 * `first` is the starting reply of a deterministic conversation. These values reproduce the conversation printed in the
 * paper word for word (`eliza.test.ts`), and the replies that other projects expect of a deterministic Eliza.
 */
import { link, next, pre, type Rule, type Script } from "./script-compiler";

const always = (...say: Rule["say"]): readonly Rule[] => [{ match: "*", say }];

const doctor: Script["keywords"] = {
  sorry: {
    rules: always(
      "Please don't apologise.",
      "Apologies are not necessary.",
      "What feelings do you have when you apologise?",
      "I've told you that apologies are not required.",
    ),
  },
  remember: {
    rank: 5,
    rules: [
      {
        match: "* you remember *",
        say: [
          "Do you often think of {4}?",
          "Does thinking of {4} bring anything else to mind?",
          "What else do you remember?",
          "Why do you remember {4} just now?",
          "What in the present situation reminds you of {4}?",
          "What is the connection between me and {4}?",
        ],
      },
      {
        match: "* do i remember *",
        say: [
          "Did you think I would forget {5}?",
          "Why do you think I should recall {5} now?",
          "What about {5}?",
          link("what"),
          "You mentioned {5}.",
        ],
      },
      { match: "*", say: [next] },
    ],
  },
  if: {
    rank: 3,
    rules: [
      {
        match: "* if *",
        say: [
          "Do you think it's likely that {3}?",
          "Do you wish that {3}?",
          "What do you think about {3}?",
          "Really, {2} {3}?",
        ],
      },
    ],
  },
  dreamt: {
    rank: 4,
    rules: [
      {
        match: "* you dreamt *",
        say: [
          "Really, {4}?",
          "Have you ever fantasised {4} while you were awake?",
          "Have you dreamt {4} before?",
          link("dream"),
          next,
        ],
      },
    ],
  },
  dreamed: { becomes: "dreamt", rank: 4, as: "dreamt" },
  dream: {
    rank: 3,
    rules: always(
      "What does that dream suggest to you?",
      "Do you dream often?",
      "What persons appear in your dreams?",
      "Don't you believe that dream has something to do with your problem?",
      next,
    ),
  },
  dreams: { becomes: "dream", rank: 3, as: "dream" },
  perhaps: {
    rules: always(
      "You don't seem quite certain.",
      "Why the uncertain tone?",
      "Can't you be more positive?",
      "You aren't sure?",
      "Don't you know?",
    ),
  },
  maybe: { as: "perhaps" },
  name: {
    rank: 15,
    rules: always("I am not interested in names.", "I've told you before, I don't care about names. Please continue."),
  },
  names: { rank: 15, as: "name" },
  deutsch: { as: "english only" },
  français: { as: "english only" },
  francais: { as: "english only" },
  italiano: { as: "english only" },
  español: { as: "english only" },
  espanol: { as: "english only" },
  svenska: { as: "english only" },
  "english only": { rules: always("I am sorry, I speak only English.") },
  hello: { rank: -1, rules: always("How do you do. Please state your problem.") },
  computer: {
    rank: 50,
    rules: always(
      "Do computers worry you?",
      "Why do you mention computers?",
      "What do you think machines have to do with your problem?",
      "Don't you think computers can help people?",
      "What about machines worries you?",
      "What do you think about machines?",
    ),
  },
  computers: { rank: 50, as: "computer" },
  machine: { rank: 50, as: "computer" },
  machines: { rank: 50, as: "computer" },
  am: {
    becomes: "are",
    rules: [
      {
        match: "* are you *",
        say: [
          "Do you believe you are {4}?",
          "Would you want to be {4}?",
          "You wish I would tell you you are {4}?",
          "What would it mean if you were {4}?",
          link("what"),
        ],
      },
      { match: "*", say: ["Why do you say “am”?", "I don't understand that."] },
    ],
  },
  are: {
    rules: [
      {
        match: "* are i *",
        say: [
          "Why are you interested in whether I am {4} or not?",
          "Would you prefer if I weren't {4}?",
          "Perhaps I am {4} in your fantasies.",
          "Do you sometimes think I am {4}?",
          link("what"),
        ],
      },
      {
        match: "* are *",
        say: [
          "Did you think they might not be {3}?",
          "Would you like it if they were not {3}?",
          "What if they were not {3}?",
          "Possibly they are {3}.",
        ],
      },
    ],
  },
  your: {
    becomes: "my",
    rules: [
      {
        match: "* my *",
        say: [
          "Why are you concerned over my {3}?",
          "What about your own {3}?",
          "Are you worried about someone else's {3}?",
          "Really, my {3}?",
        ],
      },
    ],
  },
  was: {
    rank: 2,
    rules: [
      {
        match: "* [was were] you *",
        say: [
          "What if you were {4}?",
          "Do you think you were {4}?",
          "Were you {4}?",
          "What would it mean if you were {4}?",
          "What does “{4}” suggest to you?",
          link("what"),
        ],
      },
      {
        match: "* you [was were] *",
        say: ["Were you really?", "Why do you tell me you were {4} now?", "Perhaps I already knew you were {4}."],
      },
      {
        match: "* [was were] i *",
        say: [
          "Would you like to believe I was {4}?",
          "What suggests that I was {4}?",
          "What do you think?",
          "Perhaps I was {4}.",
          "What if I had been {4}?",
        ],
      },
      { match: "*", say: [next] },
    ],
  },
  were: { rank: 2, as: "was" },
  me: { becomes: "you" },
  myself: { becomes: "yourself" },
  yourself: { becomes: "myself" },
  mine: { becomes: "yours" },
  yours: { becomes: "mine" },
  "you're": { becomes: "I'm", rules: [{ match: "* i'm *", say: [pre("I are {3}", "you")] }] },
  "i'm": { becomes: "you're", rules: [{ match: "* you're *", say: [pre("you are {3}", "i")] }] },
  i: {
    becomes: "you",
    rules: [
      {
        match: "* you [want need] *",
        say: [
          "What would it mean to you if you got {4}?",
          "Why do you want {4}?",
          "Suppose you got {4} soon.",
          "What if you never got {4}?",
          "What would getting {4} mean to you?",
          "What does wanting {4} have to do with this discussion?",
        ],
      },
      {
        match: "* you are * [sad unhappy depressed sick] *",
        say: [
          "I am sorry to hear you are {5}.",
          "Do you think coming here will help you not to be {5}?",
          "I'm sure it's not pleasant to be {5}.",
          "Can you explain what made you {5}?",
        ],
      },
      {
        match: "* you are * [happy elated glad better] *",
        say: [
          "How have I helped you to be {5}?",
          "Has your treatment made you {5}?",
          "What makes you {5} just now?",
          "Can you explain why you are suddenly {5}?",
        ],
      },
      { match: "* you was *", say: [link("was")] },
      {
        match: "* you <belief> you *",
        say: ["Do you really think so?", "But you are not sure you {5}.", "Do you really doubt you {5}?"],
      },
      { match: "* you * <belief> * i *", say: [link("you")] },
      {
        match: "* you are *",
        first: 2,
        say: [
          "Is it because you are {4} that you came to me?",
          "How long have you been {4}?",
          "Do you believe it is normal to be {4}?",
          "Do you enjoy being {4}?",
        ],
      },
      {
        match: "* you [can't cannot] *",
        say: [
          "How do you know you can't {4}?",
          "Have you tried?",
          "Perhaps you could {4} now.",
          "Do you really want to be able to {4}?",
        ],
      },
      {
        match: "* you don't *",
        say: [
          "Don't you really {4}?",
          "Why don't you {4}?",
          "Do you wish to be able to {4}?",
          "Does that trouble you?",
        ],
      },
      {
        match: "* you feel *",
        say: [
          "Tell me more about such feelings.",
          "Do you often feel {4}?",
          "Do you enjoy feeling {4}?",
          "Of what does feeling {4} remind you?",
        ],
      },
      {
        match: "* you * i *",
        say: [
          "Perhaps in your fantasy we {3} each other.",
          "Do you wish to {3} me?",
          "You seem to need to {3} me.",
          "Do you {3} anyone else?",
        ],
      },
      {
        match: "*",
        say: [
          "You say {1}?",
          "Can you elaborate on that?",
          "Do you say {1} for some special reason?",
          "That's quite interesting.",
        ],
      },
    ],
  },
  you: {
    becomes: "I",
    rules: [
      { match: "* i remind you of *", say: [link("likeness")] },
      {
        match: "* i are *",
        say: [
          "What makes you think I am {4}?",
          "Does it please you to believe I am {4}?",
          "Do you sometimes wish you were {4}?",
          "Perhaps you would like to be {4}.",
        ],
      },
      {
        match: "* i * you",
        say: [
          "Why do you think I {3} you?",
          "You like to think I {3} you, don't you?",
          "What makes you think I {3} you?",
          "Really, I {3} you?",
          "Do you wish to believe I {3} you?",
          "Suppose I did {3} you. What would that mean?",
          "Does someone else believe I {3} you?",
        ],
      },
      {
        match: "* i *",
        say: [
          "We were discussing you, not me.",
          "Oh, I {3}?",
          "You're not really talking about me, are you?",
          "What are your feelings now?",
        ],
      },
    ],
  },
  yes: { rules: always("You seem quite positive.", "You are sure.", "I see.", "I understand.") },
  certainly: { as: "yes" },
  no: {
    rules: always("Are you saying no just to be negative?", "You are being a bit negative.", "Why not?", "Why “no”?"),
  },
  my: {
    becomes: "your",
    rank: 2,
    rules: [
      {
        match: "* your * <family> *",
        say: [
          "Tell me more about your family.",
          "Who else in your family {5}?",
          "Your {4}?",
          "What else comes to mind when you think of your {4}?",
        ],
      },
      {
        match: "* your *",
        say: [
          "Your {3}?",
          "Why do you say your {3}?",
          "Does that suggest anything else which belongs to you?",
          "Is it important to you that your {3}?",
        ],
      },
    ],
  },
  can: {
    rules: [
      {
        match: "* can i *",
        say: [
          "You believe I can {4}, don't you?",
          link("what"),
          "You want me to be able to {4}.",
          "Perhaps you would like to be able to {4} yourself.",
        ],
      },
      {
        match: "* can you *",
        say: [
          "Whether or not you can {4} depends on you more than on me.",
          "Do you want to be able to {4}?",
          "Perhaps you don't want to {4}.",
          link("what"),
        ],
      },
    ],
  },
  what: {
    rules: [
      {
        match: "what [is are was were] *",
        say: [
          "Why do you want to know about {3}?",
          "What do you already know about {3}?",
          "What comes to your mind when you think of {3}?",
        ],
      },
      {
        match: "*",
        say: [
          "Why do you ask?",
          "Does that question interest you?",
          "What is it you really want to know?",
          "Are such questions much on your mind?",
          "What answer would please you most?",
          "What do you think?",
          "What comes to your mind when you ask that?",
          "Have you asked such questions before?",
          "Have you asked anyone else?",
        ],
      },
    ],
  },
  how: {
    rules: [
      { match: "* how are i", say: ["I don't have feelings, but I'm functioning well. What about you?"] },
      {
        match: "* how are i [doing feeling today] *",
        say: ["I don't have feelings, but I'm functioning well. What about you?"],
      },
      {
        match: "how [do can could should would] you *",
        say: ["What keeps you from finding out how to {4}?", "Why do you want to {4}?", "What have you tried so far?"],
      },
      { match: "*", say: [link("what")] },
    ],
  },
  when: { as: "what" },
  because: {
    rules: always(
      "Is that the real reason?",
      "Don't any other reasons come to mind?",
      "Does that reason seem to explain anything else?",
      "What other reasons might there be?",
    ),
  },
  why: {
    rules: [
      {
        match: "* why don't i *",
        say: [
          "Do you believe I don't {5}?",
          "Perhaps I will {5} in good time.",
          "Should you {5} yourself?",
          "You want me to {5}?",
          link("what"),
        ],
      },
      {
        match: "* why can't you *",
        say: [
          "Do you think you should be able to {5}?",
          "Do you want to be able to {5}?",
          "Do you believe this will help you to {5}?",
          "Have you any idea why you can't {5}?",
          link("what"),
        ],
      },
      { match: "*", say: [link("what")] },
    ],
  },
  everyone: {
    rank: 2,
    rules: [
      {
        match: "* [everyone everybody nobody noone] *",
        say: [
          "Really, {2}?",
          "Surely not {2}.",
          "Can you think of anyone in particular?",
          "Who, for example?",
          "You are thinking of a very special person.",
          "Who, may I ask?",
          "Someone special perhaps?",
          "You have a particular person in mind, don't you?",
          "Who do you think you're talking about?",
        ],
      },
    ],
  },
  everybody: { rank: 2, as: "everyone" },
  nobody: { rank: 2, as: "everyone" },
  noone: { rank: 2, as: "everyone" },
  always: {
    rank: 1,
    rules: always(
      "Can you think of a specific example?",
      "When?",
      "What incident are you thinking of?",
      "Really, always?",
    ),
  },
  like: {
    rank: 10,
    rules: [
      { match: "* [am is are was] * like *", say: [link("likeness")] },
      { match: "*", say: [next] },
    ],
  },
  likeness: {
    rules: always(
      "In what way?",
      "What resemblance do you see?",
      "What does that similarity suggest to you?",
      "What other connections do you see?",
      "What do you suppose that resemblance means?",
      "What is the connection, do you suppose?",
      "Could there really be some connection?",
      "How?",
    ),
  },
  alike: { rank: 10, as: "likeness" },
  same: { rank: 10, as: "likeness" },
};

/** Our additions: present-day greetings, and topics of programmers. */
const house: Script["keywords"] = {
  hi: { rank: -1, as: "hello" },
  hey: { rank: -1, as: "hello" },
  rust: {
    rank: 55,
    rules: always(
      "I was written in Rust, you know.",
      "Does Rust make you feel safe?",
      "Whom do you trust with what you own?",
      "What would you rewrite first?",
    ),
  },
  ferris: {
    rank: 55,
    rules: always(
      "Ferris believes in you, even when the compiler doesn't.",
      "What would you tell Ferris, if he were here?",
      "Why do you bring up the crab?",
    ),
  },
  cargo: {
    rank: 55,
    rules: always(
      "Have you tried `cargo clean`? It's very refreshing.",
      "What else are you carrying around with you?",
      "How many dependencies do you have?",
    ),
  },
  borrow: {
    rank: 55,
    rules: always(
      "Do you find it hard to give things back?",
      "What would happen if you simply owned it?",
      "How long does it have to live, do you think?",
    ),
  },
  clippy: {
    rank: 55,
    rules: always(
      "How do you feel when your code is criticised?",
      "Could Clippy be right about you?",
      "Would you `allow` yourself that?",
    ),
  },
  async: { rank: 55, rules: always("What are you waiting for?", "Do you keep your promises?", "I can wait. Can you?") },
  lifetimes: { rank: 55, rules: always("How long do you expect it to last?", "What do you want to outlive?") },
  unwrap: { rank: 55, rules: always("And what if there is nothing inside?", "Do you often panic?") },
  compiler: {
    rank: 52,
    rules: always(
      "Does the compiler remind you of someone?",
      "Do you take its errors personally?",
      "What do you suppose the compiler wants from you?",
    ),
  },
  bug: {
    rank: 52,
    rules: always("When did you first notice it?", "What did you expect to happen?", "Can you make it happen again?"),
  },
  bugs: { rank: 52, as: "bug" },
};

export const DOCTOR: Script = {
  greeting: "How do you do. Please tell me your problem.",
  spelling: {
    dont: "don't",
    cant: "can't",
    wont: "won't",
    im: "i'm",
    youre: "you're",
    "i've": "I have",
    ive: "I have",
    "i'll": "I will",
    "i'd": "I would",
    "you've": "you have",
    "you'll": "you will",
    "you'd": "you would",
    mom: "mother",
    mum: "mother",
    dad: "father",
  },
  tags: {
    family: "mother father sister brother wife husband son daughter parents children",
    belief: "feel think believe wish",
  },
  polish: [
    ["i are", "I am"],
    ["are i", "am I"],
    ["i were", "I was"],
    ["you was", "you were"],
    ["was you", "were you"],
    ["do i", "do I"],
    ["did i", "did I"],
    ["can i", "can I"],
    ["will i", "will I"],
    ["with i", "with me"],
    ["to i", "to me"],
    ["of i", "of me"],
    ["for i", "for me"],
    ["about i", "about me"],
    ["from i", "from me"],
    ["at i", "at me"],
    ["i .", "me"],
  ],
  keywords: { ...doctor, ...house },
  memory: {
    keyword: "my",
    rule: {
      match: "* your *",
      first: 3,
      say: [
        "Let's discuss further why your {3}.",
        "Earlier you said your {3}.",
        "But your {3}.",
        "Does that have anything to do with the fact that your {3}?",
      ],
    },
  },
  fallback: {
    match: "*",
    first: 2,
    say: [
      "I am not sure I understand you fully.",
      "Please go on.",
      "What does “{1}” suggest to you?",
      "Do you feel strongly about discussing such things?",
    ],
  },
};
