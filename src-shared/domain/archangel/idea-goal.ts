/**
 * The goal of a run that starts from an idea: the idea with its context.
 *
 * @param idea its text, and its context, which may be empty
 */
export const goalOfIdea = ({ text, context }: { readonly text: string; readonly context: string }): string =>
  context === "" ? text : `${text}\n\n${context}`;
