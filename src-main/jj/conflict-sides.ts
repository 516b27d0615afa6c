/** What `snapshot` style says of one place in conflict: every side and every base with the name of its commit. */
interface Term {
  readonly kind: "side" | "base";
  readonly label: string;
  readonly content: string;
}

const begin = /^(<{7,}) conflict \d+ of \d+$/;

/**
 * Who contradicts whom in a file in conflict. A merge of many heads shows every head in every place in conflict; a
 * head takes part only where its text differs from what it began with, and against those whose text differs from its.
 * @param content the file as jj shows it with `ui.conflict-marker-style=snapshot`
 * @returns pairs of labels, each once; a label is jj's, such as `qusvskxm 45496dff "task 1"`
 */
export function contradictingSides(content: string): readonly (readonly [string, string])[] {
  const pairs = new Map<string, readonly [string, string]>();
  for (const terms of placesIn(content)) {
    const bases = new Set(terms.flatMap((term) => (term.kind === "base" ? [term.content] : [])));
    const changed = terms.filter((term) => term.kind === "side" && !bases.has(term.content));
    for (const [at, one] of changed.entries())
      for (const other of changed.slice(at + 1))
        if (one.content !== other.content && one.label !== other.label)
          pairs.set(JSON.stringify([one.label, other.label]), [one.label, other.label]);
  }
  return [...pairs.values()];
}

/** The places in conflict. jj makes its markers longer than anything in the file that looks like one. */
function placesIn(content: string): readonly (readonly Term[])[] {
  const lines = content.split("\n");
  const length = lines.reduce((most, line) => Math.max(most, begin.exec(line)?.[1]?.length ?? 0), 0);
  if (length === 0) return [];
  const [opening, side, base, closing] = ["<", "+", "-", ">"].map((sign) => `${sign.repeat(length)} `);
  const places: Term[][] = [];
  let terms: Term[] | null = null;
  let term: { kind: Term["kind"]; label: string; lines: string[] } | null = null;
  const endTerm = () => {
    if (term) terms?.push({ kind: term.kind, label: term.label, content: term.lines.join("\n") });
    term = null;
  };
  for (const line of lines) {
    if (terms === null) {
      if (line.startsWith(opening ?? "") && begin.test(line)) terms = [];
    } else if (line.startsWith(closing ?? "")) {
      endTerm();
      places.push(terms);
      terms = null;
    } else if (line.startsWith(side ?? "") || line.startsWith(base ?? "")) {
      endTerm();
      term = { kind: line.startsWith("+") ? "side" : "base", label: line.slice(length + 1), lines: [] };
    } else term?.lines.push(line);
  }
  return places;
}
