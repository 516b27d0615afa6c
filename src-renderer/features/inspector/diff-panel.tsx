import { useState } from "react";
import { client } from "../../client.ts";
import { DiffView } from "../../kit/diff-view.tsx";
import { LoadFailure } from "../../kit/load-failure.tsx";
import { IndeterminateLine } from "../../kit/progress.tsx";
import { Segmented } from "../../kit/segmented.tsx";
import { useShownTheme } from "../../kit/theme.ts";
import { shownValue, useLoaded } from "../../state/use-loaded.ts";

const inherited =
  "This change edits no file itself: its conflict comes from its parents. Details names the files; resolve it in a workspace, or give it edits that decide.";

/** The diff of one commit against its parents. */
export function DiffPanel({ commitId, conflict }: { readonly commitId: string; readonly conflict: boolean }) {
  const theme = useShownTheme();
  const [layout, setLayout] = useState<"unified" | "split">("unified");
  const loaded = useLoaded(commitId, () => client.change.diff({ commitId }));
  const value = shownValue(loaded);
  if (loaded.kind === "failed") return <LoadFailure failure={loaded.failure} />;
  if (!value) return <IndeterminateLine label="Reading the diff" />;
  return (
    <div>
      <div className="flex items-center justify-between gap-2 px-3 py-2">
        <span className="text-sm text-faint">
          {value.truncated ? "Only the first part is shown: this diff is very large." : ""}
        </span>
        <Segmented
          label="Layout of the diff"
          value={layout}
          options={[
            { value: "unified", label: "Unified" },
            { value: "split", label: "Split" },
          ]}
          onChange={setLayout}
        />
      </div>
      <DiffView diff={value.diff} theme={theme} layout={layout} {...(conflict ? { empty: inherited } : {})} />
    </div>
  );
}
