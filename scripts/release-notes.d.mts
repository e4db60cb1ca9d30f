export interface Section {
  readonly version: string;
  readonly rest: string;
  readonly text: string;
}
export interface Release {
  readonly version: string;
  readonly tag: string;
  readonly channel: "pre-release" | "release";
  readonly notes: string;
}
export declare function isPrerelease(version: string): boolean;
export declare function sectionsOf(changelog: string): readonly Section[];
export declare function releaseOf(sources: {
  readonly version: string;
  readonly lockedVersion: string;
  readonly tag: string | undefined;
  readonly changelog: string;
  readonly repository: string;
}): Release;
