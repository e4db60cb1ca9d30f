/** The script of the step with this name. Throws if the workflow has no such step. */
export function stepScript(workflow: string, name: string): string;
