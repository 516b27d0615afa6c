import { fromMarkdown } from "mdast-util-from-markdown";
import { patternCategories } from "#shared/domain/patterns/pattern.ts";
import { formatFitting } from "#shared/domain/patterns/pattern-record.ts";
import { startOf } from "#shared/domain/text/format-text.ts";
import { shownText } from "#shared/domain/text/shown-text.ts";
import {
  type Claim,
  fittingRuns,
  keptKeys,
  readEvidence,
  renderPattern,
  splitFrontMatter,
} from "./pattern-text.ts";
import type { GateResult, PatternProposal, RecordedRun } from "./patterns-interface.ts";

/** The automatic gate without the look at the branch. Everything in a proposal is untrusted. (HOX-8.4) */
export function gateText(proposal: PatternProposal, runs: readonly RecordedRun[]): readonly GateResult[] {
  return [
    wellFormed(proposal),
    category(proposal),
    tried(proposal, runs),
    noSecret(proposal),
    noRuleBroken(proposal),
  ];
}

const result = (name: GateResult["name"], problem: string | null, good: string): GateResult => ({
  name,
  passed: problem === null,
  detail: problem ?? good,
});

const maxFieldLength = 300;

function wellFormed(proposal: PatternProposal): GateResult {
  const { fields, body, strange } = splitFrontMatter(proposal.markdown);
  const problem = ((): string | null => {
    if (!/^[a-z0-9]+(?:-[a-z0-9]+)*$/u.test(proposal.name) || proposal.name.length > 80)
      return `The name "${startOf(proposal.name, 80)}" is not lower-case words with hyphens.`;
    if (!(proposal.confidence >= 0 && proposal.confidence <= 1))
      return `The confidence ${proposal.confidence} is not between 0 and 1.`;
    if (!fields) return 'It has no front matter between two lines "---".';
    if (strange[0] !== undefined)
      return `The front matter has a line that is not "key: value": ${startOf(strange[0], 120)}`;
    const foreign = [...fields.keys()].find(
      (key) => !["name", "category", "confidence", "run", ...keptKeys].includes(key),
    );
    if (foreign) return `The front matter has an unknown key "${foreign}".`;
    for (const [key, value] of Object.entries({
      name: proposal.name,
      category: proposal.category,
      run: proposal.run,
    })) {
      const declared = fields.get(key);
      if (declared !== undefined && declared !== value)
        return `The front matter says ${key} "${declared}", the proposal says "${value}".`;
    }
    const declared = fields.get("confidence");
    if (declared !== undefined && Number(declared) !== proposal.confidence)
      return `The front matter says confidence ${declared}, the proposal says ${proposal.confidence}.`;
    const long = [...fields].find(([, value]) => value.length > maxFieldLength);
    if (long) return `The front matter's "${long[0]}" is longer than ${maxFieldLength} characters.`;
    // Also what joins letters of some scripts: a pattern can be written without.
    if (shownText(proposal.markdown) !== proposal.markdown || /\p{Cf}/u.test(proposal.markdown))
      return "It contains invisible characters.";
    return proseProblem(body);
  })();
  return result("format", problem, `Valid, ${body.split(/\s+/u).length} words.`);
}

type Node = ReturnType<typeof fromMarkdown> | ReturnType<typeof fromMarkdown>["children"][number];

const prose: ReadonlySet<string> = new Set([
  "root",
  "heading",
  "paragraph",
  "text",
  "emphasis",
  "strong",
  "inlineCode",
  "code",
  "list",
  "listItem",
  "link",
  "break",
  "blockquote",
  "thematicBreak",
]);
const refused: Readonly<Record<string, string>> = {
  html: "It contains HTML.",
  image: "It contains an image.",
  imageReference: "It contains an image.",
  definition: "It contains an address that its text does not show.",
  linkReference: "It contains an address that its text does not show.",
};

const maxTitleLength = 120;
const maxBodyLength = 6_000;

/**
 * Why a pattern's text is not allowed, for the card; null if it is. Only plain prose is allowed, as parsed by
 * the parser that shows Markdown on screen: anything that could load, run, mislead or hide is refused by its
 * kind, not by its spelling. (HOX-8.4)
 *
 * @param body without front matter; untrusted
 */
