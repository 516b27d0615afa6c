import type { Failure } from "../client.ts";

/** What could not be loaded, and what to do. */
export function LoadFailure({ failure }: { readonly failure: Failure }) {
  return (
    <div role="alert" className="m-3 rounded-md bg-danger-soft px-3 py-2 text-danger">
      <p>{failure.text}</p>
      {failure.remedy && <p className="mt-1 text-sm">{failure.remedy}</p>}
    </div>
  );
}
