import { useState } from "react";
import type { Change } from "#shared/graph/change.ts";
import { TextArea } from "../../kit/field.tsx";
import { Keys } from "../../kit/keys.tsx";
import { FormDialog } from "../../kit/submit-form.tsx";
import { describeChange } from "../../state/graph-edits.ts";
import { useSubmit } from "../../state/use-loaded.ts";
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
    <FormDialog
      onClose={close}
      title="Describe this change"
      width="w-[620px]"
      action={
        <>
          Save <Keys keys="mod+Enter" />
        </>
      }
      canSubmit={sending === null && text !== change.description}
      onSubmit={save}
      failure={failure}
    >
      <TextArea
        aria-label="Description"
        autoFocus
        rows={14}
        value={text}
        className="font-mono text-sm"
        onChange={(event) => setText(event.target.value)}
      />
      <p className="text-sm text-faint">
        The Hox- lines at the end contain the task’s metadata. You can edit them here too.
      </p>
    </FormDialog>
  );
}
