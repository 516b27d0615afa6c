import { History } from "lucide-react";
import type { ConflictSide, ConflictView } from "#shared/contract/commands/graph.ts";
import { formatBytes } from "#shared/domain/text/format-text.ts";
import { shownLine, shownName } from "#shared/domain/text/shown-text.ts";
import { Avatar } from "../../kit/avatar.tsx";
import { Badge } from "../../kit/badge.tsx";
import { Button, LinkButton } from "../../kit/button.tsx";
import { cx } from "../../kit/class-names.ts";
import { changeOfKey, useGraph } from "../../state/graph-store.ts";
import { inspect } from "../../state/selection-store.ts";

interface SidesProps {
  readonly view: ConflictView;
  readonly names: readonly string[];
  /** The one beside the result; null where none is. */
  readonly compared: number | null;
  readonly onCompare: (side: number) => void;
  /** Takes a side whole, by its commit; null: not now. */
  readonly onTake: ((commit: string) => void) | null;
}

/** Every side and what they began with: who brought it, with which change. */
export function Sides({ view, names, compared, onCompare, onTake }: SidesProps) {
  return (
    <section aria-label={`Sides of ${shownName(view.path)}`} className="shrink-0 border-b px-3 py-2">
      <h2 className="mb-1.5 truncate font-mono text-sm" data-selectable>
        {shownName(view.path)}
      </h2>
      <ul className="flex gap-2 overflow-x-auto pb-0.5">
        {view.sides.map((side, at) => (
          <li
            key={names[at]}
            className={cx(
              "flex min-w-44 flex-1 flex-col gap-1 rounded-md border px-2.5 py-1.5 text-sm",
              at === compared ? "border-accent bg-accent-soft" : "bg-surface",
            )}
          >
            <SideHead
              side={side}
              name={names[at] ?? ""}
              isOfSide={view.sides.some(
                ({ kind, changeId }) => kind === "side" && changeId !== null && changeId === side.changeId,
              )}
            />
            <span className="flex flex-wrap items-center gap-1.5">
              {compared !== null && (
                <Button
                  size="sm"
                  look={at === compared ? "secondary" : "ghost"}
                  aria-pressed={at === compared}
                  aria-label={`Compare with ${names[at]}`}
                  onClick={() => onCompare(at)}
                >
                  Compare
                </Button>
              )}
              <Button
                size="sm"
                look="ghost"
                disabled={onTake === null || side.commit === null}
                aria-label={`Take all of ${names[at]}`}
                title="Use the whole file from this side. If the side has no such file, the file is deleted."
                onClick={() => side.commit !== null && onTake?.(side.commit)}
              >
                Take all
              </Button>
              {view.kind === "whole" && (
                <span className="text-xs text-muted tabular-nums">
                  {side.bytes === null ? "does not exist" : formatBytes(side.bytes)}
                </span>
              )}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** jj's names for the parts of a rebased change, in terms of the conflict that is being settled. */
const partLabels: Readonly<Record<string, string>> = {
  "rebase destination": "new base",
  "parents of rebased revision": "old base",
  "rebased revision": "this change",
};

interface SideHeadProps {
  readonly side: ConflictSide;
  readonly name: string;
  /** Of what both began with: whether its change has become one of the sides since. */
  readonly isOfSide: boolean;
}

function SideHead({ side, name, isOfSide }: SideHeadProps) {
  const { changeId, title, part, agent, kind } = side;
  const isOnGraph = useGraph(
    ({ graph }) => changeId !== null && graph !== null && changeOfKey(graph, changeId) !== null,
  );
  const own = shownLine(title) || changeId?.slice(0, 8) || "";
  const words = kind === "base" && isOfSide ? `an earlier version of ${own}` : own;
  return (
    <span className="flex min-w-0 items-center gap-1.5">
      {kind === "base" ? (
        <History size={14} className="shrink-0 text-faint" aria-hidden />
      ) : (
        agent !== null && <Avatar name={agent} />
      )}
      <span className="shrink-0 font-medium">{kind === "base" ? name : (agent ?? "")}</span>
      {isOnGraph && changeId !== null ? (
        <LinkButton dir="auto" className="min-w-0 truncate" title={words} onClick={() => inspect(changeId)}>
          {words}
        </LinkButton>
      ) : (
        <span className="min-w-0 truncate text-muted" dir="auto" title={words}>
          {words}
        </span>
      )}
      {kind === "side" && side.changeKind === "mutation" && <Badge tone="warning">decision</Badge>}
      {part !== "" && (
        <span className="ml-auto shrink-0 text-xs text-faint max-[1200px]:hidden">
          {Object.hasOwn(partLabels, part) ? partLabels[part] : part}
        </span>
      )}
    </span>
  );
}
