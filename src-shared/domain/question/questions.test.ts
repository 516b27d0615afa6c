import fc from "fast-check";
import { expect, test } from "vitest";
import { type QuestionEvent, type Questions, reduceQuestions } from "./questions.ts";

const asked = (id: string, from = "agent-1"): QuestionEvent => ({
  kind: "QuestionAsked",
  question: { id, from, question: `${id}?`, options: [], blocking: true },
});
const play = (events: readonly QuestionEvent[], from: Questions = []): Questions =>
  events.reduce(reduceQuestions, from);

test("a withdrawn question is answered with the reason, and another worker's stays open", () => {
  const after = play([
    asked("a"),
    asked("b", "agent-2"),
    { kind: "QuestionsWithdrawn", worker: "agent-1", reason: "gone" },
  ]);
  expect(after.map(({ id, answer }) => [id, answer])).toEqual([
    ["a", "gone"],
    ["b", null],
  ]);
});

test("in any order of events the first answer stays, no question is lost or doubled, and repeats change nothing", () => {
  const id = fc.constantFrom("a", "b", "c");
  const event: fc.Arbitrary<QuestionEvent> = fc.oneof(
    fc.tuple(id, fc.constantFrom("agent-1", "agent-2")).map(([one, from]) => asked(one, from)),
    fc
      .tuple(id, fc.string())
      .map(([one, answer]) => ({ kind: "QuestionAnswered", id: one, answer }) as const),
    fc.constant({ kind: "QuestionsWithdrawn", worker: "agent-2", reason: "gone" } as const),
  );
  fc.assert(
    fc.property(fc.array(event), (events) => {
      let before: Questions = [];
      for (const one of events) {
        const after = reduceQuestions(before, one);
        expect(after.slice(0, before.length).map((question) => question.id)).toEqual(
          before.map((question) => question.id),
        );
        for (const [index, question] of before.entries())
          if (question.answer !== null) expect(after[index]).toBe(question);
        expect(new Set(after.map((question) => question.id)).size).toBe(after.length);
        expect(reduceQuestions(after, one)).toBe(after);
        before = after;
      }
    }),
  );
});
