export declare const CATALOGUE: string;
export declare function catalogue(): Readonly<Record<string, string>>;
export declare function plurals(): readonly (readonly [singular: string, plural: string])[];
export declare function messagesIn(file: string, source: string): readonly string[];
export declare function pluralsIn(file: string, source: string): readonly (readonly string[])[];
