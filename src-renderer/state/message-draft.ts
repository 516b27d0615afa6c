/** The draft key of a message to a worker: one, in every place it is written. */
export const messageDraft = (run: string, worker: string): string => `message ${run} ${worker}`;
