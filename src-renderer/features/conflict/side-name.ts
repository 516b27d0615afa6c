import type { ConflictSide } from "#shared/contract/views/conflict.ts";
import { shortened } from "#shared/domain/text/cut-text.ts";
import { shownLine } from "#shared/domain/text/shown-text.ts";

/** Whose text it is, in as few words as tell the sides apart. */
export function sideNames(sides: readonly ConflictSide[]): readonly string[] {
  const names = sides.map(nameOf);
  return names.map((name, at) =>
    names.some((other, place) => other === name && place !== at) ? `${name} (${at + 1})` : name,
  );
}

function nameOf({ kind, agent, title, changeKind, changeId }: ConflictSide): string {
  if (kind === "base") return "Base";
  if (changeKind === "mutation") return `Decision: ${shortened(shownLine(title), 40)}`;
  if (agent !== null) return agent;
  return title === "" ? (changeId?.slice(0, 8) ?? "A side") : shortened(shownLine(title), 40);
}
