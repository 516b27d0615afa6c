/**
 * One at a time per lock file, across processes; a lock whose owner is gone is taken over.
 *
 * @param onWait called once when someone else holds the lock
 */
export function withLock<T>(path: string, work: () => Promise<T>, onWait?: () => void): Promise<T>;
