import type { BaseCommitView, RunBaseView } from "#shared/contract/views/landing.ts";
import { startOf } from "#shared/domain/text/cut-text.ts";
import { shownLine } from "#shared/domain/text/shown-text.ts";
import { Field, TextInput } from "../../kit/field.tsx";
import { Segmented } from "../../kit/segmented.tsx";

/** What is built on and landed on where nothing else is said, and the choice that a person may want. */
export function BuildsOn({
  runBase: { standsOn, trunk, base, leftOut },
  onto,
  onOnto,
}: {
  readonly runBase: RunBaseView;
  readonly onto: string;
  readonly onOnto: (onto: string) => void;
}) {
  const wish = onto.trim();
  if (standsOn !== null && (trunk === null || trunk === standsOn))
    return <p className="text-sm text-muted">Builds and lands on {standsOn}, your current branch.</p>;
  if (standsOn !== null && trunk !== null)
    return (
      <div className="flex flex-wrap items-center gap-2 text-sm text-muted">
        <span>Builds and lands on</span>
        <Segmented
          label="Branch"
          value={wish === trunk ? trunk : wish === "" ? standsOn : ""}
          onChange={(branch) => onOnto(branch === standsOn ? "" : branch)}
          options={[
            { value: standsOn, label: `${standsOn} (you are on it)` },
            { value: trunk, label: trunk },
          ]}
        />
      </div>
    );
  if (base === null) return null;
  const lands = trunk === null ? "You choose where it lands." : `Lands on ${trunk}.`;
  if (leftOut === null)
    return (
      <p className="text-sm text-muted">
        Builds on {titleOf(base)}. {lands}
      </p>
    );
  const own = leftOut.changeId.slice(0, 12);
  return (
    <div className="flex flex-col gap-2 text-sm text-muted">
      <div className="flex flex-wrap items-center gap-2">
        <span>Builds on</span>
        <Segmented
          label="Build on"
          value={wish === "" ? "base" : wish === own ? "own" : ""}
          onChange={(choice) => onOnto(choice === "own" ? own : "")}
          options={[
            { value: "base", label: trunk ?? titleOf(base) },
            { value: "own", label: "current change" },
          ]}
        />
      </div>
      <p>
        You are on {titleOf(leftOut)}, which is not in {trunk ?? titleOf(base)}. {lands}
      </p>
    </div>
  );
}

const titleOf = ({ title, changeId }: BaseCommitView): string =>
  shownLine(startOf(title === "" ? changeId.slice(0, 12) : `“${title}”`, 60));

interface OntoFieldProps {
  readonly runBase: RunBaseView | null;
  readonly onto: string;
  readonly onOnto: (onto: string) => void;
}

/** Another branch or change to build on. */
export function OntoField({ runBase, onto, onOnto }: OntoFieldProps) {
  const hint = `A branch, or a revset that names one change. Empty: ${runBase?.standsOn ?? runBase?.trunk ?? "the trunk, or your current change"}.`;
  return (
    <Field label="Build on" hint={hint}>
      {(ids) => (
        <TextInput
          {...ids}
          className="font-mono"
          value={onto}
          placeholder={runBase?.standsOn ?? runBase?.trunk ?? "main"}
          onChange={(event) => onOnto(event.target.value)}
        />
      )}
    </Field>
  );
}
