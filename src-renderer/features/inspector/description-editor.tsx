import { useState } from "react";
import type { Change } from "#shared/graph/change.ts";
import { Button } from "../../kit/button.tsx";
import { TextArea } from "../../kit/field.tsx";
import { bodyOf, withBody } from "../../state/description-body.ts";
import { describeChange } from "../../state/graph-edits.ts";
import { attempt } from "../../state/notice-store.ts";

/** The words of a change without Hox's trailers, which have fields of their own below. */
export function DescriptionEditor({ change }: { readonly change: Change }) {
  const [draft, setDraft] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const body = bodyOf(change.description);
  if (draft === null) {
    // The first line stands above as the heading.
    const rest = body.includes("\n") ? body.slice(body.indexOf("\n")).trim() : "";
    return (
      <div>
        {rest !== "" && (
          <p className="max-h-64 overflow-y-auto whitespace-pre-wrap" data-selectable>
            {rest}
          </p>
        )}
        {!change.immutable && (
          <Button look="ghost" size="sm" className="-ml-2" onClick={() => setDraft(body)}>
            Edit description
          </Button>
        )}
      </div>
    );
  }
  const save = async (): Promise<void> => {
    if (busy) return;
    setBusy(true);
    const done = await attempt("The description was not saved", () =>
      describeChange(change, withBody(change.description, draft)),
    );
    setBusy(false);
    if (done) setDraft(null);
  };
  return (
    <div className="flex flex-col gap-2">
      <TextArea
        autoFocus
        rows={Math.min(16, Math.max(4, draft.split("\n").length + 1))}
        aria-label="Description"
        value={draft}
        onChange={(event) => setDraft(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") setDraft(null);
          if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) void save();
          event.stopPropagation();
        }}
      />
      <div className="flex gap-2">
        <Button look="primary" size="sm" disabled={busy} onClick={() => void save()}>
          Save
        </Button>
        <Button size="sm" onClick={() => setDraft(null)}>
          Cancel
        </Button>
      </div>
    </div>
  );
}
