/** The questions that workers of a run have asked, and their way to an answer. */
import type { AnyEvent } from "../any-event.ts";

/** A question of a worker on its way to an answer. Plain JSON. */
export interface Question {
  readonly id: string;
  readonly from: string;
  readonly question: string;
  readonly options: readonly string[];
  /** Whether the one who asked waits for the answer. */
  readonly blocking: boolean;
  /** Null until an answer was sent. */
  readonly answer: string | null;
}

/** All of a run, the first first. */
export type Questions = readonly Question[];

export type QuestionEvent =
  | { readonly kind: "QuestionAsked"; readonly question: Omit<Question, "answer"> }
  | { readonly kind: "QuestionAnswered"; readonly id: string; readonly answer: string }
  /** Nobody needs an answer any more to what `worker` asked. */
  | { readonly kind: "QuestionsWithdrawn"; readonly worker: string; readonly reason: string };

/** Adds an event. A question that was asked is known by its id; the first answer to it stays. */
export function reduceQuestions(questions: Questions, given: QuestionEvent | AnyEvent): Questions {
  const event = given as QuestionEvent;
  switch (event.kind) {
    case "QuestionAsked":
      return questions.some((one) => one.id === event.question.id)
        ? questions
        : [...questions, { ...event.question, answer: null }];
    case "QuestionAnswered":
      return answered(questions, (one) => one.id === event.id, event.answer);
    case "QuestionsWithdrawn":
      return answered(questions, (one) => one.from === event.worker, event.reason);
    default:
      return questions;
  }
}

function answered(questions: Questions, isMeant: (one: Question) => boolean, answer: string): Questions {
  const isOpen = (one: Question): boolean => one.answer === null && isMeant(one);
  return questions.some(isOpen)
    ? questions.map((one) => (isOpen(one) ? { ...one, answer } : one))
    : questions;
}
