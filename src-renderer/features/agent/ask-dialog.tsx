import { useEffect, useRef, useState } from "react";
import { shownText } from "#shared/domain/text/shown-text.ts";
import { client, type Failure, toFailure } from "../../client.ts";
import { dollars } from "../../kit/amounts.ts";
import { Button } from "../../kit/button.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { FailureLine } from "../../kit/failure-line.tsx";
import { TextArea } from "../../kit/field.tsx";
import { Keys } from "../../kit/keys.tsx";
import { IndeterminateLine } from "../../kit/progress.tsx";
import { ScrollBox } from "../../kit/scroll-box.tsx";
import { useTextDraft } from "../../state/drafts.ts";
import { useHost } from "../../state/host-store.ts";
import { closeAgentDialog } from "./agent-actions.ts";

interface Answer {
  readonly question: string;
  readonly text: string;
  /** Null while it comes. */
  readonly microDollars: number | null;
}

/** Follows the answer until it is there. @param onId hears under what name it can be taken back */
async function follow(
  who: string,
  question: string,
  onId: (id: string) => void,
  onText: (text: string) => void,
) {
  const { id } = await client.run.ask({ who, question });
  onId(id);
  for (let text = ""; ; ) {
    const more = await client.run.askMore({ id, after: text.length });
    text += more.text;
    onText(text);
    if (more.end !== null) return more.end;
  }
}

const cancel = (id: string | null): void => {
  if (id !== null) client.run.cancelAsk({ id }).catch(() => undefined);
};

function useQuestion(worker: string) {
  const [answer, setAnswer] = useState<Answer | null>(null);
  const [failure, setFailure] = useState<Failure | null>(null);
  const going = useRef<string | null>(null);
  // Closing the dialog cancels an answer that would go unread.
  useEffect(() => () => cancel(going.current), []);
  /** Answers whether there is an answer. */
  const ask = async (question: string): Promise<boolean> => {
    const show = (text: string, microDollars: number | null): void =>
      setAnswer({ question, text, microDollars });
    setFailure(null);
    show("", null);
    let answerText = "";
    try {
      const end = await follow(
        worker,
        question,
        (id) => {
          going.current = id;
        },
        (text) => {
          answerText = text;
          show(text, null);
        },
      );
      going.current = null;
      if (end.kind === "answered") show(answerText, end.microDollars);
      else setAnswer(null);
      if (end.kind === "failed")
        setFailure({ code: "REFUSED", text: end.message, remedy: end.remedy, start: null, end: null });
      return end.kind === "answered";
    } catch (error) {
      going.current = null;
      setAnswer(null);
      setFailure(toFailure(error));
      return false;
    }
  };
  return {
    answer,
    failure,
    isGoing: answer !== null && answer.microDollars === null,
    ask,
    takeBack: () => cancel(going.current),
  };
}

/** Asks a worker without interrupting it; the answer streams in, and is part of its conversation too. */
export function AskDialog({ worker }: { readonly worker: string }) {
  const run = useHost((state) => state.run?.id ?? "");
  const [question, setQuestion, takeOut] = useTextDraft(`question ${run} ${worker}`);
  const { answer, failure, isGoing, ask, takeBack } = useQuestion(worker);
  const usable = question.trim() !== "" && !isGoing;
  const submit = async (): Promise<void> => {
    if (await ask(question)) takeOut(question);
  };
  return (
    <Dialog
      open
      onClose={closeAgentDialog}
      title={`Ask ${worker}`}
      description="A read-only fork of its conversation answers. The agent itself is not interrupted."
      actions={
        <>
          <Button onClick={closeAgentDialog}>{answer?.microDollars == null ? "Cancel" : "Close"}</Button>
          {isGoing ? (
            <Button onClick={takeBack}>Withdraw</Button>
          ) : (
            <Button look="primary" disabled={!usable} onClick={() => void submit()}>
              Ask <Keys keys="mod+Enter" />
            </Button>
          )}
        </>
      }
    >
      {answer && <AnswerBox answer={answer} />}
      <TextArea
        aria-label="Question"
        placeholder={answer === null ? "Why did you choose this? What is left to do?" : "Ask something else"}
        autoFocus
        rows={answer === null ? 4 : 2}
        maxLength={20_000}
        value={question}
        onChange={(event) => setQuestion(event.target.value)}
        onSend={() => usable && void submit()}
      />
      <FailureLine failure={failure} className="mt-1" />
    </Dialog>
  );
}

function AnswerBox({ answer: { question, text, microDollars } }: { readonly answer: Answer }) {
  return (
    <section aria-label="Answer" aria-live="polite" className="mb-3 rounded-md border bg-sunken px-3 py-2">
      <p className="mb-1 font-medium" data-selectable>
        {shownText(question)}
      </p>
      {text !== "" && (
        <ScrollBox label="The answer" className="max-h-72">
          <p className="whitespace-pre-wrap" data-selectable>
            {shownText(text)}
          </p>
        </ScrollBox>
      )}
      {microDollars === null ? (
        <IndeterminateLine label="Answering" />
      ) : (
        <p className="mt-1 text-xs text-faint">{dollars(microDollars)}</p>
      )}
    </section>
  );
}
