/** The place of what is written to a worker of a run: one, wherever it is written. */
export const messageDraft = (run: string, worker: string): string => `message ${run} ${worker}`;