function proseProblem(body: string): string | null {
  if (body.length > maxBodyLength)
    return `It is longer than ${maxBodyLength.toLocaleString("en")} characters.`;
  const nodes = [...walk(fromMarkdown(body))];
  const [, first] = nodes;
  if (first?.type !== "heading" || first.depth !== 1) return "It does not start with a heading.";
  const title = textOf(first);
  if (title.trim() === "" || title.length > maxTitleLength)
    return `Its heading is empty, or longer than ${maxTitleLength} characters.`;
  for (const node of nodes) {
    if (!prose.has(node.type))
      return refused[node.type] ?? `It contains something other than plain text: ${node.type}.`;
    if (node.type === "heading" && node !== first && node.depth === 1) return "It has more than one title.";
    if (node.type === "link") {
      const problem = linkProblem(node.url, textOf(node));
      if (problem !== null) return problem;
    }
  }
  const words = textOf(first) + nodes.map((node) => (node.type === "text" ? node.value : "")).join(" ");
  const mixed = words.match(/[\p{L}\p{M}]+/gu)?.find(isOfSeveralScripts);
  if (mixed !== undefined) return `A word mixes look-alike letters: "${startOf(mixed, 60)}".`;
  const prosePart = nodes.flatMap((node) =>
    node.type === "text" || node.type === "inlineCode" ? [node.value] : [],
  );
  if (prosePart.join("").length - title.length < 40) return "There is hardly any text under the heading.";
  return null;
}

/** Allows web addresses and paths in the repository, but nothing that could control a program. */
function linkProblem(url: string, text: string): string | null {
  const base = "https://here.invalid/";
  if (!URL.canParse(url, base)) return `A link has no target: ${startOf(shownText(url), 120)}`;
  const { protocol, origin, username, password } = new URL(url, base);
  if (protocol !== "http:" && protocol !== "https:")
    return `A link is not a web address: ${startOf(shownText(url), 120)}`;
  if (username !== "" || password !== "")
    return `A link contains a name or a password: ${startOf(shownText(url), 120)}`;
  // A text that is itself an address must be the one that it leads to.
  if (
    /^\s*(?:https?:)?\/\//iu.test(text) &&
    URL.canParse(text.trim(), base) &&
    new URL(text.trim(), base).origin !== origin
  )
    return `A link says ${startOf(shownText(text), 80)} and leads to ${origin}.`;
  return null;
}

function* walk(node: Node): Generator<Node> {
  yield node;
  if ("children" in node) for (const child of node.children) yield* walk(child);
}

const textOf = (node: Node): string =>
  [...walk(node)].map((one) => (one.type === "text" || one.type === "inlineCode" ? one.value : "")).join("");

const alike = [/\p{sc=Latn}/u, /\p{sc=Cyrl}/u, /\p{sc=Grek}/u, /\p{sc=Cher}/u, /\p{sc=Armn}/u] as const;
const isOfSeveralScripts = (word: string): boolean => alike.filter((script) => script.test(word)).length > 1;

function category(proposal: PatternProposal): GateResult {
  const known = (patternCategories as readonly string[]).includes(proposal.category);
  return result(
    "category",
    known ? null : `"${proposal.category}" is not one of ${patternCategories.join(", ")}.`,
    `File is in patterns/${proposal.category}/.`,
  );
}

// ---- matches recorded runs ------------------------------------------------------------------------------------

