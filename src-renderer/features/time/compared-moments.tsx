/** What changed in a run between the moment that was kept and the one that is shown. */
import { ArrowRight, X } from "lucide-react";
import type { MomentDifference, ReplayView } from "#shared/contract/commands/replay.ts";
import { counted } from "#shared/domain/text/format-text.ts";
import { shownLine, shownName } from "#shared/domain/text/shown-text.ts";
import { client } from "../../client.ts";
import { Avatar } from "../../kit/avatar.tsx";
import { IconButton, LinkButton } from "../../kit/button.tsx";
import { IndeterminateLine, LoadFailure } from "../../kit/load-failure.tsx";
import { goToRow } from "../../state/go-to.ts";
import { markMoment } from "../../state/replay.ts";
import { shownValue, useAtRest, useLoaded } from "../../state/use-loaded.ts";
import { clockTime } from "./actor-density.ts";

/** While the time is dragged nothing is asked for. */
const restMs = 200;

interface ComparedMomentsProps {
  readonly view: ReplayView;
  readonly marked: number;
  readonly at: number;
}

export function ComparedMoments({ view, marked, at }: ComparedMomentsProps) {
  const other = useAtRest(at, restMs);
  const [from, to] = [Math.min(marked, other), Math.max(marked, other)];
  const loaded = useLoaded(`${view.id} ${from} ${to}`, () =>
    client.replay.compare({ replay: view.id, from, to }),
  );
  const difference = shownValue(loaded);
  return (
    <section
      aria-label="Compared moments"
      className="max-h-[min(240px,32vh)] overflow-y-auto border-b bg-surface text-sm"
    >
      <div className="sticky top-0 flex h-8 items-center gap-2 border-b bg-surface px-3">
        <h2 className="flex items-center gap-1.5 font-medium tabular-nums">
          {clockTime(from - view.from)} <ArrowRight size={12} aria-label="to" /> {clockTime(to - view.from)}
        </h2>
        <span className="min-w-0 flex-1 truncate text-muted">
          {from === to ? "Go to another moment to see what changed." : difference && summary(difference)}
        </span>
        <IconButton
          label="Stop comparing"
          icon={<X size={13} />}
          onClick={() => markMoment(null)}
          className="size-6"
        />
      </div>
      {from !== to && loaded.kind === "failed" && (
        <LoadFailure failure={loaded.failure} again={loaded.again} />
      )}
      {from !== to && !difference && loaded.kind !== "failed" && <IndeterminateLine label="Comparing" />}
      {from !== to && difference && <Difference difference={difference} />}
    </section>
  );
}

function summary({ workers, changes, files }: MomentDifference): string {
  if (workers.length === 0 && changes.length === 0) return "The run did not change between these moments.";
  return [
    counted(workers.length, "agent"),
    counted(changes.length, "change"),
    ...(files ? [counted(files.length, "file")] : []),
  ].join(" · ");
}

function Difference({ difference: { workers, changes, files } }: { readonly difference: MomentDifference }) {
  if (workers.length === 0 && changes.length === 0) return null;
  return (
    <div className="grid grid-cols-[repeat(auto-fit,minmax(260px,1fr))] gap-x-6 gap-y-2 px-3 py-2">
      {workers.length > 0 && (
        <ul aria-label="Agents">
          {workers.map(({ name, title, before, after, iterations }) => (
            <li key={name} className="flex min-h-6 items-center gap-2">
              <Avatar name={name} />
              <span className="shrink-0 font-medium">{shownName(name)}</span>
              <span className="min-w-0 flex-1 truncate text-muted" title={shownLine(title)}>
                {shownLine(title)}
              </span>
              <span className="shrink-0 text-muted">
                {before === after ? words(after) : `${before ? words(before) : "new"} → ${words(after)}`}
                {iterations > 0 && ` · +${counted(iterations, "iteration")}`}
              </span>
            </li>
          ))}
        </ul>
      )}
      {changes.length > 0 && (
        <ul aria-label="Changes">
          {changes.map(({ changeId, title, how }) => (
            <li key={`${changeId} ${how}`} className="flex min-h-6 items-center gap-2">
              <span className="w-16 shrink-0 text-muted">{how}</span>
              {how === "gone" ? (
                <span className="min-w-0 truncate line-through">
                  {shownLine(title) || changeId.slice(0, 8)}
                </span>
              ) : (
                <LinkButton className="min-w-0 truncate" onClick={() => goToRow(changeId)}>
                  {shownLine(title) || changeId.slice(0, 8)}
                </LinkButton>
              )}
            </li>
          ))}
        </ul>
      )}
      {files === null ? (
        <p className="text-muted">The recording does not include files.</p>
      ) : (
        files.length > 0 && (
          <ul aria-label="Files">
            {files.map(({ path, titles }) => (
              <li key={path} className="flex min-h-6 items-center gap-2">
                <span className="min-w-0 shrink truncate font-mono text-xs">{shownName(path)}</span>
                <span className="min-w-0 flex-1 truncate text-muted">{titles.map(shownLine).join(", ")}</span>
              </li>
            ))}
          </ul>
        )
      )}
    </div>
  );
}

const words = (status: string): string => status.replaceAll("_", " ");
