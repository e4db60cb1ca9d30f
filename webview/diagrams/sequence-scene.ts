/** Lays out a sequence diagram from top to bottom and draws its items. Pure. */
import type { Participant, Sequence, SequenceStep } from "./model";
import {
  circle,
  LINE_HEIGHT,
  markedStart,
  polygon,
  textAround,
  widthOf,
  wrapped,
  type Measure,
  type Point,
  type Scene,
  type SceneItem,
} from "./scene";

const MARGIN = 8;
const GAP = 24;
const SELF = { width: 36, height: 22 };
const BAR = 8;
/** Width of the sign of a person. */
const PERSON = 18;
/** A longer diagram repeats its participants at the end. */
const LONG = 480;

interface Column {
  readonly participant: Participant;
  readonly lines: readonly string[];
  readonly width: number;
  readonly x: number;
}
interface OpenBlock {
  readonly top: number;
  readonly name: string;
  readonly text: string;
  readonly dividers: SceneItem[];
  minX: number;
  maxX: number;
}

export function sequenceScene(sequence: Sequence, measure: Measure): Scene {
  return new SequenceDrawing(sequence, measure).scene();
}

class SequenceDrawing {
  readonly #columns: readonly Column[];
  readonly #index: ReadonlyMap<string, number>;
  readonly #back: SceneItem[] = [];
  readonly #front: SceneItem[] = [];
  readonly #blocks: OpenBlock[] = [];
  readonly #active = new Map<string, number[]>();
  readonly #headHeight: number;
  #y: number;
  #minX: number;
  #maxX: number;

  constructor(
    private readonly sequence: Sequence,
    private readonly measure: Measure,
  ) {
    this.#index = new Map(sequence.participants.map(({ id }, i) => [id, i]));
    this.#columns = this.#placed();
    this.#headHeight = Math.max(...this.#columns.map(({ lines }) => lines.length)) * LINE_HEIGHT + 16;
    this.#minX = Math.min(...this.#columns.map(({ x, width }) => x - width / 2));
    this.#maxX = Math.max(...this.#columns.map(({ x, width }) => x + width / 2));
    this.#y = this.#headHeight + (sequence.title === "" ? 0 : LINE_HEIGHT + 8);
  }

