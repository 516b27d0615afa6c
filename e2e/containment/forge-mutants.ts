// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is code that is looked for in files
import type { Mutant } from "./mutants.ts";

const forge = "src-shared/domain/forge";

/** Holes in what stands between words on a forge and agents, pages, terminals and commands. */
export const forgeMutants: readonly Mutant[] = [
  {
    name: "words-of-a-forge-are-not-quoted",
    file: "src-main/engine/features/landing/landing/feedback.ts",
    code: "quoteText(shortened(visibleText(words), maxWords))",
    hole: "shortened(visibleText(words), maxWords) as PromptText",
    cases: [
      "words-of-a-forge-in-prompts-instructions",
      "words-of-a-forge-in-prompts-a-quote-that-ends",
      "words-of-a-forge-in-prompts-html",
    ],
  },
  {
    name: "words-of-a-forge-have-no-end",
    file: "src-main/engine/features/landing/landing/feedback.ts",
    code: "const maxWords = 4_000;",
    hole: "const maxWords = 1e9;",
    cases: ["words-of-a-forge-in-prompts-as-long-as-an-answer-may-be"],
  },
  {
    name: "names-of-checks-have-lines",
    file: "src-main/engine/features/landing/landing/feedback.ts",
    code: "promptLine`- ${shortened(shownLine(name), 200)}",
    hole: "`- ${name}",
    cases: ["words-of-a-forge-in-prompts-instructions", "words-of-a-forge-in-prompts-terminal-escapes"],
  },
  {
    name: "pages-of-a-forge-get-html",
    file: `${forge}/forge-text.ts`,
    code: '  "<": "&lt;",',
    hole: '  "<": "<",',
    cases: ["words-of-agents-on-a-forge-html", "words-of-agents-on-a-forge-marks-like-ours"],
  },
  {
    name: "anyone-answers-in-our-name",
    file: `${forge}/forge-text.ts`,
    code: "isOwnReply(one.text) && one.author.name === author",
    hole: "isOwnReply(one.text)",
    cases: ["a-reply-of-another-user-that-says-it-is-ours"],
  },
  {
    name: "names-of-a-forge-reach-the-terminal",
    file: "src-shared/domain/landing/publication.ts",
    code: "failed.map(({ name }) => shownLine(name))",
    hole: "failed.map(({ name }) => name)",
    cases: ["names-of-checks-and-people-in-a-terminal"],
  },
  {
    name: "a-user-in-an-address-is-its-host",
    file: `${forge}/forge-address.ts`,
    code: "(?:[^/@\\s]{0,500}@)?([\\w.-]{1,255}(?::\\d{1,5})?)\\/",
    hole: "([\\w.-]{1,255})(?:@[^/\\s]{0,500})?\\/",
    cases: ["addresses-of-remotes-that-are-commands-or-other-hosts"],
  },
];