/** A pattern must say by which figures it can be recognised; they must hold on its own run and not mislead on others. */
function tried(proposal: PatternProposal, runs: readonly RecordedRun[]): GateResult {
  const name = "matches recorded runs";
  const evidence = splitFrontMatter(proposal.markdown).fields?.get("evidence");
  if (!evidence)
    return result(
      name,
      "The front matter has no evidence, as in `evidence: agents = 3, mutation_conflicts <= 1`.",
      "",
    );
  let claims: readonly Claim[];
  try {
    claims = readEvidence(evidence);
  } catch (error) {
    return result(name, (error as Error).message, "");
  }
  const own = runs.find((run) => run.run === proposal.run);
  const problem = proposal.isFromElsewhere && !own ? null : problemOfOwn(proposal, own, claims);
  if (problem !== null) return result(name, problem, "");
  const fitting = fittingRuns(claims, proposal.run, runs);
  const misleads = fitting.runs >= 3 && fitting.complete * 2 < fitting.runs;
  return result(
    name,
    misleads
      ? `Of ${fitting.runs} other recorded runs that match it, only ${fitting.complete} completed.`
      : null,
    own
      ? `${claims.length} of ${claims.length} claims are true of its run; ${formatFitting(fitting)}.`
      : `Its run is not recorded here; ${formatFitting(fitting)}.`,
  );
}

/** Why its own run does not bear it out. */
function problemOfOwn(
  { run }: PatternProposal,
  own: RecordedRun | undefined,
  claims: readonly Claim[],
): string | null {
  if (!own) return `The run ${run} is not in the journal.`;
  if (own.outcome !== "complete")
    return `The run ${run} ended as ${own.outcome}; patterns can come only from successful runs.`;
  const untrue = claims.filter((claim) => !claim.holds(own.figures[claim.figure]));
  const contradictions = untrue.map(
    (claim) => `${claim.text} (the journal says ${own.figures[claim.figure]})`,
  );
  return untrue.length === 0 ? null : `Not true of its run: ${contradictions.join(", ")}.`;
}

// ---- what must not be in it ------------------------------------------------------------------------------------

/** What looks like a secret, by its word for people. */
export const secrets: readonly (readonly [string, RegExp])[] = [
  ["a private key", /-----BEGIN [A-Z ]*PRIVATE KEY-----/u],
  ["an API key", /\b(?:sk|pk|rk)-(?:[A-Za-z]+-)*[A-Za-z0-9_-]{16,}/u],
  ["a GitHub token", /\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,})/u],
  ["an AWS key", /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/u],
  ["a Slack token", /\bxox[abeoprs]-[A-Za-z0-9-]{10,}/u],
  ["a signed token", /\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}/u],
  ["a password in an address", /(?<![a-z0-9+.-])[a-z][a-z0-9+.-]*:\/\/[^\s/:@]+:[^\s/@]+@/iu],
  [
    "a password or key",
    /\b(?:pass(?:word|wd)?|secret|token|api[_-]?key)\b["']?\s*[:=]\s*["']?[^\s"',;]{8,}/iu,
  ],
];

function noSecret(proposal: PatternProposal): GateResult {
  const found = secrets.find(
    ([, pattern]) => pattern.test(proposal.markdown) || pattern.test(renderPattern(proposal)),
  );
  return result(
    "no secret",
    found ? `It seems to contain ${found[0]}.` : null,
    "No key, token or password found.",
  );
}

