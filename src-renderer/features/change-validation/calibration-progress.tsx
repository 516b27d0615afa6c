import { Check, Circle, X } from "lucide-react";
import type { CalibrationSample, CalibrationView } from "#shared/contract/views/calibration.ts";
import { counted } from "#shared/domain/text/counted.ts";
import { shownLine, shownName } from "#shared/domain/text/shown-text.ts";
import { plantedKinds } from "#shared/domain/validation/calibration.ts";
import { rateWords, worthWords } from "#shared/domain/validation/panel-trust.ts";
import { dollars } from "../../kit/amounts.ts";
import { RelativeTime } from "../../kit/relative-time.tsx";
import { endWords } from "./end-words.ts";

/** How far a calibration is, and what it has found so far. */
export function CalibrationProgress({ value }: { readonly value: CalibrationView }) {
  const { samples, end, activity, spent, measuredAt, title, at } = value;
  const judged = samples.filter((sample) => sample.judged !== null).length;
  return (
    <section
      aria-label="Measurement"
      data-calibration={end?.kind ?? "going"}
      className="mb-4 flex flex-col gap-2.5"
    >
      <p className="flex items-baseline gap-2 text-sm text-muted">
        <span className="min-w-0 flex-1 truncate">{shownLine(title)}</span>
        {end === null ? (
          <span className="shrink-0">{shownLine(activity)}</span>
        ) : (
          <span className="shrink-0">
            {measuredAt === null ? "begun " : "measured "}
            <RelativeTime at={measuredAt ?? at} />
          </span>
        )}
      </p>
      <div
        role="progressbar"
        aria-label="Commits that were judged"
        aria-valuemin={0}
        aria-valuemax={samples.length}
        aria-valuenow={judged}
        className="h-1.5 overflow-hidden rounded-full bg-line-strong"
      >
        <div
          className="h-full origin-left bg-accent transition-transform duration-150"
          style={{ transform: `scaleX(${samples.length === 0 ? 0 : judged / samples.length})` }}
        />
      </div>
      <p className="text-xs text-faint tabular-nums" role="status">
        {judged} of {counted(samples.length, "commit")} judged · {dollars(spent.microDollars)} spent
      </p>
      {judged > 0 && <Found value={value} />}
      {end !== null && end.kind !== "done" && (
        <p className="text-sm text-warning">
          {end.kind === "cancelled" ? "It was cancelled." : endWords(end)}{" "}
          {judged > 0 && "What was judged is kept: the same measurement goes on there."}
        </p>
      )}
    </section>
  );
}

function Found({ value: { figures, samples, end } }: { readonly value: CalibrationView }) {
  const { falseApprovals, falseRejections, correlation, vetoed, undecided } = figures;
  const rows: readonly (readonly [name: string, value: string])[] = [
    ["False approvals", rateWords(falseApprovals)],
    ["False rejections", rateWords(falseRejections)],
    ["Errors go together", correlation === null ? "nobody knows how much" : `by ${correlation.toFixed(2)}`],
    ["So it is", worthWords(figures)],
    ...(vetoed === 0 ? [] : [["Stopped by a check", `${vetoed}, before any seat was asked`] as const]),
    ...(undecided === 0 ? [] : [["Left to a person", String(undecided)] as const]),
  ];
  return (
    <>
      <dl className="grid grid-cols-[136px_1fr] gap-y-1 text-sm" data-selectable>
        {rows.map(([name, words]) => (
          <div key={name} className="contents">
            <dt className="text-muted">{name}</dt>
            <dd className="tabular-nums">{words}</dd>
          </div>
        ))}
      </dl>
      <Kinds samples={samples} isOver={end !== null} />
    </>
  );
}

/** A mark for each commit, by what was planted into it. */
function Kinds({
  samples,
  isOver,
}: {
  readonly samples: readonly CalibrationSample[];
  readonly isOver: boolean;
}) {
  return (
    <ul className="grid grid-cols-2 gap-x-6 gap-y-0.5 text-sm" aria-label="By kind of mistake">
      {[...plantedKinds, null].map((kind) => {
        const own = samples.filter(({ planted }) => planted === kind);
        if (own.length === 0) return null;
        return (
          <li key={kind ?? "none"} className="flex items-center gap-2">
            <span className="min-w-0 flex-1 truncate text-muted">{kind ?? "no mistake"}</span>
            {own.map((sample, place) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: samples of a kind have no other name than their place
              <Mark key={place} sample={sample} isOver={isOver} />
            ))}
          </li>
        );
      })}
    </ul>
  );
}

function Mark({ sample, isOver }: { readonly sample: CalibrationSample; readonly isOver: boolean }) {
  const { planted, judged, place, what, isBuiltIn } = sample;
  const isRight =
    judged !== null && (planted === null ? judged.verdict === "approved" : judged.verdict !== "approved");
  const words =
    judged === null
      ? isOver
        ? "not judged"
        : "not judged yet"
      : `${judged.verdict}${planted === null ? "" : `: ${shownLine(what)} in ${isBuiltIn ? "Hox's sample" : shownName(place)}`}`;
  const Icon = judged === null ? Circle : isRight ? Check : X;
  return (
    <span
      role="img"
      aria-label={words}
      title={words}
      data-mark={judged === null ? "open" : isRight ? "right" : "wrong"}
      className={judged === null ? "text-faint" : isRight ? "text-success" : "text-danger"}
    >
      <Icon size={13} aria-hidden />
    </span>
  );
}
