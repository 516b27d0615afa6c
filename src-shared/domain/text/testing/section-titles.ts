/**
 * The titles of a prompt's sections, in order.
 *
 * @param prompt as it was sent
 */
export const sectionTitles = (prompt: string): readonly string[] =>
  prompt.split("\n").flatMap((line) => (line.startsWith("## ") ? [line.slice(3)] : []));
