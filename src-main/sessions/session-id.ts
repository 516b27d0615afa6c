/**
 * Whether an id of somebody's session may be used. It becomes the name of a file and a word of a command line, so it begins
 * with a letter or a digit: no program takes it for an option.
 */
export const isSessionId = (id: string): boolean => /^[A-Za-z0-9][\w.:-]{0,199}$/u.test(id);
