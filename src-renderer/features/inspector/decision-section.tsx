import { CircleCheck, CircleDashed, TriangleAlert } from "lucide-react";
import type { DecisionView, RunView, WorkerView } from "#shared/contract/views/run.ts";
import { type ComplianceStatus, placeName } from "#shared/domain/decision/compliance.ts";
import { formatWait, waitOf } from "#shared/domain/radar/collisions.ts";
import { type Forecast, formatPlace } from "#shared/domain/radar/radar.ts";
import { shownName, shownText } from "#shared/domain/text/shown-text.ts";
import { LinkButton } from "../../kit/button.tsx";
import { FileName } from "../../kit/file-name.tsx";
import { RelativeTime } from "../../kit/relative-time.tsx";
import { Section } from "../../kit/section.tsx";
import { useHost } from "../../state/host-store.ts";
import { orderOf, useMeetings } from "../../state/radar.ts";
import { inspect } from "../../state/selection-store.ts";
import { WorkerLink } from "./worker-figures.tsx";

const none: readonly DecisionView[] = [];
const noCollisions: RunView["collisions"] = [];
const useDecisions = (): readonly DecisionView[] => useHost((state) => state.run?.decisions ?? none);

/** On a decision's own change: who follows it, who does not yet, and how that is known. */
export function DecisionCompliance({ changeId }: { readonly changeId: string }) {
  const decision = useDecisions().find((one) => one.changeId === changeId);
  if (!decision || decision.compliance.length === 0) return null;
  const follow = decision.compliance.filter(({ state }) => state === "complies").length;
  return (
    <Section
      aria-label="Compliance with this decision"
      title={`${follow} of ${decision.compliance.length} follow this decision`}
    >
      <ul className="mt-1.5 flex flex-col gap-2">
        {decision.compliance.map((compliance) => (
          <li key={compliance.worker} className="flex gap-2 text-sm">
            <ComplianceIcon compliance={compliance} />
            <div className="min-w-0 flex-1">
              <WorkerLink name={compliance.worker} />{" "}
              <span className={compliance.state === "contradicts" ? "text-danger" : "text-muted"}>
                {complianceText(compliance)}
              </span>
              <Evidence compliance={compliance} />
            </div>
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** On an agent's change: the decisions that its work contradicts, with the lines that show it. */
export function WorkerContradictions({ worker }: { readonly worker: string }) {
  const found = useDecisions().flatMap((decision) =>
    decision.compliance
      .filter((compliance) => compliance.worker === worker && compliance.state === "contradicts")
      .map((compliance) => ({ decision, compliance })),
  );
  if (found.length === 0) return null;
  return (
    <Section
      title="Contradicts a decision"
      hint="The agent corrects its own work. The decision stays in force."
    >
      <ul className="flex flex-col gap-2 border-l-2 border-danger pl-2.5">
        {found.map(({ decision, compliance }) => (
          <li key={decision.changeId} className="text-sm">
            <LinkButton onClick={() => inspect(decision.changeId)} className="font-medium">
              {shownText(decision.title)}
            </LinkButton>
            <Evidence compliance={compliance} />
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** On a change in a merge conflict: the merged work that it meets, or the operation that brought it. */
export function MergeCause({ worker }: { readonly worker: WorkerView }) {
  const cause = worker.conflictCause;
  if (worker.conflict !== "merge") return null;
  if (worker.conflictsWith.length > 0)
    return (
      <Section
        aria-label="Cause of the conflict"
        title="Conflicts with merged work"
        hint={`${worker.name} finished later. It resolves the conflict before its work is reviewed.`}
      >
        <ul className="flex flex-col gap-1 border-l-2 border-danger pl-2.5 text-sm">
          {worker.conflictsWith.map(({ worker: other, files }) => (
            <li key={other} className="break-words" data-selectable>
              {shownName(other)} <span className="text-muted">in {files.map(shownName).join(", ")}</span>
            </li>
          ))}
        </ul>
      </Section>
    );
  if (cause === null) return null;
  return (
    <Section
      aria-label="Cause of the conflict"
      title="Merge conflict"
      hint={`Two changes conflict here. ${worker.name} resolves the conflict.`}
    >
      <div className="border-l-2 border-danger pl-2.5 text-sm">
        <p className="break-words" data-selectable>
          {shownText(cause.description)}
        </p>
        <p className="text-xs text-muted">
          by {actorName(cause.actor)} · <RelativeTime at={cause.at} /> · operation{" "}
          <code className="font-mono" title={cause.operation} data-selectable>
            {cause.operation.slice(0, 12)}
          </code>
        </p>
      </div>
    </Section>
  );
}

function Evidence({ compliance }: { readonly compliance: ComplianceStatus }) {
  if (compliance.state !== "contradicts") return null;
  return (
    <>
      {compliance.reason !== "" && (
        <p className="break-words text-muted" data-selectable>
          {shownText(compliance.reason)}
        </p>
      )}
      <ul className="flex flex-col">
        {compliance.places.map((place) => (
          <li key={`${placeName(place)} ${place.text}`} className="flex min-w-0 gap-2 font-mono text-xs">
            <span className="shrink-0 text-danger" data-selectable>
              {placeName(place)}
            </span>
            <span className="truncate text-muted" title={place.text} data-selectable>
              {shownText(place.text)}
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}

const signs = {
  complies: { Icon: CircleCheck, className: "text-success" },
  contradicts: { Icon: TriangleAlert, className: "text-danger" },
  unchecked: { Icon: CircleDashed, className: "text-faint" },
} as const;

function ComplianceIcon({ compliance: { state } }: { readonly compliance: ComplianceStatus }) {
  const { Icon, className } = signs[state];
  return <Icon size={14} className={`mt-0.5 shrink-0 ${className}`} aria-hidden />;
}

function complianceText({ state, shownBy }: ComplianceStatus): string {
  if (state === "complies") return "follows it";
  if (state === "unchecked") return "will be checked when its work is done";
  if (shownBy === "conflict") return "conflicts with it";
  return shownBy === "override" ? "reverts it" : "contradicts it without a jj conflict";
}

const actorName = (actor: string): string =>
  actor === "terminal" ? "a user in a terminal" : actor === "hox" ? "a user in the app" : actor;

/** Everyone in the run who is about to collide. */
export function RunRadar({ pairs, crowds, collisions }: Forecast & Pick<RunView, "collisions">) {
  if (pairs.length + crowds.length === 0) return null;
  return (
    <Radar>
      {crowds.map((crowd) => (
        <li key={formatPlace(crowd)} className="flex flex-col gap-0.5 text-sm">
          <span className="font-mono text-xs text-muted">{formatPlace(crowd)}</span>
          <span className="flex flex-wrap items-baseline gap-x-1.5">
            {crowd.workers.map((name) => (
              <WorkerLink key={name} name={name} />
            ))}
          </span>
        </li>
      ))}
      {pairs.map(({ a, b, files }) => (
        <li key={`${a} ${b}`} className="flex flex-col gap-0.5 text-sm">
          <span className="flex flex-wrap items-baseline gap-x-1.5">
            <WorkerLink name={a} /> <span className="text-faint">and</span> <WorkerLink name={b} />
          </span>
          <Ordered text={orderOf(collisions, a, b)} />
          <Files files={files} />
        </li>
      ))}
    </Radar>
  );
}

/** Whom one agent is about to meet. */
export function WorkerRadar({ worker }: { readonly worker: string }) {
  const meetings = useMeetings(worker);
  const collisions = useHost((state) => state.run?.collisions ?? noCollisions);
  const wait = waitOf(collisions, worker);
  if (meetings.length === 0 && wait === null) return null;
  return (
    <Radar>
      {wait !== null && meetings.length === 0 && <li className="text-sm">{formatWait(wait)}</li>}
      {meetings.map(({ other, files }) => (
        <li key={other} className="flex flex-col gap-0.5 text-sm">
          <span className="flex items-baseline gap-1.5">
            <span className="text-faint">would conflict with</span> <WorkerLink name={other} />
          </span>
          <Ordered text={orderOf(collisions, worker, other)} />
          <Files files={files} />
        </li>
      ))}
    </Radar>
  );
}

/** What was done about it. */
const Ordered = ({ text }: { readonly text: string }) =>
  text === "" ? null : (
    <span data-radar-order className="text-xs text-muted">
      {text}
    </span>
  );

const Radar = ({ children }: { readonly children: React.ReactNode }) => (
  <Section title="Radar" hint="A trial merge of the current work would conflict. There is no conflict yet.">
    <ul className="flex flex-col gap-2 border-l-2 border-warning pl-2.5">{children}</ul>
  </Section>
);

function Files({ files }: { readonly files: readonly string[] }) {
  return (
    <span className="flex flex-col">
      {files.map((file) => (
        <FileName key={file} path={file} className="font-mono text-xs text-muted" />
      ))}
    </span>
  );
}