  scene(): Scene {
    const top = this.#y - this.#headHeight,
      start = this.#y;
    if (this.sequence.title !== "")
      this.#front.push(
        textAround({ x: (this.#minX + this.#maxX) / 2, y: LINE_HEIGHT / 2 }, [this.sequence.title], "title"),
      );
    this.#y += 8;
    for (const step of this.sequence.steps) this.#draw(step);
    for (const id of this.#active.keys()) while (this.#deactivate(id));
    this.#y += 16;
    const isLong = this.#y > LONG,
      lifelines = this.#columns.map(
        ({ x }): SceneItem => ({
          kind: "path",
          d: polygon(
            [
              { x, y: start },
              { x, y: this.#y },
            ],
            false,
          ),
          role: "lifeline",
        }),
      );
    const heads = [top, ...(isLong ? [this.#y] : [])].flatMap(y =>
      this.#columns.flatMap(column => this.#head(column, y)),
    );
    return {
      minX: this.#minX - MARGIN,
      minY: -MARGIN,
      width: this.#maxX - this.#minX + 2 * MARGIN,
      height: this.#y + (isLong ? this.#headHeight : 0) + 2 * MARGIN,
      items: [...lifelines, ...this.#back, ...heads, ...this.#front],
    };
  }

  /** Columns with enough room for the texts between them. */
  #placed(): readonly Column[] {
    const columns: Column[] = [];
    const room: { readonly from: number; readonly to: number; readonly width: number }[] = [];
    const ask = (from: number, to: number, width: number): void => {
      room.push({ from: Math.min(from, to), to: Math.max(from, to), width });
    };
    for (const step of this.sequence.steps) {
      if (step.kind === "message") {
        const [from, to] = [this.#indexOf(step.from), this.#indexOf(step.to)],
          width = this.#widthOf(step.text) + GAP;
        if (from === to) ask(from, from + 1, width + SELF.width);
        else ask(from, to, width);
      } else if (step.kind === "note") {
        const at = step.ids.map(id => this.#indexOf(id)),
          [first, last] = [Math.min(...at), Math.max(...at)],
          width = this.#widthOf(step.text) + 2 * GAP;
        if (step.place === "left") ask(first - 1, first, width);
        else if (step.place === "right") ask(last, last + 1, width);
        else if (first === last) {
          ask(first - 1, first, width / 2 + GAP);
          ask(last, last + 1, width / 2 + GAP);
        } else ask(first, last, width - GAP);
      }
    }
    for (const [i, participant] of this.sequence.participants.entries()) {
      const lines = wrapped(participant.label, this.measure),
        width = Math.max(60, widthOf(lines, this.measure) + GAP + (participant.isPerson ? PERSON : 0)),
        before = columns.at(-1);
      let x = before === undefined ? width / 2 : before.x + (before.width + width) / 2 + GAP;
      for (const { from, to, width: wanted } of room) {
        const start = columns[from];
        if (to === i && start !== undefined) x = Math.max(x, start.x + wanted);
      }
      columns.push({ participant, lines, width, x });
    }
    return columns;
  }

  #indexOf(id: string): number {
    return this.#index.get(id) ?? 0;
  }

  #xOf(id: string): number {
    return this.#columns[this.#indexOf(id)]?.x ?? 0;
  }

  #widthOf(text: string): number {
    return widthOf(wrapped(text, this.measure), this.measure);
  }

  #head({ participant, lines, width, x }: Column, top: number): readonly SceneItem[] {
    const height = this.#headHeight,
      box = { x, y: top + height / 2, width, height },
      person: SceneItem[] = participant.isPerson
        ? [
            { kind: "path", d: circle({ x: x - width / 2 + 16, y: top + height / 2 - 4 }, 3.5), role: "edge" },
            {
              kind: "path",
              d: `M${x - width / 2 + 10},${top + height / 2 + 7}a6,6 0 0 1 12,0`,
              role: "edge",
            },
          ]
        : [];
    return [
      { kind: "box", box, radius: participant.isPerson ? 14 : 3, role: "node" },
      ...person,
      textAround({ ...box, x: x + (participant.isPerson ? PERSON / 2 : 0) }, lines, "text"),
    ];
  }

  #draw(step: SequenceStep): void {
    switch (step.kind) {
      case "message":
        return this.#message(step);
      case "note":
        return this.#note(step);
      case "activate":
        this.#active.set(step.id, [...(this.#active.get(step.id) ?? []), this.#y - 4]);
        return;
      case "deactivate":
        this.#deactivate(step.id);
        return;
      case "open":
        this.#y += 10;
        this.#blocks.push({
          top: this.#y,
          name: step.name,
          text: step.text,
          dividers: [],
          minX: Infinity,
          maxX: -Infinity,
        });
        this.#y += LINE_HEIGHT + 8;
        return;
      case "divide":
        return this.#divide(step.text);
      case "close":
        return this.#close();
    }
  }

