/** For what kind of work a pattern is meant, read from goals and files by plain words. */

export const taskTypes = [
  "fix",
  "feature",
  "refactor",
  "tests",
  "docs",
  "upgrade",
  "performance",
  "security",
] as const;
export type TaskType = (typeof taskTypes)[number];

/** Contexts of a pattern in addition to its kind of work; an empty list means any. */
export interface PatternContexts {
  /** As in `typescript`. */
  readonly languages: readonly string[];
  /** First folders of the files that were touched, as in `src/api/`. */
  readonly folders: readonly string[];
  /** Words in the goal. */
  readonly words: readonly string[];
}

/** Work as far as it is known before it is done. */
export interface WorkContext extends PatternContexts {
  readonly taskType: TaskType | null;
}

/** The first one whose word a goal has decides: a goal says first what it is about. */
const taskTypePatterns: Readonly<Record<TaskType, RegExp>> = {
  fix: /\b(?:fix(?:es|ed|ing)?|bugs?|repairs?|mends?|broken|crash(?:es)?|regressions?|wrong|fails?|correct)\b/iu,
  refactor:
    /\b(?:refactor\w*|renam\w*|extract(?:s|ed|ing)?|clean ?up|tidy|simplif\w*|restructur\w*|deduplicat\w*|split(?:s|ting)?|moves?)\b/iu,
  tests: /\b(?:(?:unit |end-to-end |integration )?tests?|coverage|specs?|testing)\b/iu,
  docs: /\b(?:docs?|documentation|documents?|readme|guides?|changelog|comments?)\b/iu,
  upgrade: /\b(?:upgrad\w*|migrat\w*|updates?|bump\w*|dependenc(?:y|ies)|ports?)\b/iu,
  performance:
    /\b(?:performance|faster|slow|speed(?:s|ing)?|optimi[sz]\w*|latency|memory|cach(?:e|es|ing))\b/iu,
  security: /\b(?:secur\w*|vulnerab\w*|sanitiz\w*|escap\w*|xss|csrf|injections?|harden\w*)\b/iu,
  feature:
    /\b(?:adds?|builds?|implements?|creates?|introduces?|supports?|features?|allow(?:s|ed)?|new|writes?|makes?|shows?)\b/iu,
};

/** What kind of work a goal asks for; null where its words do not say. */
export function taskTypeOf(goal: string): TaskType | null {
  const found = taskTypes
    .map((type) => ({ type, at: goal.search(taskTypePatterns[type]) }))
    .filter(({ at }) => at >= 0)
    // "Add" is used for almost everything: any other word says more.
    .toSorted((a, b) => Number(a.type === "feature") - Number(b.type === "feature") || a.at - b.at);
  return found[0]?.type ?? null;
}

const languagesByEnding: Readonly<Record<string, string>> = {
  ts: "typescript",
  tsx: "typescript",
  mts: "typescript",
  cts: "typescript",
  js: "javascript",
  jsx: "javascript",
  mjs: "javascript",
  cjs: "javascript",
  rs: "rust",
  py: "python",
  go: "go",
  rb: "ruby",
  java: "java",
  kt: "kotlin",
  swift: "swift",
  c: "c",
  h: "c",
  cc: "cpp",
  cpp: "cpp",
  hpp: "cpp",
  cs: "csharp",
  php: "php",
  ex: "elixir",
  exs: "elixir",
  scala: "scala",
  zig: "zig",
  sh: "shell",
  sql: "sql",
  css: "css",
  html: "html",
  vue: "vue",
  svelte: "svelte",
  dart: "dart",
  lua: "lua",
};

/** Of files, those of most files first; at most three. */
export const languagesOf = (files: readonly string[]): readonly string[] =>
  topTerms(
    files.flatMap((file) => {
      const ending = /\.([a-z]+)$/iu.exec(file)?.[1]?.toLowerCase();
      const language = ending === undefined ? undefined : languagesByEnding[ending];
      return language === undefined ? [] : [language];
    }),
    3,
  );

