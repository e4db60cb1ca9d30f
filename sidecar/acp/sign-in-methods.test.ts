import { deepEqual, doesNotMatch, equal, match } from "node:assert/strict";
import fc from "fast-check";
import { authMethodsIn, chosenMethod, methodForm, variablesForm, variablesIn } from "./sign-in-methods";

const METHODS = authMethodsIn({
  authMethods: [
    { id: "login", name: "Log in", description: "In your browser" },
    { id: "cli", name: "In a terminal", type: "terminal", args: ["--cli", 7, "login"], env: { A: "1", B: 2 } },
    {
      id: "key",
      name: "API key",
      type: "env_var",
      vars: [
        { name: "ADA_KEY", label: "Key" },
        { name: "ADA_URL", secret: false, optional: true },
      ],
    },
  ],
});
const [LOGIN, , KEY] = METHODS;

suite("sign-in method", () => {
  test("reads the agent's own method, a terminal and variables", () =>
    deepEqual(METHODS, [
      { id: "login", name: "Log in", description: "In your browser", kind: "agent" },
      { id: "cli", name: "In a terminal", kind: "terminal", args: ["--cli", "login"], env: { A: "1" } },
      {
        id: "key",
        name: "API key",
        kind: "environment",
        variables: [
          { name: "ADA_KEY", label: "Key", isSecret: true, isOptional: false },
          { name: "ADA_URL", label: "ADA_URL", isSecret: false, isOptional: true },
        ],
      },
    ]));

  test("reads the id of v2 and the single variable of the first draft", () =>
    deepEqual(
      authMethodsIn({
        authMethods: [
          { methodId: "m", type: "agent" },
          { id: "k", type: "env_var", varName: "K" },
        ],
      }),
      [
        { id: "m", name: "m", kind: "agent" },
        {
          id: "k",
          name: "k",
          kind: "environment",
          variables: [{ name: "K", label: "K", isSecret: true, isOptional: false }],
        },
      ],
    ));

  test("omits unknown methods and unsafe variables", () =>
    deepEqual(
      authMethodsIn({
        authMethods: [
          7,
          {},
          { id: "x", type: "_gateway" },
          { id: "y", type: "env_var" },
          {
            id: "z",
            type: "env_var",
            vars: ["PATH", "NODE_OPTIONS", "LD_PRELOAD", "DYLD_INSERT_LIBRARIES", "BASH_ENV", "A B", "A=B", ""].map(
              name => ({ name }),
            ),
          },
        ],
      }),
      [],
    ));

  test("offers a choice among several", () => {
    const { message, ask } = methodForm(METHODS);
    equal(message, "Prompts are sent after you sign in.");
    deepEqual(
      ask.fields.map(
        field => field.type === "choice" && [field.required, field.initial, field.options.map(({ value }) => value)],
      ),
      [[true, "login", ["login", "cli", "key"]]],
    );
    deepEqual(chosenMethod(METHODS, { method: "key" }), KEY);
    equal(chosenMethod(METHODS, { method: "gone" }), undefined);
  });

  test("requests only consent for a single method", () => {
    deepEqual(methodForm(METHODS.slice(0, 1)), {
      message: "Log in: In your browser\n\nPrompts are sent after you sign in.",
      ask: { mode: "form", purpose: "signIn", fields: [] },
    });
    deepEqual(chosenMethod(METHODS.slice(0, 1), {}), LOGIN);
  });

  test("requests variables with masked secrets and omits empty ones", () => {
    if (KEY?.kind !== "environment") return void equal(KEY?.kind, "environment");
    const { message, ask } = variablesForm("Ada", KEY);
    match(message, /secret storage/);
    doesNotMatch(message, /undefined/);
    deepEqual(
      ask.fields.map(field => field.type === "text" && [field.name, field.required, field.format]),
      [
        ["ADA_KEY", true, "password"],
        ["ADA_URL", false, undefined],
      ],
    );
    deepEqual(variablesIn(KEY, { ADA_KEY: "k", ADA_URL: "", PATH: "/evil" }), { ADA_KEY: "k" });
  });

  test("returns a list for any agent input", () =>
    fc.assert(
      fc.property(fc.anything(), value => {
        authMethodsIn(value);
        authMethodsIn({ authMethods: value });
      }),
    ));
});
