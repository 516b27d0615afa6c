/** Questions of a person that are being answered, so that whoever asked hears the answer as it comes and can take it back. */
import type { QuestionProgress } from "#shared/contract/commands/orientation.ts";
import { EngineRefusal, explain } from "../../../engine-errors.ts";
import type { PersonAnswer } from "../../../kernel/feature.ts";

interface Asked {
  text: string;
  end: QuestionProgress["end"];
  readonly cancel: AbortController;
  /** Wakes whoever waits for more. */
  moved: PromiseWithResolvers<void>;
}

/** Answers that nobody fetched are forgotten, the oldest first. */
const most = 50;
/** A terminal asks again after so long, whether anything came or not. */
const maxWaitMs = 10_000;

export function createAskedQuestions(newId: () => string) {
  const questions = new Map<string, Asked>();
  const of = (id: string): Asked => {
    const asked = questions.get(id);
    if (asked) return asked;
    throw new EngineRefusal("This question is no longer available because Hox restarted.", "Ask again.");
  };
  return {
    /** Begins to answer. @returns under what name the answer is fetched */
    begin(answer: (onText: (text: string) => void, signal: AbortSignal) => Promise<PersonAnswer>): string {
      const id = newId();
      const asked: Asked = {
        text: "",
        end: null,
        cancel: new AbortController(),
        moved: Promise.withResolvers(),
      };
      questions.set(id, asked);
      for (const old of [...questions.keys()].slice(0, -most)) questions.delete(old);
      const move = (): void => {
        const { resolve } = asked.moved;
        asked.moved = Promise.withResolvers();
        resolve();
      };
      const end = (given: NonNullable<QuestionProgress["end"]>): void => {
        asked.end = given;
        move();
      };
      answer((text) => {
        asked.text += text;
        move();
      }, asked.cancel.signal).then(
        ({ text, microDollars }) => {
          // Whoever streams nothing says all of it at its end.
          if (asked.text === "") asked.text = text;
          end({ kind: "answered", microDollars });
        },
        (error: unknown) => {
          const { message, remedy } = explain(error);
          end(asked.cancel.signal.aborted ? { kind: "cancelled" } : { kind: "failed", message, remedy });
        },
      );
      return id;
    },
    /** What came since so many characters, as soon as there is any. */
    async more(id: string, after: number): Promise<QuestionProgress> {
      const asked = of(id);
      if (asked.text.length <= after && asked.end === null) {
        let timer: NodeJS.Timeout | undefined;
        const late = new Promise<void>((resolve) => {
          timer = setTimeout(resolve, maxWaitMs);
        });
        await Promise.race([asked.moved.promise, late]);
        clearTimeout(timer);
      }
      return { text: asked.text.slice(after), end: asked.end };
    },
    cancel: (id: string): void => of(id).cancel.abort(),
  };
}
