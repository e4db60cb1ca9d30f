// The types of ./index.mjs, for the tests that use VS Code's page. The implementations document the behaviour.
import type { Browser, BrowserContext, FrameLocator, Locator, Page } from "playwright-core";

export type Settings = Readonly<Record<string, unknown>>;

export interface Server {
  readonly home: string;
  readonly userData: string;
  readonly extensions: string;
  readonly logFile: string;
  readonly port: number;
  readonly authority: string;
  readonly pid: number;
  readonly settingsFile: string;
  /** Writes the user settings, in addition to `QUIET_SETTINGS`. A running workbench applies them immediately. */
  writeSettings(settings: Settings): void;
  /** Installs a .vsix for pages opened later. */
  install(vsix: string): void;
  stop(): Promise<void>;
}

export interface ServerOptions {
  readonly home?: string;
  readonly ownHome?: boolean;
  readonly settings?: Settings;
  readonly userData?: string;
  readonly extensionsDir?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  /** Workspace trust is on: folders open in Restricted Mode. */
  readonly restricted?: boolean;
  /** The password of the page; none by default. */
  readonly password?: string;
  /** Lifetime of an extension host after its page disappeared without closing. */
  readonly graceSeconds?: number;
}
export function startServer(options?: ServerOptions): Promise<Server>;

export interface WorkbenchOptions {
  readonly folder?: string;
  readonly workspace?: string;
  readonly extensions?: readonly string[];
  readonly payload?: readonly (readonly [string, string])[];
  readonly context?: BrowserContext;
  readonly onPage?: (page: Page) => Promise<void> | void;
}
export function launchBrowser(): Promise<Browser>;
export function openWorkbench(browser: Browser, server: Server, options?: WorkbenchOptions): Promise<Page>;
export function runCommand(page: Page, title: string): Promise<void>;
/** Limits the actions and waits of a context by the current load. */
export function boundActions(context: BrowserContext): void;
export function webviewFrame(page: Page, outer?: string): FrameLocator;

export interface CardText {
  readonly kind: "prompt" | "answer";
  readonly text: string;
}
export function openChat(page: Page, timeout?: number): Promise<FrameLocator>;
export function turnState(frame: FrameLocator): Promise<"idle" | "starting" | "running" | "cancelling">;
export function promptInput(frame: FrameLocator): Promise<Locator>;
export function sendPrompt(frame: FrameLocator, text: string): Promise<void>;
/** Calls a function that sends a prompt. Returns when the page shows the prompt as a card. */
export function sending(frame: FrameLocator, send: () => Promise<unknown>): Promise<void>;
export function readCards(frame: FrameLocator): Promise<readonly CardText[]>;
export function lastExchange(frame: FrameLocator): Promise<{ readonly question: string; readonly answer: string }>;
export function turnEnded(
  frame: FrameLocator,
  options?: {
    readonly timeout?: number;
    readonly permission?: (label: string) => void;
    readonly answer?: typeof allowOnce;
  },
): Promise<void>;
export function allowOnce(frame: FrameLocator, pressed: (label: string) => void): Promise<void>;
export function rejectOnce(frame: FrameLocator, pressed: (label: string) => void): Promise<void>;

export function until(
  documents: readonly Locator[],
  condition: () => Promise<boolean>,
  timeout: number,
  otherwise: string,
): Promise<void>;

export interface Found {
  readonly pid: number;
  readonly command: string;
}
export function census(entry: string): readonly Found[];
export function leftovers(entry: string, milliseconds: number): Promise<readonly Found[]>;
