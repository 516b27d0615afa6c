import { useEffect, useState } from "react";
import type { PatternPreview, PatternView } from "#shared/contract/commands/pattern.ts";
import { client, type Failure, toFailure } from "../../client.ts";
import { Button } from "../../kit/button.tsx";
import { confirm } from "../../kit/dialog.tsx";
import { FailureLine } from "../../kit/failure-line.tsx";
import { TextArea } from "../../kit/field.tsx";
import { GateList } from "../../kit/gate-list.tsx";
import { Keys } from "../../kit/keys.tsx";
import { LineDiff } from "../../kit/line-diff.tsx";
import { Section } from "../../kit/section.tsx";
import { patternsChanged, usePatternMoment } from "../../state/pattern-library.ts";
import { useSubmit } from "../../state/use-loaded.ts";

const askAfterMs = 400;

interface Previewed {
  /** Of exactly this text. */
  readonly of: string;
  readonly preview: PatternPreview | null;
  readonly failure: Failure | null;
}

/** What the gates say of a text, and its difference to the approved one: requested again when typing pauses. */
function usePreview(id: string, text: string): Previewed | null {
  const moment = usePatternMoment();
  const [found, setFound] = useState<Previewed | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once the branch moved, the approved text may differ
  useEffect(() => {
    let isCurrent = true;
    const take = (preview: PatternPreview | null, failure: Failure | null): void => {
      if (isCurrent) setFound({ of: text, preview, failure });
    };
    const ask = (): void =>
      void client.pattern.preview({ id, markdown: text }).then(
        (preview) => take(preview, null),
        (error: unknown) => take(null, toFailure(error)),
      );
    const timer = setTimeout(ask, found === null ? 0 : askAfterMs);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [id, text, moment]);
  return found;
}

interface PatternEditorProps {
  readonly pattern: PatternView;
  readonly onClose: () => void;
}

/** Its text in a user's own words, with what the gates say of it; what is approved is exactly what is shown. */
export function PatternEditor({ pattern: { id, text: before, state }, onClose }: PatternEditorProps) {
  const [text, setText] = useState(before);
  const found = usePreview(id, text);
  const { sending, failure, submit } = useSubmit<"approve">();
  const preview = found?.of === text ? found.preview : null;
  const isChanged = text !== before;
  const refused = preview?.gates.flatMap(({ passed, name }) => (passed ? [] : [name])) ?? [];
  const canApprove =
    preview !== null && refused.length === 0 && sending === null && (isChanged || state === "not-approved");
  const approve = (): Promise<void> =>
    submit("approve", async () => {
      if (preview === null || !canApprove) return;
      await client.pattern.approve({ id, markdown: text, shown: preview.shown });
      patternsChanged();
      onClose();
    });
  const leave = async (): Promise<void> => {
    const isMeant =
      !isChanged ||
      (await confirm({
        title: "Discard your edits?",
        body: "The pattern is not changed.",
        action: "Discard",
        danger: true,
      }));
    if (isMeant) onClose();
  };
  return (
    <section aria-label="Edit" className="flex flex-col gap-4">
      <TextArea
        aria-label="Text of the pattern"
        autoFocus
        rows={Math.min(24, Math.max(10, before.split("\n").length + 1))}
        maxLength={20_000}
        spellCheck={false}
        className="font-mono text-xs leading-[18px]"
        value={text}
        onChange={(event) => setText(event.target.value)}
        onSend={approve}
        onCancel={() => void leave()}
      />
      <div className="flex items-center gap-2">
        <Button look="primary" disabled={!canApprove} onClick={() => void approve()}>
          {preview === null ? "Approve" : `Approve as version ${preview.version}`} <Keys keys="mod+Enter" />
        </Button>
        <Button onClick={() => void leave()}>Cancel</Button>
        <span className="min-w-0 flex-1 text-sm text-faint" role="status">
          {preview !== null && refused.length > 0 ? (
            <span className="text-danger">Failed: {refused.join(", ")}</span>
          ) : preview === null && found?.failure == null ? (
            "Checking…"
          ) : !isChanged && state === "approved" ? (
            "This text is already in use."
          ) : null}
        </span>
      </div>
      <FailureLine failure={failure ?? (found?.of === text ? found.failure : null)} />
      {found?.preview && <Preview preview={found.preview} />}
    </section>
  );
}

function Preview({ preview: { gates, diff, text } }: { readonly preview: PatternPreview }) {
  const changes = diff?.lines.some(({ kind }) => kind !== "same") ?? true;
  return (
    <>
      <Section title="Automatic checks">
        <GateList gates={gates} />
        <p className="mt-1.5 text-xs text-faint">
          These checks catch only obvious problems. Read it carefully: future runs will use this text.
        </p>
      </Section>
      <Section
        aria-label="Approved text"
        title={diff === null ? "Approved text (all new)" : `Changes since ${diff.from}`}
      >
        {changes ? (
          <LineDiff
            label="Approved text"
            lines={diff?.lines ?? text.split("\n").map((line) => ({ kind: "added" as const, text: line }))}
          />
        ) : (
          <p className="text-sm text-muted">No changes.</p>
        )}
      </Section>
    </>
  );
}
