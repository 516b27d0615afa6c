/** Updates that an orchestrator receives with its next event. (design section 6; HYLO-12, HYLO-14) */
import { type NewsEvent, type NewsTopic, noUpdates } from "#shared/domain/news/news-events.ts";
import { type PromptText, promptLine, section } from "#shared/domain/text/prompt-text.ts";
import type { RunReader } from "../ports.ts";

const topics: Readonly<
  Record<NewsTopic, { readonly title: string; readonly line: (news: string) => PromptText }>
> = {
  plan: { title: "The plan has changed", line: (news) => promptLine`- The user ${news}.` },
  children: { title: "What happened below you meanwhile", line: (news) => promptLine`- ${news}` },
};

/** Updates that the orchestrator has not received, oldest first. */
export const queuedUpdates = (run: RunReader, orchestrator: string, topic: NewsTopic): readonly string[] =>
  (run.facts.news[orchestrator] ?? noUpdates)[topic];

/** Delivers nothing; updates stay queued. */
export const noDelivery: ReturnType<typeof deliverUpdates> = { sections: [], delivered: [] };

/** The sections of a prompt with all updates, and what to store together with its answer. */
export function deliverUpdates(
  run: RunReader,
  orchestrator: string,
): { readonly sections: readonly PromptText[]; readonly delivered: readonly NewsEvent[] } {
  const news = (Object.keys(topics) as readonly NewsTopic[]).map((topic) => ({
    topic,
    lines: queuedUpdates(run, orchestrator, topic),
  }));
  return {
    sections: news.map(({ topic, lines }) => section(topics[topic].title, lines.map(topics[topic].line))),
    delivered: news.flatMap(({ topic, lines }) =>
      lines.length === 0 ? [] : [{ kind: "NewsTold", orchestrator, topic, count: lines.length } as const],
    ),
  };
}
