import { Check, X } from "lucide-react";
import { shownText } from "#shared/domain/text/shown-text.ts";

interface GateListProps {
  readonly gates: readonly { readonly name: string; readonly passed: boolean; readonly detail: string }[];
}

/** What the automatic gate of a pattern looked at, and what it found. */
export const GateList = ({ gates }: GateListProps) => (
  <ul className="flex flex-col gap-1 text-sm" aria-label="Automatic checks">
    {gates.map((gate) => (
      <li key={gate.name} data-gate={gate.passed ? "passed" : "failed"} className="flex items-start gap-1.5">
        {gate.passed ? (
          <Check size={14} className="mt-0.5 shrink-0 text-success" aria-label="passed" />
        ) : (
          <X size={14} className="mt-0.5 shrink-0 text-danger" aria-label="failed" />
        )}
        <span className="min-w-0 break-words" data-selectable>
          {shownText(gate.name)}{" "}
          <span className={gate.passed ? "text-faint" : "text-danger"}>{shownText(gate.detail)}</span>
        </span>
      </li>
    ))}
  </ul>
);
