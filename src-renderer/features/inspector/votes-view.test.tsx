import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import type { ValidationView } from "#shared/domain/validation/panel.ts";
import { VotesView } from "./votes-view.tsx";

const vetoed: ValidationView = {
  ...{ commitId: "c", attempt: 1, quorum: 1, tolerated: 0, verdict: "vetoed" as const },
  seats: [{ seat: "validator-1", evidence: "result", vote: "pending", reason: "", at: null, counted: false }],
  checks: [
    {
      ...{ name: "test", command: "sh check.sh", speed: "fast" as const, outcome: "failed" as const, ms: 1 },
      output: "",
    },
  ],
};

test("no seat of a result that a check vetoed was asked, and none looks as if it judged", () => {
  const drawn = renderToStaticMarkup(<VotesView validation={vetoed} />);
  expect(drawn).toContain("no validator votes");
  expect(drawn).not.toMatch(/judging|breathe/u);
  expect(renderToStaticMarkup(<VotesView validation={{ ...vetoed, verdict: "open" }} />)).toContain(
    "judging",
  );
});

test("a verdict without votes shows its checks and the user's reason, and no seats", () => {
  const overruled = { reason: "The view joins them.", at: 1 };
  const drawn = renderToStaticMarkup(<VotesView validation={{ ...vetoed, seats: [], overruled }} />);
  for (const words of ["vetoed by a check", "The view joins them.", "sh check.sh"])
    expect(drawn).toContain(words);
  expect(drawn).not.toMatch(/0 seats|approve/u);
});
