/** Heartbeat interval of an idle host (ms). */
export const beatMs = 5_000;

/**
 * After this time without an event (ms) a window shows that the host is not responding: two heartbeats are
 * missing.
 */
export const silenceMs = 2 * beatMs + 2_000;
