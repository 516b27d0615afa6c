const states: ReadonlySet<string> = new Set(["thinking", "tools", "checking"]);

/**
 * Whether a worker is in the middle of a turn: it asks its model, uses a tool, or its checks run.
 *
 * @param state what `WorkerView` says of it
 */
export const isAtWork = (state: string): boolean => states.has(state);
