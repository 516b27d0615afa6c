import { Check, X } from "lucide-react";
import type { ToolView } from "#shared/contract/views/app.ts";
import { FetchJj } from "./fetch-jj.tsx";
import { Section } from "./section.tsx";

interface ToolListProps {
  readonly tools: readonly ToolView[];
  readonly version: string;
}

/** The parts that Hox stands on, as `hox doctor` finds them. */
export function ToolList({ tools, version }: ToolListProps) {
  return (
    <Section title={`Hox ${version}`}>
      <ul className="rounded-md border text-sm">
        {tools.map((tool) => (
          <li key={tool.part} className="flex items-start gap-2 border-b px-2.5 py-1.5 last:border-b-0">
            {tool.found ? (
              <Check size={14} className="mt-0.5 shrink-0 text-success" aria-label="found" />
            ) : (
              <X size={14} className="mt-0.5 shrink-0 text-danger" aria-label="not found" />
            )}
            <div className="min-w-0 flex-1">
              <p>
                <span className="font-medium">{tool.part}</span>{" "}
                <span className="text-muted tabular-nums">{tool.version}</span>
              </p>
              {tool.note && <p className="text-faint">{tool.note}</p>}
              {tool.remedy && <p className="text-warning">{tool.remedy}</p>}
              {tool.canFetch && <FetchJj />}
            </div>
          </li>
        ))}
      </ul>
    </Section>
  );
}
