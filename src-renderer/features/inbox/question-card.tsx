import type { ItemOf } from "#shared/contract/cards.ts";
import { shownText } from "#shared/domain/text/shown-text.ts";
import { Button } from "../../kit/button.tsx";
import { TextArea } from "../../kit/field.tsx";
import { inspect } from "../../state/selection-store.ts";
import { useAnswer, useCardDraft } from "./card-frame.tsx";

/** A question from an agent, with the answers it offers and room for another one. */
export function QuestionCard({ item }: { readonly item: ItemOf<"align-request"> }) {
  const [text, setText] = useCardDraft(item, "answer", "");
  const { isBusy, send: sendAnswer } = useAnswer(item);
  const send = (words: string): void => {
    if (words.trim() !== "") void sendAnswer({ kind: "answer", text: words.trim() });
  };
  const { changeId } = item;
  return (
    <div className="flex flex-col gap-3 px-3 pb-3">
      {/* A single line is already the card's title. */}
      {item.question.trim().includes("\n") && (
        <p className="whitespace-pre-wrap" data-selectable>
          {shownText(item.question)}
        </p>
      )}
      {item.options.length > 0 && (
        <div className="flex flex-col gap-1.5">
          {item.options.map((option, index) => (
            <Button
              key={option}
              data-decision-key={index + 1}
              disabled={isBusy}
              onClick={() => send(option)}
              className="h-auto min-h-7 justify-start py-1 text-left whitespace-normal"
            >
              <kbd className="w-4 shrink-0 text-xs text-faint" aria-hidden>
                {index + 1}
              </kbd>
              {shownText(option)}
            </Button>
          ))}
        </div>
      )}
      <form
        className="flex flex-col gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          send(text);
        }}
      >
        <TextArea
          rows={2}
          aria-label="Another answer"
          placeholder={item.options.length > 0 ? "Or answer in your own words" : "Your answer"}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onSend={() => send(text)}
        />
        <div className="flex items-center gap-2">
          <Button type="submit" look="primary" disabled={isBusy || text.trim() === ""}>
            Answer
          </Button>
          {changeId && (
            <Button look="ghost" onClick={() => inspect(changeId)}>
              Show the change
            </Button>
          )}
        </div>
      </form>
    </div>
  );
}
