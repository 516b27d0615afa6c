import { CloudDownload } from "lucide-react";
import { useState } from "react";
import type { PatternPull } from "#shared/contract/views/pattern.ts";
import { client } from "../../client.ts";
import { Button } from "../../kit/button.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { attempt } from "../../state/notice-store.ts";
import {
  openPattern,
  patternBookmark,
  patternsChanged,
  usePatternBranch,
} from "../../state/pattern-library.ts";
import { PushLine } from "../inspector/push-line.tsx";

/** Where the branch stands beside that of the remote; nothing where there is no remote, or nothing to share. */
export function PushSide() {
  const branch = usePatternBranch();
  return branch === null ? null : <PushLine key={branch} bookmark={patternBookmark} isQuiet />;
}

/** Takes what others share. What came is said by the page: this button goes where the first patterns come. */
export function PullButton({ onCame }: { readonly onCame: (came: PatternPull) => void }) {
  const [isPulling, setPulling] = useState(false);
  const pull = async (): Promise<void> => {
    setPulling(true);
    await attempt("No patterns were pulled", async () => {
      onCame(await client.pattern.pull());
      patternsChanged();
    });
    setPulling(false);
  };
  return (
    <Button disabled={isPulling} onClick={() => void pull()}>
      <CloudDownload size={13} aria-hidden />
      {isPulling ? "Pulling…" : "Pull"}
    </Button>
  );
}

/** What came with a pull; each leads to its place in the list. */
export function PulledDialog({
  came,
  onClose,
}: {
  readonly came: PatternPull;
  readonly onClose: () => void;
}) {
  const { remote, received, replaced, kept } = came;
  const isNothing = received.length + replaced.length + kept.length === 0;
  return (
    <Dialog
      open
      onClose={onClose}
      title={isNothing ? `Nothing new on ${remote}` : `Pulled from ${remote}`}
      description={
        isNothing
          ? "You already have all of its patterns."
          : "New patterns are not used until you approve them here."
      }
      actions={
        <Button look="primary" onClick={onClose}>
          Close
        </Button>
      }
    >
      <Names
        title="New, not approved"
        ids={received.filter((id) => !replaced.includes(id))}
        onChoose={onClose}
      />
      <Names
        title="Changed since you approved it: not used until you approve it again"
        ids={replaced}
        onChoose={onClose}
      />
      <Names title="Changed on both sides: your version was kept" ids={kept} onChoose={onClose} />
    </Dialog>
  );
}

interface NamesProps {
  readonly title: string;
  readonly ids: readonly string[];
  readonly onChoose: () => void;
}

function Names({ title, ids, onChoose }: NamesProps) {
  if (ids.length === 0) return null;
  return (
    <section className="mb-3">
      <h3 className="mb-1 text-sm font-medium text-muted">{title}</h3>
      <ul>
        {ids.map((id) => (
          <li key={id}>
            <button
              type="button"
              className="font-mono text-sm text-accent-text hover:underline"
              onClick={() => {
                onChoose();
                openPattern(id);
              }}
            >
              {id}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