  #message({ from, to, text, isDashed, end, isTwoWay }: Extract<SequenceStep, { kind: "message" }>): void {
    const lines = wrapped(text, this.measure),
      [start, target] = [this.#xOf(from), this.#xOf(to)],
      isSelf = from === to,
      direction = isSelf ? 1 : Math.sign(target - start) || 1;
    this.#y += 8 + lines.length * LINE_HEIGHT;
    const y = this.#y,
      startX = start + direction * this.#barWidth(from),
      endX = target - (isSelf ? -1 : direction) * this.#barWidth(to),
      points: readonly Point[] = isSelf
        ? [
            { x: startX, y },
            { x: startX + SELF.width, y },
            { x: startX + SELF.width, y: y + SELF.height },
            { x: endX, y: y + SELF.height },
          ]
        : [
            { x: startX, y },
            { x: endX, y },
          ];
    const tail = markedStart(points, isTwoWay ? "arrow" : "none"),
      head = markedStart(tail.points.toReversed(), end);
    this.#front.push(
      { kind: "path", d: polygon(head.points, false), role: isDashed ? "dotted" : "edge" },
      ...tail.marks,
      ...head.marks,
      {
        ...textAround(
          { x: isSelf ? startX + 6 : (start + target) / 2, y: y - 4 - (lines.length * LINE_HEIGHT) / 2 },
          lines,
          "label",
          isSelf ? "start" : "middle",
        ),
      },
    );
    const textWidth = widthOf(lines, this.measure),
      center = (start + target) / 2;
    this.#reach(
      isSelf ? start : Math.min(start, target, center - textWidth / 2),
      isSelf ? startX + Math.max(SELF.width, textWidth + 6) : Math.max(start, target, center + textWidth / 2),
    );
    this.#y += isSelf ? SELF.height + 6 : 6;
  }

  #note({ place, ids, text }: Extract<SequenceStep, { kind: "note" }>): void {
    const lines = wrapped(text, this.measure),
      xs = ids.map(id => this.#xOf(id)),
      [first, last] = [Math.min(...xs), Math.max(...xs)],
      height = Math.max(1, lines.length) * LINE_HEIGHT + 10,
      textWidth = widthOf(lines, this.measure) + 16,
      width = place === "over" ? Math.max(textWidth, last - first + 40) : textWidth,
      x = place === "over" ? (first + last) / 2 : place === "left" ? first - width / 2 - 10 : last + width / 2 + 10;
    this.#y += 8;
    const box = { x, y: this.#y + height / 2, width, height };
    this.#front.push({ kind: "box", box, radius: 2, role: "note" }, textAround(box, lines, "text"));
    this.#reach(x - width / 2, x + width / 2);
    this.#y += height + 4;
  }

  #barWidth(id: string): number {
    return (this.#active.get(id)?.length ?? 0) > 0 ? BAR / 2 : 0;
  }

  /** Returns `false` if the participant is not active. */
  #deactivate(id: string): boolean {
    const open = this.#active.get(id),
      top = open?.pop();
    if (open === undefined || top === undefined) return false;
    const height = Math.max(12, this.#y - top),
      box = { x: this.#xOf(id) + open.length * 4, y: top + height / 2, width: BAR, height };
    this.#back.push({ kind: "box", box, radius: 1, role: "node" });
    return true;
  }

  #reach(left: number, right: number): void {
    this.#minX = Math.min(this.#minX, left);
    this.#maxX = Math.max(this.#maxX, right);
    for (const block of this.#blocks) {
      block.minX = Math.min(block.minX, left);
      block.maxX = Math.max(block.maxX, right);
    }
  }

  #divide(text: string): void {
    this.#y += 10;
    const block = this.#blocks.at(-1),
      y = this.#y;
    if (block === undefined) return;
    // The width is known when the block ends.
    block.dividers.push({
      kind: "text",
      at: { x: 0, y: y + LINE_HEIGHT / 2 + 2 },
      lines: [text === "" ? "" : `[${text}]`],
      anchor: "start",
      role: "dim",
    });
    this.#y += LINE_HEIGHT + 4;
  }

  #close(): void {
    const block = this.#blocks.pop();
    if (block === undefined) return;
    this.#y += 10;
    const label = block.text === "" ? "" : `[${block.text}]`,
      nameWidth = this.measure(block.name, "text") + 14,
      isEmpty = block.minX === Infinity,
      left = (isEmpty ? this.#minX : block.minX) - 14,
      right = Math.max((isEmpty ? this.#maxX : block.maxX) + 14, left + nameWidth + this.measure(label, "text") + 24),
      box = { x: (left + right) / 2, y: (block.top + this.#y) / 2, width: right - left, height: this.#y - block.top };
    this.#back.push(
      { kind: "box", box, radius: 3, role: "group" },
      {
        kind: "path",
        d: `M${left},${block.top + LINE_HEIGHT + 2}h${nameWidth - 6}l6,-6V${block.top}`,
        role: "lifeline",
      },
    );
    const at = { x: left + 7, y: block.top + LINE_HEIGHT / 2 + 1 };
    this.#front.push(
      { kind: "text", at, lines: [block.name], anchor: "start", role: "title" },
      { kind: "text", at: { ...at, x: left + nameWidth + 8 }, lines: [label], anchor: "start", role: "dim" },
    );
    for (const divider of block.dividers)
      if (divider.kind === "text") {
        const y = divider.at.y - LINE_HEIGHT / 2 - 2;
        this.#back.push({
          kind: "path",
          d: polygon(
            [
              { x: left, y },
              { x: right, y },
            ],
            false,
          ),
          role: "lifeline",
        });
        this.#front.push({ ...divider, at: { x: left + 8, y: divider.at.y } });
      }
    this.#reach(left, right);
    this.#y += 4;
  }
}
