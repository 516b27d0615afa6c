import { useState } from "react";
import type { PatternVersionView, PatternView } from "#shared/contract/views/pattern.ts";
import { client } from "../../client.ts";
import { Badge } from "../../kit/badge.tsx";
import { Button } from "../../kit/button.tsx";
import { LineDiff } from "../../kit/line-diff.tsx";
import { LoadFailure } from "../../kit/load-failure.tsx";
import { RelativeTime } from "../../kit/relative-time.tsx";
import { attempt } from "../../state/notice-store.ts";
import { patternsChanged, usePatternMoment } from "../../state/pattern-library.ts";
import { shownValue, useLoaded } from "../../state/use-loaded.ts";

/** The texts that were approved here, the newest first, each with what it changed. */
export function PatternVersions({ pattern }: { readonly pattern: PatternView }) {
  const { id, versions, version, state } = pattern;
  const [open, setOpen] = useState<number | "branch" | null>(null);
  const toggle = (what: number | "branch") => setOpen(open === what ? null : what);
  if (versions.length === 0)
    return (
      <section aria-label="Versions">
        <h3 className="mb-1.5 text-sm font-medium text-muted">Versions</h3>
        <p className="text-sm text-muted">No approved version yet.</p>
      </section>
    );
  return (
    <section aria-label="Versions">
      <h3 className="mb-1.5 text-sm font-medium text-muted">Versions</h3>
      <ul className="flex flex-col rounded-md border">
        {state === "not-approved" && (
          <li className="border-b px-3 py-1.5 last:border-b-0">
            <div className="flex min-h-6 items-center gap-2 text-sm">
              <span className="flex-1">Text on the branch</span>
              <DiffButton isOpen={open === "branch"} onToggle={() => toggle("branch")} />
            </div>
            {open === "branch" && <Changed id={id} />}
          </li>
        )}
        {versions.toReversed().map((one) => (
          <VersionRow
            key={one.version}
            pattern={pattern}
            one={one}
            isInForce={one.version === version}
            isOpen={open === one.version}
            onToggle={() => toggle(one.version)}
          />
        ))}
      </ul>
    </section>
  );
}

const DiffButton = ({ isOpen, onToggle }: { readonly isOpen: boolean; readonly onToggle: () => void }) => (
  <Button size="sm" look="ghost" aria-expanded={isOpen} onClick={onToggle}>
    {isOpen ? "Hide" : "Show changes"}
  </Button>
);

interface VersionRowProps {
  readonly pattern: PatternView;
  readonly one: PatternVersionView;
  readonly isInForce: boolean;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

function VersionRow({ pattern: { id }, one, isInForce, isOpen, onToggle }: VersionRowProps) {
  const { version, at, run } = one;
  const [busy, setBusy] = useState(false);
  const restore = async (): Promise<void> => {
    setBusy(true);
    await attempt("The version was not restored", () => client.pattern.restore({ id, version }));
    patternsChanged();
    setBusy(false);
  };
  return (
    <li className="border-b px-3 py-1.5 last:border-b-0" data-version={version}>
      <div className="flex min-h-6 flex-wrap items-center gap-2 text-sm">
        <span className="font-medium">Version {version}</span>
        {isInForce && <Badge tone="success">in use</Badge>}
        <span className="min-w-0 flex-1 truncate text-muted" title={run ?? undefined}>
          <RelativeTime at={at} /> · {run === null ? "approved in the library" : "approved on a run's card"}
        </span>
        {!isInForce && (
          <Button size="sm" look="ghost" disabled={busy} onClick={() => void restore()}>
            Restore
          </Button>
        )}
        <DiffButton isOpen={isOpen} onToggle={onToggle} />
      </div>
      {isOpen && <Changed id={id} to={version} />}
    </li>
  );
}

/** Against the version before it; the first one against nothing. */
function Changed({ id, to }: { readonly id: string; readonly to?: number }) {
  const moment = usePatternMoment();
  const loaded = useLoaded(`${id} ${to ?? ""} ${moment}`, () =>
    client.pattern.diff({ id, ...(to === undefined ? {} : { to }) }),
  );
  if (loaded.kind === "failed") return <LoadFailure failure={loaded.failure} again={loaded.again} />;
  const diff = shownValue(loaded);
  if (diff === null) return <div className="min-h-16" aria-busy="true" />;
  return (
    <div className="mt-1 mb-1.5">
      <p className="mb-1 text-xs text-faint">
        from {diff.from} to {diff.to}
      </p>
      <LineDiff lines={diff.lines} label={`Changes from ${diff.from} to ${diff.to}`} />
    </div>
  );
}
