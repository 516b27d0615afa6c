import { callCutWarning, locationText, type RequestedCall } from "#shared/contract/cards/mutation.ts";
import type { ItemOf } from "#shared/contract/cards.ts";
import { shownText } from "#shared/domain/text/shown-text.ts";
import { Button } from "../../kit/button.tsx";
import { TextArea } from "../../kit/field.tsx";
import { inspect } from "../../state/selection-store.ts";
import { type CardBodyProps, CardDiff, useAnswer, useCardDraft } from "./card-frame.tsx";

/** What an agent asks permission for: its own words, which are only shown. */
function Call({ call, isWide }: { readonly call: RequestedCall; readonly isWide: boolean }) {
  const { locations, command, input, diff, isCut } = call;
  return (
    <section aria-label="What it asks for" className="flex flex-col gap-2" data-selectable>
      {locations.length > 0 && (
        <p className="font-mono text-xs break-all text-muted">{locations.map(locationText).join(", ")}</p>
      )}
      {command !== null && <LabelledText name="Command" text={command} />}
      {diff !== "" && <CardDiff item={call} isWide={isWide} />}
      {input !== "" && <LabelledText name="Input" text={input} />}
      {isCut && <p className="text-sm text-warning">{callCutWarning}</p>}
    </section>
  );
}

const LabelledText = ({ name, text }: { readonly name: string; readonly text: string }) => (
  <figure aria-label={name}>
    <figcaption className="text-xs text-faint">{name}</figcaption>
    <pre className="max-h-40 overflow-auto rounded-md bg-sunken px-2 py-1 font-mono text-xs wrap-anywhere whitespace-pre-wrap">
      {shownText(text)}
    </pre>
  </figure>
);

const placeholderOf = ({ call, options }: ItemOf<"align-request">): string => {
  if (call) return "Or refuse, and say what to do instead";
  return options.length > 0 ? "Or answer in your own words" : "Your answer";
};

/** A question from an agent, with the answers it offers and room for another one. */
export function QuestionCard({ item, isWide }: CardBodyProps<ItemOf<"align-request">>) {
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
      {item.call && <Call call={item.call} isWide={isWide} />}
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
          placeholder={placeholderOf(item)}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onSend={() => send(text)}
        />
        <div className="flex items-center gap-2">
          <Button type="submit" look="primary" disabled={isBusy || text.trim() === ""}>
            {item.call ? "Refuse" : "Answer"}
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
