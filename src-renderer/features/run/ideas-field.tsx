import { Lightbulb, Plus, X } from "lucide-react";
import { useState } from "react";
import type { IdeaView } from "#shared/contract/commands/archangel.ts";
import { goalOfIdea } from "#shared/domain/archangel/archangel.ts";
import { shownLine } from "#shared/domain/text/shown-text.ts";
import { client } from "../../client.ts";
import { Badge } from "../../kit/badge.tsx";
import { Button, IconButton } from "../../kit/button.tsx";
import { cx } from "../../kit/class-names.ts";
import { attempt } from "../../state/notify.ts";
import { shownValue, useLoaded, useReconnects } from "../../state/use-loaded.ts";

const none: readonly IdeaView[] = [];

/** Goals that were kept for later. */
function useIdeas() {
  const [revision, setRevision] = useState(0);
  const reconnects = useReconnects();
  const loaded = useLoaded(`${reconnects} ${revision}`, () => client.ideas.list());
  const change = (failed: string, task: () => Promise<unknown>): void =>
    void attempt(failed, task).then(() => setRevision((before) => before + 1));
  return {
    ideas: shownValue(loaded) ?? none,
    failure: loaded.kind === "failed" ? loaded.failure : null,
    add: (text: string) => change("The idea was not saved", () => client.ideas.add({ text })),
    remove: (id: string) => change("The idea was not removed", () => client.ideas.remove({ id })),
  };
}

interface IdeasFieldProps {
  readonly goal: string;
  /** Id of the idea that the run begins from. */
  readonly chosen: string | null;
  readonly onChoose: (idea: IdeaView) => void;
}

/** Ideas to begin from, and the way to keep what was typed as one of them. */
export function IdeasField({ goal, chosen, onChoose }: IdeasFieldProps) {
  const { ideas, failure, add, remove } = useIdeas();
  const words = goal.trim();
  const canKeep = words !== "" && !ideas.some((idea) => idea.text === words || goalOfIdea(idea) === words);
  return (
    <section aria-label="Ideas" className="flex flex-col gap-1">
      <div className="flex h-6 items-center justify-between">
        <h3 className="text-sm font-medium text-muted">Ideas</h3>
        {canKeep && (
          <Button size="sm" look="ghost" onClick={() => add(words)}>
            <Plus size={12} aria-hidden />
            Save this goal for later
          </Button>
        )}
      </div>
      {failure !== null ? (
        <p className="text-sm text-danger" role="alert">
          The ideas could not be read: {failure.text}
        </p>
      ) : ideas.length === 0 ? (
        <p className="text-sm text-faint">No ideas yet. Saved goals and accepted suggestions appear here.</p>
      ) : (
        <ul className="max-h-40 overflow-y-auto rounded-md border">
          {ideas.map((idea) => (
            <IdeaRow
              key={idea.id}
              idea={idea}
              isChosen={idea.id === chosen}
              onChoose={() => onChoose(idea)}
              onRemove={() => remove(idea.id)}
            />
          ))}
        </ul>
      )}
    </section>
  );
}

interface IdeaRowProps {
  readonly idea: IdeaView;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
  readonly onRemove: () => void;
}

function IdeaRow({ idea, isChosen, onChoose, onRemove }: IdeaRowProps) {
  return (
    <li
      className={cx("group flex items-center gap-1 border-b pr-1 last:border-b-0", isChosen && "bg-selected")}
      data-idea={idea.id}
    >
      <button
        type="button"
        aria-pressed={isChosen}
        onClick={onChoose}
        title={goalOfIdea(idea)}
        className="flex h-8 min-w-0 flex-1 items-center gap-2 px-2 text-left hover:bg-hover"
      >
        <Lightbulb size={13} className="shrink-0 text-faint" aria-hidden />
        <span className="min-w-0 flex-1 truncate">{shownLine(idea.text)}</span>
        {idea.from !== null && <Badge>{idea.from}</Badge>}
        {idea.run !== null && <span className="shrink-0 text-xs text-faint">used in a run</span>}
      </button>
      <IconButton
        label="Remove this idea"
        className="size-6 opacity-60 group-hover:opacity-100 focus-visible:opacity-100"
        icon={<X size={13} />}
        onClick={onRemove}
      />
    </li>
  );
}
