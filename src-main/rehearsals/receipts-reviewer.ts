/** What the background reviewer of the rehearsal `receipts` says: most of the time nothing. */
import type { Scene, Seen, Step } from "../model/stand-in/script.ts";
import { call } from "./reading.ts";
import { paths } from "./receipts-sources.ts";

/** Whose amounts it looks at; null where this review is about something else, or it has spoken before. */
function amountsOf(seen: Seen): string | null {
  if (seen.history.some(({ tool, isError }) => tool === "suggest_task" && !isError)) return null;
  const works = seen.prompt.split(/^## Work of /mu).slice(1);
  const found = works.find((work) => work.includes(paths.money));
  return found === undefined ? null : (/^\S+/u.exec(found)?.[0] ?? null);
}

const nothing: Step = { calls: [call("nothing_to_say", {})] };

export const reviewerScenes: readonly Scene[] = [
  {
    name: "reviews",
    prompt: "[REVIEW]",
    steps: [
      (seen) => {
        const worker = amountsOf(seen);
        return worker === null
          ? nothing
          : {
              say: "Every amount goes through one function now. Which amounts does its test try?",
              calls: [call("read_work", { worker, path: paths.moneyTest })],
            };
      },
      (seen) => {
        const worker = amountsOf(seen);
        return worker === null
          ? nothing
          : {
              say: "Only amounts above zero; a kiosk gives money back, too.",
              calls: [
                call("comment", {
                  worker,
                  path: paths.money,
                  line: 4,
                  text: "No test tries an amount below zero. A refund would show whether the minus stands where a reader looks for it.",
                  relation: "missing_step",
                }),
                call("suggest_task", {
                  suggestion: "Test amounts below zero",
                  context: `${paths.money} writes refunds as well, and no test says how. One small test file is enough: ${paths.refundTest}.`,
                  priority: "medium",
                  files: [paths.refundTest],
                  worker,
                }),
              ],
            };
      },
      nothing,
    ],
    optional: true,
  },
];
