/**
 * Renders an agent's form with Symposium's own elements. The chat widget's form items parse some texts as HTML, are not
 * fully usable by keyboard, and disappear with each update of their card.
 *
 * Invariants:
 * - The agent's texts are rendered as text.
 * - Entered values are never persisted and leave the page only in a valid answer.
 * - A redrawn form keeps its values.
 */
import type { ElicitationChoice, Field, FieldOption, FormAsk } from "../../src/protocol/chat/elicitation";
import { visibleLine } from "../../src/protocol/text/visible-text";
import { freshId, create } from "./dom";
import { filled, hintOf, type Entered } from "../view-model/cards/form-values";
import { texts } from "../view-model/text/chat-texts";

interface RenderedField {
  readonly field: Field;
  readonly element: HTMLElement;
  /** Receives the focus when the value is invalid. */
  readonly focusTarget: HTMLElement;
  /** Elements that carry `aria-invalid`. */
  readonly invalidElements: readonly HTMLElement[];
  readonly entered: () => Entered;
  readonly wrong: HTMLElement;
}

export class Form {
  readonly element: HTMLElement;
  readonly #fields: readonly RenderedField[];
  readonly #errorSummary = create("p", { className: "symposium-unseen", attributes: { role: "alert" } });

  /** `accessibleName`: the requester and the request. */
  constructor(
    { purpose, title, description, fields }: FormAsk,
    accessibleName: string,
    answer: (choice: ElicitationChoice) => void,
  ) {
    this.#fields = fields.map(renderField);
    this.element = create(
      "div",
      { className: "symposium-form", attributes: { role: "form", "aria-label": accessibleName } },
      ...(title === undefined ? [] : [create("p", { className: "symposium-form-title", text: visibleLine(title) })]),
      ...(description === undefined
        ? []
        : [create("p", { className: "symposium-form-about", text: visibleLine(description) })]),
      ...this.#fields.map(({ element }) => element),
      this.#errorSummary,
      create(
        "div",
        { className: "symposium-form-buttons" },
        button(purpose === "signIn" ? texts.signIn : texts.submit, "main", () => this.#submit(answer)),
        button(purpose === "signIn" ? texts.declineSignIn : texts.decline, "plain", () => answer({ kind: "decline" })),
      ),
    );
    if (purpose !== undefined) this.element.dataset["purpose"] = purpose;
    this.element.addEventListener("keydown", event => {
      if (
        event.key !== "Enter" ||
        event.isComposing ||
        !(event.target instanceof HTMLInputElement || event.ctrlKey || event.metaKey)
      )
        return;
      event.preventDefault();
      this.#submit(answer);
    });
  }

  #submit(answer: (choice: ElicitationChoice) => void): void {
    const result = filled(
      this.#fields.map(({ field }) => field),
      new Map(this.#fields.map(({ field, entered }) => [field.name, entered()])),
    );
    const wrong = result.kind === "wrong" ? result.wrong : new Map<string, string>();
    for (const drawn of this.#fields) {
      const why = wrong.get(drawn.field.name);
      drawn.wrong.textContent = why ?? "";
      for (const each of drawn.invalidElements) each.setAttribute("aria-invalid", String(why !== undefined));
    }
    this.#errorSummary.textContent = wrong.size === 0 ? "" : [texts.wrongForm, ...wrong.values()].join(" ");
    if (result.kind === "right") return answer(result.choice);
    this.#fields.find(({ field }) => wrong.has(field.name))?.focusTarget.focus();
  }

  /** A closed form can be neither changed nor submitted. */
  set open(open: boolean) {
    this.element.inert = !open;
  }
}

function button(text: string, weight: "main" | "plain", press: () => void): HTMLButtonElement {
  const element = create("button", {
    className: `symposium-button symposium-${weight}`,
    text,
    attributes: { type: "button" },
  });
  element.addEventListener("click", press);
  return element;
}

// --- fields

function renderField(field: Field): RenderedField {
  switch (field.type) {
    case "text":
      return controlField(field, field.initial ?? "", inputFor(field));
    case "number":
    case "integer":
      return controlField(
        field,
        field.initial === undefined ? "" : String(field.initial),
        create("input", {
          attributes: {
            type: "text",
            inputmode: field.type === "integer" ? "numeric" : "decimal",
            autocomplete: "off",
          },
        }),
      );
    case "boolean":
      return checkboxField(field);
    case "choice":
      return field.options.length <= MAX_RADIOS
        ? groupField(field, "radio", field.required ? [] : [NO_ANSWER])
        : selectField(field);
    case "choices":
      return groupField(field, "checkbox", []);
  }
}

const MAX_RADIOS = 5;
const NO_ANSWER: FieldOption = { value: "", title: texts.noAnswer };

type FieldOf<T extends Field["type"]> = Extract<Field, { readonly type: T }>;
type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

/**
 * Dates also use a text input. A date picker shows the user's locale, but the hint shows the format that the agent
 * expects.
 */
function inputFor({ format, maxLength, initial }: FieldOf<"text">): Control {
  if (format === undefined && (initial?.includes("\n") || (maxLength ?? 0) > 200))
    return create("textarea", { attributes: { rows: "3" } });
  const type = format === "email" ? "email" : format === "uri" ? "url" : format === "password" ? "password" : "text";
  return create("input", { attributes: { type, autocomplete: "off", spellcheck: "false" } });
}

/** Label, notes and error message of a field with a single control. */
function controlField(field: Field, initial: string, control: Control): RenderedField {
  const { notes, wrong, ids } = notesOf(field);
  control.id = freshId();
  control.value = initial;
  describe(control, field, ids);
  const label = create(
    "label",
    { className: "symposium-label", text: visibleLine(field.title), attributes: { for: control.id } },
    ...requiredMark(field),
  );
  return {
    field,
    wrong,
    element: create("div", { className: "symposium-field" }, label, ...notes, control, wrong),
    focusTarget: control,
    invalidElements: [control],
    entered: () => control.value,
  };
}

function selectField(field: FieldOf<"choice">): RenderedField {
  const empty = field.required && field.initial === undefined ? texts.pleaseSelect : texts.noAnswer;
  const options = [
    ...(field.required && field.initial !== undefined ? [] : [{ value: "", title: empty }]),
    ...field.options,
  ];
  // Option values are indexes, because the agent's values can be empty or duplicate.
  const control = create(
    "select",
    {},
    ...options.map(({ title, description }, i) =>
      create("option", {
        text: visibleLine(title),
        attributes: { value: String(i), ...(description === undefined ? {} : { title: visibleLine(description) }) },
      }),
    ),
  );
  const initial = options.findIndex(({ value }, i) => value === field.initial && (i > 0 || field.required));
  return {
    ...controlField(field, String(Math.max(0, initial)), control),
    entered: () => options[control.selectedIndex]?.value ?? "",
  };
}

function checkboxField(field: FieldOf<"boolean">): RenderedField {
  const { notes, wrong, ids } = notesOf(field);
  const control = create("input", { attributes: { type: "checkbox", id: freshId() } });
  control.checked = field.initial ?? false;
  describe(control, field, ids);
  const label = create(
    "label",
    { className: "symposium-option" },
    control,
    create("span", { text: visibleLine(field.title) }),
  );
  return {
    field,
    wrong,
    element: create("div", { className: "symposium-field" }, label, ...notes, wrong),
    focusTarget: control,
    invalidElements: [control],
    entered: () => control.checked,
  };
}

function groupField(
  field: FieldOf<"choice"> | FieldOf<"choices">,
  type: "radio" | "checkbox",
  extraOptions: readonly FieldOption[],
): RenderedField {
  const { notes, wrong, ids } = notesOf(field);
  const name = freshId();
  const isInitial = ({ value }: FieldOption): boolean =>
    field.type === "choices" ? (field.initial?.includes(value) ?? false) : field.initial === value;
  const options = [...field.options, ...extraOptions];
  const boxes = options.map((option, i) => {
    const box = create("input", { attributes: { type, name, id: freshId() } });
    box.checked = i < field.options.length ? isInitial(option) : !field.options.some(isInitial);
    return box;
  });
  const labels = options.map(({ title, description }, i) =>
    create(
      "label",
      { className: "symposium-option", attributes: { for: boxes[i]?.id ?? "" } },
      ...boxes.slice(i, i + 1),
      create(
        "span",
        { text: visibleLine(title) },
        ...(description === undefined
          ? []
          : // The space separates the words for screen readers.
            [
              document.createTextNode(" "),
              create("span", { className: "symposium-note", text: visibleLine(description) }),
            ]),
      ),
    ),
  );
  const group = create(
    "fieldset",
    { className: "symposium-field", attributes: { role: type === "radio" ? "radiogroup" : "group" } },
    create("legend", { className: "symposium-label", text: visibleLine(field.title) }, ...requiredMark(field)),
    ...notes,
    ...labels,
    wrong,
  );
  if (ids !== "") group.setAttribute("aria-describedby", ids);
  const selectedValues = () => options.flatMap(({ value }, i) => (boxes[i]?.checked ? [value] : []));
  return {
    field,
    wrong,
    element: group,
    focusTarget: boxes[0] ?? group,
    invalidElements: type === "radio" ? [group] : boxes,
    entered: () => (field.type === "choices" ? selectedValues() : (selectedValues()[0] ?? "")),
  };
}

/**
 * Notes of a field (the agent's description and the expected format), the element for its error message, and their ids.
 */
function notesOf(field: Field): {
  readonly notes: readonly HTMLElement[];
  readonly wrong: HTMLElement;
  readonly ids: string;
} {
  const notes = [field.description ?? "", hintOf(field)]
    .filter(text => text.trim() !== "")
    .map(text =>
      create("span", { className: "symposium-note", text: visibleLine(text), attributes: { id: freshId() } }),
    );
  const wrong = create("span", { className: "symposium-wrong", attributes: { id: freshId() } });
  return { notes, wrong, ids: [...notes, wrong].map(({ id }) => id).join(" ") };
}

function describe(control: HTMLElement, { required }: Field, ids: string): void {
  control.setAttribute("aria-describedby", ids);
  if (required) control.setAttribute("aria-required", "true");
}

function requiredMark({ required }: Field): readonly HTMLElement[] {
  return required ? [create("span", { className: "symposium-required", text: ` (${texts.required})` })] : [];
}
