import { expect, test } from "vitest";
import { approvalsNeeded, formatApprovals, formatTolerance, tolerated } from "./panel.ts";

test.each([
  [1, null, "One validator tolerates no error: a single wrong vote can decide. Fault tolerance needs four."],
  [3, null, "3 validators tolerate no error: a single wrong vote can decide. Fault tolerance needs four."],
  [4, null, "1 may be wrong or silent."],
  [6, 0.75, "1 may be wrong or silent."],
  [7, 0.75, "More approvals are required than fault tolerance needs: 2 may be wrong, and only 1 silent."],
  [4, 1, "More approvals are required than fault tolerance needs: 1 may be wrong, and none silent."],
])("%i seats with a share of %s state their fault tolerance", (seats, share, words) => {
  expect(formatTolerance(seats, approvalsNeeded(seats, share), tolerated(seats))).toBe(words);
});

test("approvals are counted of all seats, because more may approve than needed", () => {
  expect(formatApprovals(4, 4, 3)).toBe("4 of 4 approve, 3 are needed");
  expect(formatApprovals(0, 1, 1)).toBe("0 of 1 approve, 1 is needed");
});
