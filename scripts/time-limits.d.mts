/** `milliseconds` on an idle machine, scaled by the current load per core; never less. */
export function timeLimit(milliseconds: number): number;
/** The factor for a load average on a number of cores: between 1 and 20. */
export function loadFactor(load: number, cores: number): number;
