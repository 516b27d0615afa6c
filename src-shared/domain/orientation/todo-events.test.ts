import fc from "fast-check";
import { expect, test } from "vitest";
import {
  reduceTodos,
  type Todo,
  type TodoEvent,
  type TodosOfRun,
  todoLimits,
  todoProgress,
  todoStatuses,
  todosProblem,
} from "./todo-events.ts";

const todo = (content: string, status: Todo["status"] = "pending"): Todo => ({
  content,
  status,
  activeForm: `Doing ${content}`,
});

test("a list is summarised in a few words", () => {
  expect(todoProgress([])).toBe(null);
  expect(todoProgress([todo("a", "completed"), todo("b", "in_progress"), todo("c")])).toEqual({
    completed: 1,
    all: 3,
    active: "Doing b",
  });
  expect(todoProgress([todo("a", "completed")])).toEqual({ completed: 1, all: 1, active: null });
});

test("an invalid list is refused with the reason", () => {
  expect(todosProblem([todo("a", "in_progress"), todo("b")])).toBe(null);
  expect(todosProblem([todo("a", "in_progress"), todo("b", "in_progress")])).toContain(
    '2 items are in_progress ("a", "b")',
  );
  expect(todosProblem([todo("a"), todo(" ")])).toContain("Item 2 has no content");
  expect(todosProblem([{ ...todo("a"), activeForm: "" }])).toContain("Item 1 has no activeForm");
  expect(todosProblem([todo("x".repeat(todoLimits.characters + 1))])).toContain("Item 1 has");
  const many = Array.from({ length: todoLimits.items + 1 }, (_, nth) => todo(`${nth}`));
  expect(todosProblem(many)).toContain(`at most ${todoLimits.items}`);
  expect(todosProblem(many.slice(1))).toBe(null);
});

test("in any order of events every worker has its latest list unless it ended, and others' stay", () => {
  const worker = fc.constantFrom("agent-1", "agent-2", "toString");
  const written: fc.Arbitrary<TodoEvent> = fc.record({
    kind: fc.constant("TodosWritten" as const),
    worker,
    todos: fc.array(
      fc.record({
        content: fc.string(),
        status: fc.constantFrom(...todoStatuses),
        activeForm: fc.string(),
      }),
      { maxLength: 3 },
    ),
    iteration: fc.nat(3),
    task: fc.constantFrom("one", "other"),
    at: fc.nat(),
  });
  const ended = fc.record({ kind: fc.constantFrom("WorkReset" as const, "WorkAbandoned" as const), worker });
  fc.assert(
    fc.property(fc.array(fc.oneof(written, ended)), (events) => {
      let before: TodosOfRun = {};
      const last = new Map<string, TodoEvent>();
      for (const event of events) {
        if (event.kind === "TodosWritten" && event.todos.length > 0) last.set(event.worker, event);
        else last.delete(event.worker);
        const after = reduceTodos(before, event);
        expect(reduceTodos(after, event)).toBe(after);
        for (const [name, list] of Object.entries(before))
          if (name !== event.worker) expect(after[name]).toBe(list);
        expect(Object.keys(after).toSorted()).toEqual([...last.keys()].toSorted());
        for (const [name, { todos, task }] of last) expect(after[name]).toMatchObject({ todos, task });
        before = after;
      }
    }),
  );
});
