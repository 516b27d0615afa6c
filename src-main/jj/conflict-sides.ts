import { conflictParts } from "#shared/domain/conflict/conflict-text.ts";

/**
 * Who contradicts whom in a file in conflict. A merge of many heads shows every head in every place in conflict; a
 * head takes part only where its text differs from what it began with, and against those whose text differs from its.
 * @param content the file as jj shows it with `ui.conflict-marker-style=snapshot`
 * @returns pairs of labels, each once; a label is jj's, such as `qusvskxm 45496dff "task 1"`
 */
export function contradictingSides(content: string): readonly (readonly [string, string])[] {
  const pairs = new Map<string, readonly [string, string]>();
  for (const part of conflictParts(content)) {
    if (part.kind === "text") continue;
    const bases = new Set(part.terms.flatMap((term) => (term.kind === "base" ? [term.text] : [])));
    const changed = part.terms.filter((term) => term.kind === "side" && !bases.has(term.text));
    for (const [at, one] of changed.entries())
      for (const other of changed.slice(at + 1))
        if (one.text !== other.text && one.label !== other.label)
          pairs.set(JSON.stringify([one.label, other.label]), [one.label, other.label]);
  }
  return [...pairs.values()];
}
