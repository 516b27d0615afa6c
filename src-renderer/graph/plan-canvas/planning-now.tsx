import type { OrchestratorView } from "#shared/contract/views/orchestrator.ts";
import { shownLine } from "#shared/domain/text/shown-text.ts";
import { lastSentence } from "../../features/inspector/waits-for.ts";
import { runLine } from "../../features/run/stages.ts";
import { useHost } from "../../state/host-store.ts";

/** In the place of a plan while it is written: what comes, and what the orchestrator said last. */
export function PlanningNow({
  author,
  top,
}: {
  readonly author: OrchestratorView | null;
  /** px above which it does not stand. */
  readonly top: number;
}) {
  const latest = useHost((state) => {
    const worker = state.run?.workers.find(({ name }) => name === author?.name);
    return lastSentence(worker?.latestText ?? "");
  });
  // It is written only while nothing holds that up: not while the first look waits for an answer, or the provider is away.
  const line = useHost(({ run, inbox }) => (run ? runLine(run, inbox) : ""));
  const isWritten = line === "" || line === "Planning";
  return (
    <div
      className="pointer-events-none absolute inset-x-0 bottom-0 flex flex-col items-center justify-center gap-1.5 px-6 text-center"
      style={{ top }}
    >
      <p className="font-medium">{isWritten ? "The plan is being written" : line}</p>
      {isWritten && (
        <p className="max-w-96 text-pretty text-muted">
          The proposed tasks will appear here, one per lane, for you to edit and approve.
        </p>
      )}
      {latest !== "" && (
        <p className="mt-1 line-clamp-3 max-w-96 text-sm text-pretty text-muted italic" data-planning-words>
          “{shownLine(latest)}”
        </p>
      )}
    </div>
  );
}
