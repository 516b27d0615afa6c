/**
 * The header with the run of a request: its id, a prefix of one, or the name of its root. Needed only if
 * several are active and the command names no card and no worker.
 */
export const runHeader = "x-hox-run";
