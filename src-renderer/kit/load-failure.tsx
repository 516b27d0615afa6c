import { type Failure, noAnswer } from "../client.ts";
import { Button } from "./button.tsx";

/** What failed to load, and what to do. Nothing if the host did not answer: `useLoaded` retries automatically. */
export function LoadFailure({
  failure,
  again,
}: {
  readonly failure: Failure;
  /** Asks once more. */
  readonly again: () => void;
}) {
  const isUnanswered = failure.code === noAnswer;
  const remedy = isUnanswered ? "This view loads when Hox responds." : failure.remedy;
  return (
    <div role="alert" className="m-3 rounded-md bg-danger-soft px-3 py-2 text-danger">
      <p>{failure.text}</p>
      {remedy && <p className="mt-1 text-sm">{remedy}</p>}
      {!isUnanswered && (
        <Button size="sm" className="mt-2" onClick={again}>
          Retry
        </Button>
      )}
    </div>
  );
}

/** A line that travels while work is in progress; shown only when it takes a while. */
export function IndeterminateLine({ label }: { readonly label: string }) {
  return (
    <div role="progressbar" aria-label={label} className="appear-late h-0.5 w-full overflow-hidden bg-line">
      <div className="travel h-full w-1/4 bg-accent" />
    </div>
  );
}
