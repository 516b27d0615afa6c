/**
 * The header of a request that says which run it is for, as an address: its id, the beginning of one, or the name of its
 * root. Needed only where several go on and the command names no card and no worker.
 */
export const runHeader = "x-hox-run";
