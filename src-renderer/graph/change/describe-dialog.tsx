import { useState } from "react";
import type { Change } from "#shared/graph/change.ts";
import { client, toFailure } from "../../client.ts";
import { Button } from "../../kit/button.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { TextArea } from "../../kit/field.tsx";
import { matches } from "../../kit/keyboard.ts";
import { Keys } from "../../kit/keys.tsx";
import { keyOf } from "../../state/graph-store.ts";
import { useDescribing } from "../model/change-actions.ts";

export function DescribeDialog() {
  const change = useDescribing((state) => state.change);
  return change && <Editor key={change.commitId} change={change} />;
}

const close = (): void => useDescribing.setState({ change: null });

function Editor({ change }: { readonly change: Change }) {
  const [text, setText] = useState(change.description);
  const [error, setError] = useState<string | null>(null);
  const [saving, setSaving] = useState(false);
  const save = async (): Promise<void> => {
    setSaving(true);
    try {
      await client.change.describe({ changeId: keyOf(change), description: text });
      close();
    } catch (thrown) {
      const failure = toFailure(thrown);
      setError([failure.text, failure.remedy].filter(Boolean).join(" "));
    } finally {
      setSaving(false);
    }
  };
  return (
    <Dialog
      open
      onClose={close}
      title="Describe this change"
      width="w-[620px]"
      actions={
        <>
          <Button onClick={close}>Cancel</Button>
          <Button look="primary" disabled={saving || text === change.description} onClick={() => void save()}>
            Save <Keys keys="mod+Enter" />
          </Button>
        </>
      }
    >
      <TextArea
        aria-label="Description"
        autoFocus
        rows={14}
        value={text}
        className="font-mono text-sm"
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (!matches(event, "mod+Enter")) return;
          event.preventDefault();
          void save();
        }}
      />
      <p role="alert" className="mt-1 min-h-5 text-sm text-danger">
        {error}
      </p>
      <p className="text-sm text-faint">
        The Hox- lines at the end carry the task’s metadata; they may be edited here too.
      </p>
    </Dialog>
  );
}
