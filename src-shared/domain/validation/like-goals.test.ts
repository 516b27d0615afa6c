import { expect, test } from "vitest";
import { byLikeness } from "./like-goals.ts";

test("goals with the same words come first, and newer ones before equally similar older ones", () => {
  const goals = [
    "Write the manual",
    "Add orders by mail",
    "",
    "Add the orders page",
    "Add orders to the page",
  ];
  expect(
    byLikeness(
      "Add an orders page",
      goals.map((goal) => ({ goal })),
    ).map(({ goal }) => goal),
  ).toEqual([
    ...["Add the orders page", "Add orders to the page", "Add orders by mail", "Write the manual", ""],
  ]);
});
