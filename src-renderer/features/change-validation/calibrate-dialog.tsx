import { useEffect, useState } from "react";
import type { CalibrationForecast } from "#shared/contract/views/calibration.ts";
import { describeBudget } from "#shared/domain/spending/budget.ts";
import { counted } from "#shared/domain/text/counted.ts";
import { shownLine } from "#shared/domain/text/shown-text.ts";
import { client, type Failure, toFailure } from "../../client.ts";
import { dollars } from "../../kit/amounts.ts";
import { Button } from "../../kit/button.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { FailureLine } from "../../kit/failure-line.tsx";
import { Field, TextInput } from "../../kit/field.tsx";
import { matches } from "../../kit/keyboard.ts";
import { Keys } from "../../kit/keys.tsx";
import { Segmented } from "../../kit/segmented.tsx";
import {
  beginCalibration,
  type CalibrationInput,
  cancelCalibration,
  closeCalibration,
  useCalibration,
} from "../../state/calibration.ts";
import { useSubmit } from "../../state/use-submit.ts";
import { CalibrationProgress } from "./calibration-progress.tsx";

/** Plants known mistakes into a good commit and counts which of them the panel approves. Closed, it goes on. */
export function CalibrateDialog() {
  const isOpen = useCalibration((state) => state.isOpen);
  return isOpen ? <OpenDialog /> : null;
}

const perKinds = ["1", "2", "4"] as const;

function OpenDialog() {
  const last = useCalibration((state) => state.last);
  const isGoing = last?.end === null;
  const [change, setChange] = useState("");
  const [perKind, setPerKind] = useState<(typeof perKinds)[number]>("2");
  const input = { change: change.trim() === "" ? null : change.trim(), perKind: Number(perKind) };
  const { forecast, failure } = useForecast(isGoing ? null : input, `${last?.id} ${last?.spent.requests}`);
  const { sending, failure: refused, submit } = useSubmit<"begin">();
  const usable = forecast !== null && !isGoing && sending === null;
  const begin = (): Promise<void> => submit("begin", () => beginCalibration(input));
  return (
    <Dialog
      open
      onClose={closeCalibration}
      title="Measure this panel"
      description="Injects known bugs into a good commit and counts how many the reviewers miss. The miss rate is shown with later verdicts. It continues if you close this."
      width="w-[600px]"
      actions={
        <>
          <Button onClick={closeCalibration}>Close</Button>
          {isGoing ? (
            <Button onClick={() => void cancelCalibration(last.id)}>Cancel the measurement</Button>
          ) : (
            <Button look="primary" disabled={!usable} onClick={() => void begin()}>
              {measureLabel(forecast)} <Keys keys="mod+Enter" />
            </Button>
          )}
        </>
      }
    >
      {last && <CalibrationProgress value={last} />}
      {!isGoing && (
        <form
          className="flex flex-col gap-3"
          aria-label="What is measured"
          onSubmit={(event) => event.preventDefault()}
          onKeyDown={(event) => {
            if (!matches(event, "mod+Enter") || !usable) return;
            event.preventDefault();
            void begin();
          }}
        >
          <div className="grid grid-cols-[1fr_auto] gap-3">
            <Field
              label="A good commit"
              hint="A revset that names one change. Empty: what a run would be built on."
            >
              {(ids) => (
                <TextInput
                  {...ids}
                  autoFocus
                  className="font-mono"
                  placeholder="main"
                  value={change}
                  onChange={(event) => setChange(event.target.value)}
                />
              )}
            </Field>
            <Field label="Commits with each kind of mistake" hint="More commits narrow the interval.">
              {() => (
                <div>
                  <Segmented
                    label="Commits with each kind of mistake"
                    value={perKind}
                    onChange={setPerKind}
                    options={perKinds.map((value) => ({ value, label: value }))}
                  />
                </div>
              )}
            </Field>
          </div>
          {forecast && <ForecastLines forecast={forecast} />}
        </form>
      )}
      <FailureLine failure={refused ?? failure} className="mt-1" />
    </Dialog>
  );
}

const measureLabel = (forecast: CalibrationForecast | null): string =>
  forecast === null
    ? "Measure"
    : `Run ${counted(forecast.votes, "validation")} (about ${dollars(forecast.microDollars)})`;

const askAfterMs = 350;

interface Forecasted {
  readonly forecast: CalibrationForecast | null;
  readonly failure: Failure | null;
}

/**
 * What it would do and cost; asked anew when the typing rests, of no model.
 *
 * @param input null: not now
 * @param moment another one where votes were paid meanwhile
 */
function useForecast(input: CalibrationInput | null, moment: string): Forecasted {
  const key = input === null ? null : `${moment} ${input.perKind} ${input.change ?? ""}`;
  const [found, setFound] = useState<Forecasted & { readonly key: string | null }>({
    key: null,
    forecast: null,
    failure: null,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key says all that the input does
  useEffect(() => {
    if (input === null) return;
    let isCurrent = true;
    const timer = setTimeout(
      () => {
        client.calibration.forecast(input).then(
          (forecast) => isCurrent && setFound({ key, forecast, failure: null }),
          (error: unknown) => isCurrent && setFound({ key, forecast: null, failure: toFailure(error) }),
        );
      },
      found.key === null ? 0 : askAfterMs,
    );
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [key]);
  return found.key === key ? found : { forecast: null, failure: null };
}

function ForecastLines({ forecast }: { readonly forecast: CalibrationForecast }) {
  const { title, changeId, panel, planted, controls, builtIn, judged, paidVotes, microDollars, limit } =
    forecast;
  const models = [...new Set(panel.seats.map(({ model }) => model))].join(", ");
  const budget = describeBudget(limit);
  const rows: readonly (readonly [string, string])[] = [
    ["Baseline", `${shownLine(title)} (${changeId.slice(0, 8)})`],
    [
      "Judged",
      `${counted(planted, "commit")} with a mistake and ${controls} without, by ${counted(panel.seats.length, "seat")} of ${shownLine(models)}`,
    ],
    ...(builtIn.length === 0
      ? []
      : ([
          ["Not applicable here", `${builtIn.join(", ")}: the sample that comes with Hox takes its place`],
        ] as const)),
    ...(judged === 0
      ? []
      : ([["Judged before", `${counted(judged, "commit")}: continues from there`]] as const)),
    [
      "Cost",
      `about ${dollars(microDollars)}, ${paidVotes === 0 ? "estimated from the text size: no vote was paid here yet" : `as ${counted(paidVotes, "vote")} cost here`}`,
    ],
    ["Limit", budget === "" ? "none" : budget],
  ];
  return (
    <dl
      className="grid grid-cols-[96px_1fr] gap-y-1 rounded-md border px-3 py-2 text-sm"
      data-forecast={changeId}
      data-selectable
    >
      {rows.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-faint">{name}</dt>
          <dd className="text-pretty">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
