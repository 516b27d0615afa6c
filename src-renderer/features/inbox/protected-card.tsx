import { ShieldAlert } from "lucide-react";
import type { ItemOf } from "#shared/contract/cards.ts";
import { DiffView } from "../../kit/diff-view.tsx";
import { FileName } from "../../kit/file-name.tsx";
import { useShownTheme } from "../../kit/theme.ts";
import { CardFrame } from "./card-frame.tsx";

/** Changes to protected files that came as far as an agent's change, and were taken out of it until somebody says more. */
export function ProtectedCard({
  item,
  wide,
}: {
  readonly item: ItemOf<"protected">;
  readonly wide?: boolean;
}) {
  const theme = useShownTheme();
  return (
    <CardFrame
      item={item}
      approve={{ label: "Allow as shown", decision: () => ({ kind: "approve" }) }}
      reject={{ label: "Discard", reason: null }}
    >
      <p className="text-muted">
        {item.worker} changed {item.paths.length === 1 ? "a protected file" : "protected files"}. Hox removed
        this from its change, and the agent continues without it. Its merge request waits for your decision.
        If you allow it, the files are restored exactly as shown here, and the agent cannot change them
        further.
      </p>
      <ul className="flex flex-col gap-1">
        {item.paths.map((path) => (
          <li key={path} className="flex items-center gap-1.5 font-mono text-sm">
            <ShieldAlert size={13} className="shrink-0 text-warning" aria-hidden />
            <FileName path={path} />
          </li>
        ))}
      </ul>
      <div className={wide ? "overflow-auto rounded-md border" : "max-h-80 overflow-auto rounded-md border"}>
        <DiffView diff={item.diff} theme={theme} layout={wide ? "split" : "unified"} />
        {item.isDiffCut && (
          <p className="p-2 text-sm text-warning">Diff too long. Only the first part is shown.</p>
        )}
      </div>
    </CardFrame>
  );
}
