import type { Failure } from "../client.ts";

/** What the host answered instead; its place is kept, so that nothing jumps. */
export const FailureLine = ({ failure }: { readonly failure: Failure | null }) => (
  <p role="alert" className="min-h-5 text-sm text-danger">
    {failure && [failure.text, failure.remedy].filter(Boolean).join(" ")}
  </p>
);
