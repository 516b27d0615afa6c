import { FolderOpen } from "lucide-react";
import { Button } from "../../kit/button.tsx";
import { Keys } from "../../kit/keys.tsx";
import { IndeterminateLine } from "../../kit/progress.tsx";
import { useHost } from "../../state/host-store.ts";
import { openDialog } from "../../state/selection-store.ts";
import { CanvasPreview } from "./canvas-preview.tsx";
import { openFolder } from "./open-folder.ts";
import { RehearsalChoices } from "./rehearsal-choices.tsx";
import { Open, Recent } from "./repository-lists.tsx";
import { startRehearsal, usePreparing } from "./start-rehearsal.ts";
import { ToolProblems } from "./tool-problems.tsx";

/** What stands on screen while no repository is open. */
export function Welcome() {
  const app = useHost((state) => state.app);
  const opening = useHost((state) => state.opening);
  const open = useHost((state) => state.open);
  const preparing = usePreparing((state) => state.name);
  if (!app) return null;
  const { rehearsals } = app;
  const busy = preparing !== null || opening !== null;
  return (
    <main className="flex h-full flex-col overflow-y-auto bg-canvas">
      <div className="h-0.5 shrink-0">{busy && <IndeterminateLine label="Opening" />}</div>
      <div className="m-auto w-[860px] max-w-[calc(100vw-48px)] py-8">
        <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
          <Mark />
          <h1 className="text-xl font-semibold tracking-tight">Hox</h1>
          <p className="min-w-0 flex-1 basis-96 text-pretty text-muted">
            Run several coding agents on one repository in parallel. Watch and steer them on its change graph.
          </p>
        </div>
        <div className="mt-4">
          <CanvasPreview />
        </div>

        {rehearsals.length > 0 && (
          <section aria-labelledby="rehearsals" className="mt-5">
            <h2 id="rehearsals" className="font-medium">
              Watch a rehearsal
            </h2>
            <p className="mb-2 text-sm text-muted">
              A complete run on a small example. No API key, no cost: only the model responses are scripted.
              You make the decisions.
            </p>
            <RehearsalChoices
              {...{ rehearsals, preparing }}
              disabled={busy}
              onWatch={(name) => void startRehearsal(name)}
            />
          </section>
        )}

        <section aria-label="Your own work" className="mt-5 flex flex-wrap items-center gap-2">
          <Button
            size="lg"
            {...(rehearsals.length > 0 ? {} : { "data-first-focus": true })}
            look="primary"
            disabled={busy}
            onClick={() => void openFolder()}
          >
            <FolderOpen size={15} aria-hidden />
            Open a folder…
          </Button>
          <span className="ml-1">
            <Keys keys="mod+o" />
          </span>
          <p className="min-w-0 flex-1 basis-60 truncate text-sm text-muted" role="status">
            {opening && preparing === null
              ? `${opening.step}: ${opening.path}`
              : "Open a Git or jj repository. Hox asks before it changes anything."}
          </p>
        </section>
        <ToolProblems tools={app.tools} />
        <Open open={open} />
        <Recent recent={app.recent.filter(({ path }) => !open.some((view) => view.path === path))} />
        <KeyHint />
      </div>
    </main>
  );
}

function Mark() {
  return (
    <svg width="30" height="30" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="7" fill="var(--accent)" />
      <g fill="none" stroke="var(--on-accent)" strokeWidth="2.2">
        <path d="M16 25v-5M16 20c-7 0-7-3-7-5.5M16 20c7 0 7-3 7-5.5M9 13.5C9 10 16 11 16 7.5M23 13.5C23 10 16 11 16 7.5" />
      </g>
      <g fill="var(--on-accent)">
        <circle cx="16" cy="25" r="2.8" />
        <circle cx="9" cy="14" r="2.8" />
        <circle cx="23" cy="14" r="2.8" />
        <circle cx="16" cy="7" r="2.8" />
      </g>
    </svg>
  );
}

function KeyHint() {
  const key = useHost((state) => state.app?.key);
  if (key?.source !== "none") return null;
  return (
    <p className="mt-6 text-sm text-faint">
      Without an API key you can watch the rehearsals and browse any repository.{" "}
      <button
        type="button"
        className="text-accent-text underline-offset-2 hover:underline"
        onClick={() => openDialog("settings")}
      >
        Add a key
      </button>{" "}
      to let agents work on yours.
    </p>
  );
}
