/** Measures the visible quality of the chat view: readable text, visible focus, edges of cards. */
import type { FrameLocator } from "playwright-core";

/** VS Code's default themes; `kind` is the class of a page with the theme. */
export const THEMES = [
  { theme: "Dark 2026", kind: "vscode-dark", name: "dark" },
  { theme: "Light 2026", kind: "vscode-light", name: "light" },
  { theme: "Dark High Contrast", kind: "vscode-high-contrast", name: "high-contrast" },
  { theme: "Light High Contrast", kind: "vscode-high-contrast-light", name: "high-contrast-light" },
] as const;

export interface TextSeen {
  readonly text: string;
  readonly element: string;
  readonly contrast: number;
  readonly colour: string;
  readonly background: string;
}

/**
 * Every visible text below `selector`, with its contrast by WCAG 2.1 to the painted background. Includes translucent
 * layers and the opacity of ancestors. Omits disabled controls, as WCAG does.
 */
export function textsSeen(frame: FrameLocator, selector: string): Promise<readonly TextSeen[]> {
  return frame.locator("body").evaluate((body, selector) => {
    type Colour = readonly [red: number, green: number, blue: number, alpha: number];
    const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    if (!canvas) throw new Error("no canvas");
    const parse = (css: string): Colour => {
      canvas.clearRect(0, 0, 1, 1);
      canvas.fillStyle = css;
      canvas.fillRect(0, 0, 1, 1);
      const [r = 0, g = 0, b = 0, a = 0] = canvas.getImageData(0, 0, 1, 1).data;
      return [r, g, b, a / 255];
    };
    const over = ([r, g, b, a]: Colour, [R, G, B]: Colour): Colour => [
      r * a + R * (1 - a),
      g * a + G * (1 - a),
      b * a + B * (1 - a),
      1,
    ];
    const ancestors = (element: Element): readonly Element[] =>
      element.parentElement ? [element, ...ancestors(element.parentElement)] : [element];
    const opacityOf = (element: Element): number =>
      ancestors(element).reduce((product, each) => product * Number(getComputedStyle(each).opacity), 1);
    /** Blends the backgrounds of all ancestors, starting with the colour of the side bar behind the frame. */
    const backgroundOf = (element: Element): Colour => {
      const page = parse(getComputedStyle(document.documentElement).getPropertyValue("--vscode-sideBar-background"));
      return ancestors(element).reduceRight<Colour>(
        (painted, each) => over(parse(getComputedStyle(each).backgroundColor), painted),
        page,
      );
    };
    const luminance = ([r, g, b]: Colour): number => {
      const [R = 0, G = 0, B = 0] = [r, g, b]
        .map(c => c / 255)
        .map(c => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
      return 0.2126 * R + 0.7152 * G + 0.0722 * B;
    };
    const contrast = (a: Colour, b: Colour): number => {
      const [low = 0, high = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y);
      return (high + 0.05) / (low + 0.05);
    };
    const isShown = (element: Element): boolean =>
      element.getClientRects().length > 0 &&
      getComputedStyle(element).visibility === "visible" &&
      !element.closest(":disabled, .symposium-spoken");
    return (
      [...body.querySelectorAll(selector)]
        .flatMap(each => [each, ...each.querySelectorAll("*")])
        .filter(
          element =>
            isShown(element) &&
            [...element.childNodes].some(node => node.nodeType === Node.TEXT_NODE && node.textContent?.trim()),
        )
        // invisible text need not be readable
        .filter(element => parse(getComputedStyle(element).color)[3] > 0 && opacityOf(element) > 0)
        .map(element => {
          const background = backgroundOf(element);
          const [r, g, b, a] = parse(getComputedStyle(element).color);
          const colour = over([r, g, b, a * opacityOf(element)], background);
          const shown = (painted: Colour): string => `rgb(${painted.slice(0, 3).map(Math.round).join(" ")})`;
          return {
            text: element.textContent.trim().slice(0, 40),
            element: `${element.tagName.toLowerCase()}.${[...element.classList].join(".")}`,
            contrast: Math.round(contrast(colour, background) * 100) / 100,
            colour: shown(colour),
            background: shown(background),
          };
        })
    );
  }, selector);
}

export interface Edge {
  readonly width: number;
  readonly style: string;
  readonly colour: string;
}
export interface Edges {
  readonly element: string;
  readonly border: Edge;
  readonly outline: Edge;
}

/** Border (of the top) and outline of the visible elements. */
export function edgesOf(frame: FrameLocator, selector: string): Promise<readonly Edges[]> {
  return frame.locator(selector).evaluateAll(elements =>
    elements
      .filter(element => element.getClientRects().length > 0)
      .map(element => {
        const style = getComputedStyle(element);
        return {
          element: `${element.tagName.toLowerCase()}.${[...element.classList].join(".")}`,
          border: {
            width: parseFloat(style.borderTopWidth),
            style: style.borderTopStyle,
            colour: style.borderTopColor,
          },
          outline: { width: parseFloat(style.outlineWidth), style: style.outlineStyle, colour: style.outlineColor },
        };
      }),
  );
}

/** A colour of the theme as a browser computes it, `undefined` if the theme has none. */
export function themeColour(frame: FrameLocator, name: string): Promise<string | undefined> {
  return frame.locator("body").evaluate((body, name) => {
    const value = getComputedStyle(document.documentElement).getPropertyValue(`--vscode-${name}`);
    if (value === "") return undefined;
    const probe = body.appendChild(document.createElement("i"));
    probe.style.color = value;
    const { color } = getComputedStyle(probe);
    probe.remove();
    return color;
  }, name);
}
