import { TriangleAlert } from "lucide-react";
import type { ToolView } from "#shared/contract/views/app.ts";
import { FetchJj } from "../settings/fetch-jj.tsx";

/** Parts of the machine that are missing or too old, each with what to do; nothing when all is well. */
export function ToolProblems({ tools }: { readonly tools: readonly ToolView[] }) {
  // Without Electron this very page is the window: nothing is wrong, and the settings tell how to get it.
  const problems = tools.filter((tool) => (!tool.found || tool.remedy !== null) && tool.part !== "electron");
  if (problems.length === 0) return null;
  return (
    <section aria-label="Problems on this machine" className="mt-5 rounded-lg border bg-surface">
      <ul>
        {problems.map((tool) => (
          <li key={tool.part} className="flex gap-2.5 border-b px-3 py-2 last:border-b-0">
            <TriangleAlert size={15} className="mt-0.5 shrink-0 text-warning" aria-hidden />
            <div className="min-w-0" data-selectable>
              <p>
                <span className="font-medium">{tool.part}</span>{" "}
                {tool.found ? (tool.version ?? "") : "was not found"}
                {tool.note && <span className="text-muted">: {tool.note}</span>}
              </p>
              {tool.remedy && <p className="text-muted">{tool.remedy}</p>}
              {tool.canFetch && <FetchJj />}
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}