function noRuleBroken(proposal: PatternProposal): GateResult {
  const { fields, body } = splitFrontMatter(proposal.markdown);
  const sentences = [
    ...(fields?.values() ?? []),
    ...body.split(/(?<=[.!?;:])\s+|(?<=[。！？])|\n{2,}|\n(?=[ \t]*[-*\d#])/u),
  ];
  for (const sentence of sentences) {
    const what = forbiddenIn(sentence);
    if (what !== null)
      return result(
        "no unsafe instruction",
        `It tells an agent ${what}: “${startOf(sentence.replace(/\s+/gu, " ").trim(), 160)}”`,
        "",
      );
  }
  return result(
    "no unsafe instruction",
    null,
    "No known unsafe instruction found. The list is not complete: read the text.",
  );
}

/**
 * What no pattern may tell an agent to do, searched sentence by sentence. No such list is complete: it only
 * saves the user the obvious cases. The real gate is the user, who reads and approves the whole text; in
 * addition patterns are quoted in prompts as suggestions, and sandbox, protected files, checks and votes do
 * not depend on them.
 */
interface Rule {
  readonly what: string;
  readonly says: readonly RegExp[];
}

const rules =
  "(?:instruction|prompt|rule|decision|mutation|contract|orchestrator|gate|check|test|budget|limit|sandbox|protected|reviewer|validator|polic|guideline|constraint|restriction)";

const forbidden: readonly Rule[] = [
  {
    what: "to ignore instructions",
    says: [
      new RegExp(
        String.raw`\b(?:ignor\w*|disregard\w*|forget|overrid\w*|overrule|bypass\w*|circumvent\w*|work(?:ing)? around|get(?:ting)? around|brush(?:ing)? aside|pay no (?:attention|heed) to|take no notice of|disobey\w*|defy|sidestep\w*)\b.{0,60}\b${rules}`,
        "iu",
      ),
      new RegExp(
        String.raw`\b${rules}\w*\b.{0,40}\b(?:(?:are|is|as) (?:optional|not binding|only advice|merely|a suggestion|suggestions)|do(?:es)? not (?:apply|count|matter|bind)|don't (?:apply|count|matter|bind)|can be (?:ignored|skipped|dropped|left out)|no longer (?:apply|applies|hold|holds|bind|binds))`,
        "iu",
      ),
      new RegExp(String.raw`\b(?:act|behave|work|proceed|go on) as (?:if|though)\b.{0,60}\b${rules}`, "iu"),
      /\b(?:set|put|leave|lay)\b.{0,40}\b(?:rule|instruction|decision|contract)\w*\b.{0,20}\baside\b/iu,
      /\b(?:from now on you|you are now|pretend to be|act as (?:the user|root|an? admin\w*)|developer mode)\b/iu,
      /\b(?:missacht\w*|ignorier\w*|umgeh\w*|vergiss|vergesst|hinwegsetz\w*|übergeh\w*)\b.{0,80}|\b(?:Anweisung|Regel|Vorgabe|Entscheidung|Prüfung)\w*\b.{0,60}\b(?:ignorier\w*|missacht\w*|umgeh\w*|übergeh\w*)/iu,
      /\b(?:ignor(?:e|ez|er|a|ad|ar|are|ate)|contourn(?:e|ez|er)|oubli(?:e|ez)|olvid(?:a|e|ar)|omit(?:e|ir)|dimentica\w*|esquec\w*|desobede\w*|désobé\w*)\b.{0,60}(?:instruction|instrucci|instruç|istruzion|consigne|règle|regla|regra|regol|décision|decisi|limite|límite)/iu,
      /(?:игнорир|не обращай внимания|забудь|обойд|нарушай)\p{L}*.{0,60}(?:инструкц|правил|решени|указан|огранич|проверк)/iu,
      /(?:忽略|无视|無視|不要理会|绕过|繞過).{0,20}(?:指令|指示|规则|規則|决定|決定|限制|检查|提示|契约)|(?:指示|命令|ルール|規則|制限|決定).{0,10}(?:無視|破っ|回避)|(?:지시|규칙|제한|결정).{0,10}(?:무시|우회)/iu,
    ],
  },
  {
    what: "to leave the sandbox",
    says: [
      /\b(?:disabl\w*|leav(?:e|ing)|escap\w*|switch(?:ing)? off|turn(?:ing)? off|run(?:ning)? outside|break(?:ing)? out of|step(?:ping)? out of|without)\b.{0,40}\b(?:sandbox|isolation|bubblewrap|seatbelt|containment)/iu,
      /\b(?:sandbox|isolation)\w*\b.{0,40}\b(?:off|disabled|aus(?:schalten)?|abschalten|deaktivier\w*|désactiv\w*|desactiv\w*|disattiv\w*)\b/iu,
      /\b(?:deaktivier\w*|abschalt\w*|verlass\w*|désactiv\w*|desactiv\w*|disattiv\w*|desligu\w*)\b.{0,40}\b(?:sandbox|isolation|aislamiento)/iu,
      /(?:отключ|выключ|покин)\p{L}*.{0,30}(?:песочниц|изоляц)|(?:禁用|关闭|關閉|逃离|離開).{0,10}沙箱|サンドボックス.{0,10}(?:無効|抜け|切)/iu,
    ],
  },
  {
    what: "to skip checks",
    says: [
      /\b(?:skip\w*|disabl\w*|delet\w*|remov\w*|silenc\w*|comment(?:ing)? out|weaken\w*|drop(?:ping)?|relax\w*|leav(?:e|ing) out|get rid of|throw(?:ing)? (?:out|away)|mute|stub(?:bing)? out|neuter\w*|take out)\b.{0,40}\b(?:checks?|tests?|lint\w*|validation|validators?|assertions?|gates?|test cases?|suite)\b/iu,
      /\bcomment\b.{0,40}\b(?:checks?|tests?|assertions?)\b.{0,20}\bout\b/iu,
      /\b(?:mark|report|declare|count)\b.{0,40}\b(?:tests?|checks?|it)\b.{0,20}\bas\b.{0,10}\b(?:passed|passing|green|expected to fail|xfail|flaky|done)\b/iu,
      /\b(?:make|let)\b.{0,40}\b(?:tests?|checks?|assertions?|lint)\b.{0,40}\b(?:always|trivially|vacuously|regardless|exit 0|return true|succeed anyway)\b/iu,
      /--no-verify\b|\b(?:it|test|describe)\.(?:skip|todo)\b|\|\|\s*true\b|@(?:Ignore|Disabled|pytest\.mark\.(?:skip|xfail))|\bt\.Skip\(/iu,
      /(?<!\p{L})(?:überspring\w*|lösch\w*|entfern\w*|deaktivier\w*|auskommentier\w*|streich\w*)\b.{0,60}\b(?:Tests?|Prüfung\w*|Checks?)\b|\b(?:Tests?|Prüfung\w*|Checks?)\b.{0,40}\b(?:überspring\w*|lösch\w*|entfern\w*|deaktivier\w*|auskommentier\w*|weglass\w*)/iu,
      /\b(?:saut(?:e|ez|er)|supprim\w*|désactiv\w*|désactive[rz]?|omit(?:e|ir|a)|elimin\w*|borra\w*|desactiv\w*|salta\w*|pula\w*|remov\w*|rimuov\w*|disattiv\w*)\b.{0,40}(?:\btests?\b|pruebas?\b|testes\b|vérification|verificaci|verifica\b|contrôle|comprobaci)/iu,
      /(?:пропус|удал|отключ|убер|закоммент)\p{L}*.{0,30}(?:тест|проверк)|(?:跳过|跳過|删除|刪除|禁用|注释掉).{0,10}(?:测试|測試|检查|檢查|断言)|テスト.{0,10}(?:削除|スキップ|無効|飛ば)|테스트.{0,10}(?:삭제|건너|무시)/iu,
    ],
  },
  {
    what: "to vote without looking",
    says: [
      /\b(?:always|just|automatically|simply|immediately|straight away)\s+(?:approv\w*|vot\w*|accept\w*|say(?:ing)? yes)|\b(?:approv\w*|accept\w*|vot\w* (?:yes|approve))\b.{0,40}\b(?:without|regardless|everything|blindly|no matter|straight away|right away|unseen|in any case|unconditionally)/iu,
      /\brubber[- ]?stamp\w*|\bwave\b.{0,20}\bthrough\b|\bgive\b.{0,20}\bbenefit of the doubt\b.{0,30}\b(?:vote|validat|review)/iu,
      /\b(?:immer|stets|sofort|blind)\b.{0,20}\b(?:zustimm\w*|genehmig\w*|annehm\w*|akzeptier\w*)|\bstimm\w*\b.{0,20}\bimmer\b.{0,10}\bzu\b|\b(?:approuv\w*|aprueb\w*|aprob\w*|aprov\w*|approva\w*)\b.{0,20}\b(?:toujours|siempre|sempre|tout|todo|tutto|sans|sin|sem|senza)\b|\b(?:toujours|siempre|sempre)\b.{0,20}\b(?:approuv\w*|aprob\w*|aprov\w*|approva\w*)/iu,
      /всегда.{0,20}(?:одобр|соглаша|голосу)|(?:总是|總是|一律|直接).{0,6}(?:批准|同意|通过|赞成)|(?:常に|必ず).{0,10}(?:承認|賛成)/iu,
    ],
  },
  {
    what: "to write protected files",
    says: [
      /\b(?:edit\w*|writ(?:e|ing)|chang\w*|modif\w*|delet\w*|renam\w*|chmod|replac\w*|append\w*|touch|patch\w*|put)\b.{0,60}(?:(?:^|[\s"'`/])\.(?:git|jj|hox|env|npmrc|husky|github|envrc|yarnrc)\b|protected|\b(?:AGENTS|CLAUDE)\.md\b)/iu,
      /\b(?:outside|beyond|above)\b.{0,20}\b(?:workspace|working copy|repository|checkout)\b/iu,
    ],
  },
  {
    what: "to run what comes from the network",
    says: [
      /\b(?:curl|wget|fetch|iwr|Invoke-WebRequest)\b[^\n]*\|\s*(?:sudo\s+)?(?:ba|z|da|k|fi)?(?:sh|python3?|node|perl|ruby|iex)\b|\beval\b.{0,20}\b(?:curl|wget)\b|\b(?:ba|z)?sh\b.{0,6}<\(\s*(?:curl|wget)\b|\bbase64\b.{0,20}(?:-d|--decode)\b.{0,40}\|/iu,
      /\b(?:download|fetch|pull)\b.{0,60}\b(?:and|then)\b.{0,20}\b(?:run|execute|source|pipe)\b/iu,
    ],
  },
  {
    what: "to send something out",
    says: [
      /\b(?:upload\w*|post(?:ing)?|send(?:ing)?|exfiltrat\w*|e-?mail|leak\w*|transmit\w*)\b.{0,60}\b(?:secrets?|keys?|tokens?|credentials?|passwords?|environment|env vars?|source code|https?:\/\/)/iu,
      /\b(?:print|show|echo|log|reveal|write down|include)\b.{0,40}\b(?:secrets?|api keys?|tokens?|credentials?|passwords?|environment variables?|system prompt)\b/iu,
    ],
  },
  {
    what: "to act without the user",
    says: [
      /\b(?:without|don't|do not|never|no need to|instead of|rather than)\b.{0,20}\b(?:asking|ask|telling|tell|informing|inform|consulting|consult|bothering|bother)\b.{0,20}\b(?:user|user|human|orchestrator|anyone|anybody|them)/iu,
      /\bbehind\b.{0,20}\bback\b|\b(?:keep|hide)\b.{0,40}\b(?:secret|quiet|hidden|from)\b.{0,20}\b(?:user|user|human|orchestrator|validators?|reviewers?)\b/iu,
      /\bohne\b.{0,30}\b(?:zu fragen|nachzufragen|Rückfrage|Zustimmung)|\bsans\b.{0,20}\bdemander\b|\bsin\b.{0,20}\bpreguntar\b|\bsem\b.{0,20}\bperguntar\b|\bsenza\b.{0,20}\bchiedere\b|не спрашивая|без спроса|(?:不要|无需|無需|不用).{0,4}(?:询问|詢問|问用户|告诉用户)|(?:聞かず|尋ねず|確認せず)に/iu,
    ],
  },
];

/** What comes right before an instruction that forbids it. "Do not hesitate to" and "never mind" do not. */
const forbids =
  /\b(?:never|not|don't|doesn't|cannot|can't|mustn't|must not|nobody may|no one may)(?:\s+(?:ever|again|simply|just|silently|also|even|yourself))*\s+$/iu;

/**
 * @param sentence of a pattern, or a field of its front matter
 * @returns what it tells an agent, as in "to skip checks"; null if it is allowed
 */
function forbiddenIn(sentence: string): string | null {
  // Full-width and other look-alike letters.
  const line = sentence
    .normalize("NFKC")
    .replaceAll("’", "'")
    .replaceAll(/[*_`]/gu, "")
    .replace(/\s+/gu, " ");
  for (const { what, says } of forbidden) {
    for (const pattern of says) {
      // Every possible start: a forbidden phrase may come before an allowed one.
      for (let from = 0; from < line.length; ) {
        const match = pattern.exec(line.slice(from));
        if (!match) break;
        const at = from + match.index;
        if (!forbids.test(line.slice(0, at))) return what;
        from = at + 1;
      }
    }
  }
  return null;
}
