export const BYPASSED: RegExp;
