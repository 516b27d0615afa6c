import type { ReactNode } from "react";

interface RoleFieldsetProps {
  /** Why the user may not do what is inside; null: they may. */
  readonly refusal: string | null;
  readonly children: ReactNode;
}

/** Everything in it is disabled, with why, for somebody whose role does not allow it. */
export function RoleFieldset({ refusal, children }: RoleFieldsetProps) {
  if (refusal === null) return children;
  return (
    <fieldset disabled className="contents">
      <p role="note" className="px-3 pb-2 text-sm text-pretty text-warning">
        {refusal}
      </p>
      {children}
    </fieldset>
  );
}