/** The first two folders of files, those of most files first; at most five. A file at the top has none. */
export const foldersOf = (files: readonly string[]): readonly string[] =>
  topTerms(
    files.flatMap((file) => {
      const folders = file.split("/").slice(0, -1).slice(0, 2);
      return folders.length === 0 || folders.some((name) => !/^[\w.@-]+$/u.test(name))
        ? []
        : [`${folders.join("/")}/`];
    }),
    5,
  );

const tooCommon = new Set(
  (
    "about above after again against also always another because been before being below between both could does doing done down during each " +
    "every from further have having here into itself just like made make makes more most must need needs only other over same shall should some such than that their them " +
    "then there these they this those through until upon very want wants were what when where which while whom will with without would your " +
    "adds build builds code create file files fixes implement into keep new project user users using write"
  ).split(" "),
);

/** Keywords of a goal, in order; at most eight. */
export function extractKeywords(goal: string): readonly string[] {
  const words = goal.toLowerCase().match(/\p{L}[\p{L}\p{N}]{3,29}/gu) ?? [];
  return [...new Set(words.map(stem).filter((word) => word.length > 3 && !tooCommon.has(word)))].slice(0, 8);
}

/** "profiles" and "profile" are one word. */
const stem = (word: string): string => (word.length > 4 ? word.replace(/([^su])s$/u, "$1") : word);

/** @param files that are to be touched, or those of the repository */
export const contextOf = (goal: string, files: readonly string[]): WorkContext => ({
  taskType: taskTypeOf(goal),
  languages: languagesOf(files),
  folders: foldersOf(files),
  words: extractKeywords(goal),
});

function topTerms(words: readonly string[], most: number): readonly string[] {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts]
    .toSorted(([a, many], [b, few]) => few - many || (a < b ? -1 : 1))
    .slice(0, most)
    .map(([word]) => word);
}

/** A pattern at or below this confidence is stored but not used. (PLAN-9) */
export const minConfidence = 0.6;

/** From here on a pattern fits. */
const minShare = 0.5;

interface Fitted {
  readonly taskTypes: readonly TaskType[];
  readonly contexts: PatternContexts;
}

export interface Relevance {
  readonly isRelevant: boolean;
  /** 0 to 1: the share of what both sides name that agrees; 1 where the pattern names nothing, and is for everything. */
  readonly share: number;
  /** A few words each. */
  readonly why: readonly string[];
}

/** The kind of work says most. */
const weights = { taskTypes: 3, languages: 2, folders: 1, words: 2 } as const;

/** What one side does not name does not count against the match. */
export function relevanceOf({ taskTypes, contexts }: Fitted, work: WorkContext): Relevance {
  const sides = [
    {
      weight: weights.taskTypes,
      own: taskTypes,
      theirs: work.taskType === null ? [] : [work.taskType],
      says: (found: readonly string[]) => `the same kind of work: ${found.join(", ")}`,
    },
    ...(["languages", "folders", "words"] as const).map((name) => ({
      weight: weights[name],
      own: contexts[name],
      theirs: work[name],
      says: (found: readonly string[]) =>
        name === "languages"
          ? `written in ${found.join(", ")}`
          : name === "folders"
            ? `in ${found.join(", ")}`
            : `about ${found.join(", ")}`,
    })),
  ];
  let [known, agreed] = [0, 0];
  const why: string[] = [];
  for (const { weight, own, theirs, says } of sides) {
    if (own.length === 0 || theirs.length === 0) continue;
    known += weight;
    const found = (own as readonly string[]).filter((word) => (theirs as readonly string[]).includes(word));
    if (found.length === 0) continue;
    agreed += weight;
    why.push(says(found));
  }
  const namesNothing = sides.every(({ own }) => own.length === 0);
  if (namesNothing) return { isRelevant: true, share: 1, why: ["applies to all tasks"] };
  // Where nothing can be compared, nothing speaks for it.
  const share = known === 0 ? 0 : agreed / known;
  return { isRelevant: share >= minShare, share, why };
}
