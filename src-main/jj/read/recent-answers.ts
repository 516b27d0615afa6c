export interface RecentAnswers<Answer> {
  /** The answer to a question about one state: one that was given a moment ago, or is being found, else a new one. */
  ask(state: string, question: string, find: () => Promise<Answer>): Promise<Answer>;
}

/**
 * Caches answers about the newest queried state, so that concurrent equal queries cost one process. Failures
 * are not cached.
 * @param keptMs how long an answer is valid
 */
export function createRecentAnswers<Answer>(
  keptMs: number,
  now: () => number = () => performance.now(),
): RecentAnswers<Answer> {
  let of = "";
  let answers = new Map<string, { readonly at: number; readonly answer: Promise<Answer> }>();
  return {
    ask(state, question, find) {
      if (state !== of) {
        of = state;
        answers = new Map();
      }
      const known = answers.get(question);
      if (known && now() - known.at < keptMs) return known.answer;
      const answer = find();
      const mine = { at: now(), answer };
      const among = answers;
      among.set(question, mine);
      answer.catch(() => {
        if (among.get(question) === mine) among.delete(question);
      });
      return answer;
    },
  };
}
