export declare const CATALOGUE: string;
export declare function catalogue(): Readonly<Record<string, string>>;
export declare function messagesIn(file: string, source: string): readonly string[];
