import { useState } from "react";
import type { Change } from "#shared/graph/change.ts";
import { Button } from "../../kit/button.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { FailureLine } from "../../kit/failure-line.tsx";
import { TextArea } from "../../kit/field.tsx";
import { matches } from "../../kit/key-table.ts";
import { Keys } from "../../kit/keys.tsx";
import { describeChange } from "../../state/graph-edits.ts";
import { useSubmit } from "../../state/use-submit.ts";
import { useDescribing } from "../model/change-actions.ts";

export function DescribeDialog() {
  const change = useDescribing((state) => state.change);
  return change && <Editor key={change.commitId} change={change} />;
}

const close = (): void => useDescribing.setState({ change: null });

function Editor({ change }: { readonly change: Change }) {
  const [text, setText] = useState(change.description);
  const { sending, failure, submit } = useSubmit<"saving">();
  const save = (): Promise<void> =>
    submit("saving", async () => {
      await describeChange(change, text);
      close();
    });
  return (
    <Dialog
      open
      onClose={close}
      title="Describe this change"
      width="w-[620px]"
      actions={
        <>
          <Button onClick={close}>Cancel</Button>
          <Button
            look="primary"
            disabled={sending !== null || text === change.description}
            onClick={() => void save()}
          >
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
      <FailureLine failure={failure} className="mt-1" />
      <p className="text-sm text-faint">
        The Hox- lines at the end contain the task’s metadata. You can edit them here too.
      </p>
    </Dialog>
  );
}
