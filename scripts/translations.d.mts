export type Texts = Readonly<Record<string, string>>;
export interface Parts<T> {
  readonly texts: T;
  readonly manifest: T;
}
export declare function languages(): readonly string[];
export declare function partsOf(language?: string): Parts<string>;
export declare function read(file: string): Texts;
export declare function write(file: string, texts: Texts): void;
export declare function untranslated(english: Texts, translated: Texts): Texts;
export declare function updated(english: Texts, translated: Texts): Texts;
export declare function faultsOf(english: string, translated: string, same: ReadonlySet<string>): readonly string[];
export declare function isOneForm(singular: string, plural: string): boolean;
