/**
 * What a run is asked that begins from an idea: the idea, and what whoever does it has to know.
 *
 * @param idea its words, and its context, which may be empty
 */
export const goalOfIdea = ({ text, context }: { readonly text: string; readonly context: string }): string =>
  context === "" ? text : `${text}\n\n${context}`;
