import { Pencil } from "lucide-react";
import type { ItemOf } from "#shared/contract/cards.ts";
import { shownText } from "#shared/domain/text/shown-text.ts";
import { client } from "../../client.ts";
import { Badge } from "../../kit/badge.tsx";
import { Button } from "../../kit/button.tsx";
import { FailureLine } from "../../kit/failure-line.tsx";
import { TextArea } from "../../kit/field.tsx";
import { GateList } from "../../kit/gate-list.tsx";
import { Keys } from "../../kit/keys.tsx";
import { LineDiff } from "../../kit/line-diff.tsx";
import { ScrollBox } from "../../kit/scroll-box.tsx";
import { UntrustedMarkdown } from "../../kit/untrusted-markdown.tsx";
import { useSubmit } from "../../state/use-loaded.ts";
import { CardFrame, useCardDraft } from "./card-frame.tsx";

/** A learned pattern before its human gate, with the findings of the automatic gate; the user may edit it. */
export function PatternCard({ item }: { readonly item: ItemOf<"pattern"> }) {
  const [isEditing, setEditing] = useCardDraft(item, "editing", false);
  const passed = item.gates.every((gate) => gate.passed);
  const { version, changes } = item;
  const decisions = {
    approve: { label: "Approve", disabled: !passed, decision: () => ({ kind: "approve" }) as const },
    reject: { label: "Reject", reason: "Why not?" },
    last: (
      <Button onClick={() => setEditing(true)}>
        <Pencil size={13} aria-hidden />
        Edit
      </Button>
    ),
  };
  return (
    <CardFrame item={item} {...(isEditing ? {} : decisions)}>
      <div className="flex flex-wrap items-center gap-1.5">
        <Badge>{item.category}</Badge>
        <Badge>confidence {item.confidence.toFixed(2)}</Badge>
        {version > 1 && <Badge tone="info">version {version}</Badge>}
        <Badge mono>hox-patterns</Badge>
      </div>
      <GateList gates={item.gates} />
      {isEditing ? (
        <CardEditor item={item} onClose={() => setEditing(false)} />
      ) : (
        <>
          <ScrollBox label="The pattern" className="max-h-72 rounded-md border bg-sunken px-3 py-2">
            <div data-selectable>
              <pre className="mb-2 font-mono text-xs break-words whitespace-pre-wrap text-muted">
                {shownText(frontMatterOf(item.markdown))}
              </pre>
              <UntrustedMarkdown text={withoutFrontMatter(item.markdown)} />
            </div>
          </ScrollBox>
          {changes.length > 0 && (
            <section aria-label="Changes">
              <h4 className="mb-1 text-sm font-medium text-muted">Changes since version {version - 1}</h4>
              <ScrollBox label="Changed lines" className="max-h-72">
                <LineDiff lines={changes} label={`Changes since version ${version - 1}`} />
              </ScrollBox>
            </section>
          )}
        </>
      )}
      <p className="text-xs text-muted">
        Automatic checks catch only obvious problems. Read it carefully: future runs will use this text.
      </p>
    </CardFrame>
  );
}

interface CardEditorProps {
  readonly item: ItemOf<"pattern">;
  readonly onClose: () => void;
}

/** The card is replaced by one that shows the new text and what the gates say of it; that one is approved. */
function CardEditor({ item, onClose }: CardEditorProps) {
  const [text, setText] = useCardDraft(item, "text", item.markdown);
  const { sending, failure, submit } = useSubmit<"edit">();
  const canSend = sending === null && text !== item.markdown && text.trim() !== "";
  const send = (): Promise<void> =>
    submit("edit", async () => {
      await client.pattern.editCard({ run: item.run, card: item.id, markdown: text });
    });
  return (
    <div className="flex flex-col gap-2">
      <TextArea
        aria-label="Text of the pattern"
        autoFocus
        rows={14}
        maxLength={20_000}
        spellCheck={false}
        className="font-mono text-xs leading-[18px]"
        value={text}
        onChange={(event) => setText(event.target.value)}
        onSend={() => canSend && void send()}
        onCancel={onClose}
      />
      <FailureLine failure={failure} />
      <div className="flex gap-2">
        <Button look="primary" disabled={!canSend} onClick={() => void send()}>
          {sending === null ? "Run automatic checks" : "Running checks…"} <Keys keys="mod+Enter" />
        </Button>
        <Button
          onClick={() => {
            setText(item.markdown);
            onClose();
          }}
        >
          Cancel
        </Button>
      </div>
    </div>
  );
}

const frontMatter = /^---\n[\s\S]*?\n---\n/u;
const frontMatterOf = (markdown: string): string => frontMatter.exec(markdown)?.[0].trim() ?? "";
const withoutFrontMatter = (markdown: string): string => markdown.replace(frontMatter, "");
