/**
 * Whether a session's id is safe to use. It becomes a file name and an argument, so it begins with a letter
 * or a digit: no program takes it for an option.
 */
export const isSessionId = (id: string): boolean => /^[A-Za-z0-9][\w.:-]{0,199}$/u.test(id);
