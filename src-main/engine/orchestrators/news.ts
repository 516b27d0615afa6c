/**
 * What happened while an orchestrator slept and that wakes nobody: told with its next event, by no request of its own.
 * Kept until the answer to that event is kept. (design section 6; HYLO-12, HYLO-14)
 */
import { type PromptText, promptLine, section } from "#shared/domain/text/prompt-text.ts";
import type { Run } from "../ports.ts";
import { scoped } from "../workers/hierarchy.ts";

/** What a person changed about the plan, and what became of those below. */
export type Topic = "plan" | "children";

const topics: Readonly<
  Record<
    Topic,
    { readonly fact: string; readonly title: string; readonly line: (news: string) => PromptText }
  >
> = {
  plan: { fact: "plan-news", title: "The plan has changed", line: (news) => promptLine`- The user ${news}.` },
  children: {
    fact: "child-news",
    title: "What happened below you meanwhile",
    line: (news) => promptLine`- ${news}`,
  },
};

const factOf = (orchestrator: string, topic: Topic): string => scoped(orchestrator, topics[topic].fact);

/** Lines that the orchestrator has not been told, oldest first. */
export const newsOf = (run: Run, orchestrator: string, topic: Topic): readonly string[] =>
  run.journal.fact<readonly string[]>(run.id, factOf(orchestrator, topic)) ?? [];

export function addNews(run: Run, orchestrator: string, topic: Topic, lines: readonly string[]): void {
  if (lines.length === 0) return;
  const before = newsOf(run, orchestrator, topic);
  run.journal.setFact(run.id, factOf(orchestrator, topic), [...before, ...lines]);
}

/** Nothing is told, and what waits to be told stays. */
export const noNews: ReturnType<typeof tellNews> = { sections: [], forget: () => undefined };

/** The sections of a prompt that tell everything, and what to call once the answer to it is kept. */
export function tellNews(
  run: Run,
  orchestrator: string,
): { readonly sections: readonly PromptText[]; readonly forget: () => void } {
  const told = (Object.keys(topics) as readonly Topic[]).map((topic) => ({
    topic,
    lines: newsOf(run, orchestrator, topic),
  }));
  return {
    sections: told.map(({ topic, lines }) => section(topics[topic].title, lines.map(topics[topic].line))),
    forget() {
      for (const { topic, lines } of told)
        if (lines.length > 0)
          run.journal.setFact(
            run.id,
            factOf(orchestrator, topic),
            newsOf(run, orchestrator, topic).slice(lines.length),
          );
    },
  };
}
