import { Check, CircleHelp, CircleSlash, Clock, History, X } from "lucide-react";
import type { CheckResult } from "#shared/domain/conversation/conversation.ts";
import { isBlocking, outcomeText } from "#shared/domain/project/preflight.ts";
import { duration } from "./amounts.ts";

const signs = {
  passed: { Icon: Check, className: "text-success" },
  failed: { Icon: X, className: "text-danger" },
  "timed-out": { Icon: Clock, className: "text-danger" },
  missing: { Icon: CircleSlash, className: "text-danger" },
  "could-not-run": { Icon: CircleSlash, className: "text-danger" },
  "known-failure": { Icon: History, className: "text-warning" },
  unproven: { Icon: CircleHelp, className: "text-warning" },
} as const;

/** Checks with their output; a failed one is open. */
export function ChecksView({ checks }: { readonly checks: readonly CheckResult[] }) {
  if (checks.length === 0) return <p className="p-3 text-faint">No check has run yet.</p>;
  return (
    <ul className="flex flex-col gap-1.5 p-3">
      {checks.map((check) => {
        const { Icon, className } = signs[check.outcome];
        return (
          <li key={`${check.name} ${check.command}`}>
            <details open={isBlocking(check)} className="rounded-md border">
              <summary className="flex cursor-default items-center gap-2 px-2.5 py-1.5">
                <Icon size={14} className={className} aria-label={outcomeText[check.outcome]} />
                <span className="font-medium">{check.name}</span>
                <code className="min-w-0 flex-1 truncate font-mono text-xs text-faint" title={check.command}>
                  {check.command === check.name ? "" : check.command}
                </code>
                <span className="text-xs text-faint tabular-nums">{duration(check.ms)}</span>
              </summary>
              {check.output.trim() !== "" && (
                <pre className="max-h-72 overflow-auto border-t bg-sunken px-2.5 py-2 font-mono text-xs whitespace-pre-wrap">
                  {check.output}
                </pre>
              )}
            </details>
          </li>
        );
      })}
    </ul>
  );
}
