// Time limits of the tests. A limit only detects a hang, so it grows with the load of the machine. At a load of 40 on
// two cores, the same work takes twenty times as long.
import { availableParallelism, loadavg } from "node:os";

/** Upper bound of the factor. A hanging test must end before the time limit of the continuous integration. */
const MAX_FACTOR = 20;

/** `milliseconds` on an idle machine, scaled by the current load per core; never less. Windows reports no load. */
export const timeLimit = milliseconds => Math.round(milliseconds * loadFactor(loadavg()[0], availableParallelism()));

/** Between 1 and `MAX_FACTOR`. Pure. */
export const loadFactor = (load, cores) => Math.min(MAX_FACTOR, Math.max(1, load / cores));
