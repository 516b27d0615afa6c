/** Scores as rows of the bench, and all of them as one table for docs/numbers.md. Pure. */
import { type Row, row } from "../row.ts";
import type { Observed, Score } from "./score.ts";

/** A set of a project, done by a team and by one agent alone. */
export interface Outcome {
  /** `<project>/<set>`. */
  readonly name: string;
  readonly team: Observed;
  readonly score: Score;
  readonly alone: Observed;
  /** Features whose tests pass on what the one agent landed. */
  readonly passingAlone: number;
}

/** Targets, as multiples of one agent alone. */
const maxDollars = { none: 1.4, all: 1.8 } as const;
const maxTime = 0.5;
/** Seconds after two agents have written the same lines. */
const maxSecondsToName = 10;
/** Sides of a conflict that one agent has to bring together at once. */
const maxSides = 2;

/** How many pairs of a set collide. */
function collisionsOf({ truePairs, features }: Score): "none" | "some" | "all" {
  if (truePairs === 0) return "none";
  return truePairs === (features * (features - 1)) / 2 ? "all" : "some";
}

const slowest = ({ secondsToName }: Score): number | null =>
  secondsToName.length === 0 ? null : Math.max(...secondsToName);

/** A count that has to be an exact number, or is only shown. */
const counted = (name: string, value: number, unit: string, wanted?: number): Row =>
  row({
    ...{ name, value, unit },
    hold: wanted === undefined ? "shown" : `= ${wanted}`,
    ok: wanted === undefined || value === wanted,
  });

const requestsOf = ({ spending }: Observed): number | null =>
  spending?.reduce((sum, { spent }) => sum + spent.requests, 0) ?? null;

/** What only scripted words tell: who was asked to resolve a conflict, and how often a model was asked at all. */
function scriptedRows(named: (what: string) => string, { score, team }: Outcome): readonly Row[] {
  const requests = requestsOf(team);
  if (requests === null) return [];
  const { own, sibling, integrator } = score.resolved;
  return [
    counted(named("files in conflict, resolved by a task's own agent"), own, "files"),
    counted(named("… by a merge of two tasks"), sibling, "files"),
    counted(named("… by the integrator"), integrator, "files"),
    counted(named("requests"), requests, "requests"),
  ];
}

function workRows(named: (what: string) => string, { score, passingAlone }: Outcome): readonly Row[] {
  const { passing, features, newlyFailing, lostLines, lostTests, commits, mostSides, resolved } = score;
  const allOf = (name: string, value: number): Row =>
    row({ name, value, unit: "features", reference: features, hold: "= all", ok: value === features });
  return [
    allOf(named("features that pass on what landed"), passing),
    allOf(named("features that pass, by one agent alone"), passingAlone),
    counted(named("the project's tests that newly fail"), newlyFailing, "tests", 0),
    counted(named("lines of features lost"), lostLines, "lines", 0),
    counted(named("tests of features lost"), lostTests, "tests", 0),
    counted(named("cards beyond an approval, for the user"), resolved.user, "cards", 0),
    row({
      name: named("most sides of a conflict in one commit"),
      ...{ value: mostSides, unit: "sides", hold: `≤ ${maxSides} sides`, ok: mostSides <= maxSides },
    }),
    counted(named("commits landed"), commits, "commits"),
  ];
}

function radarRows(named: (what: string) => string, { score }: Outcome): readonly Row[] {
  const { truePairs, foundPairs, namedPairs, namedBeforeDone } = score;
  const wrong = namedPairs - foundPairs;
  const seconds = slowest(score);
  return [
    row({
      name: named("colliding pairs that the radar named"),
      ...{ value: foundPairs, unit: "pairs", reference: truePairs },
      ...{ hold: "= all", ok: foundPairs === truePairs },
    }),
    counted(named("pairs that it named and that do not collide"), wrong, "pairs", 0),
    ...(seconds === null
      ? []
      : [
          row({
            name: named("slowest pair, from both have written to named"),
            ...{
              value: seconds,
              unit: "s",
              hold: `≤ ${maxSecondsToName} s`,
              ok: seconds <= maxSecondsToName,
            },
          }),
          row({
            name: named("pairs named before either was done"),
            ...{ value: namedBeforeDone, unit: "pairs", reference: foundPairs, hold: "shown", ok: true },
          }),
        ]),
  ];
}

function costRows(named: (what: string) => string, { score, team, alone }: Outcome): readonly Row[] {
  const beside = (what: string, unit: string, of: (one: Observed) => number, most: number | null): Row => {
    const [value, reference] = [of(team), of(alone)];
    return row({
      name: named(`${what}, beside one agent alone`),
      ...{ value, unit, reference },
      ...{
        hold: most === null ? "shown" : `≤ ${most} × alone`,
        ok: most === null || value <= most * reference,
      },
    });
  };
  const collisions = collisionsOf(score);
  return [
    beside(
      "dollars",
      "$",
      (one) => one.microDollars / 1e6,
      collisions === "some" ? null : maxDollars[collisions],
    ),
    beside("time", "s", (one) => one.wallMs / 1000, collisions === "none" ? maxTime : null),
    beside("tokens", "tokens", (one) => one.tokens, null),
    beside("jj processes", "processes", (one) => one.jj, null),
  ];
}

/** All that is known of one set. */
export function rowsOf(outcome: Outcome): readonly Row[] {
  const named = (what: string): string => `${outcome.name}: ${what}`;
  const kinds = [workRows, scriptedRows, radarRows, costRows];
  return kinds.flatMap((rows) => rows(named, outcome));
}

const head = [
  "set",
  "features",
  "lost",
  "named",
  "wrong",
  "after",
  "early",
  "resolved",
  "sides",
  "dollars",
  "time",
  "tokens",
  "jj",
  "requests",
];

/** One line for each set, in Markdown. */
export function tableOf(outcomes: readonly Outcome[]): string {
  const line = (cells: readonly string[]): string => `|${cells.join("|")}|`;
  const times = (of: (one: Observed) => number, { team, alone }: Outcome): string =>
    of(alone) > 0 ? (of(team) / of(alone)).toFixed(1) : "–";
  return [
    line(head),
    line(head.map(() => "-")),
    ...outcomes.map((outcome) => {
      const { name, score, team } = outcome;
      const { own, sibling, integrator, user } = score.resolved;
      const seconds = slowest(score);
      return line([
        name,
        `${score.passing}/${score.features}${score.newlyFailing > 0 ? ` (breaks ${score.newlyFailing})` : ""}`,
        `${score.lostLines}+${score.lostTests}`,
        `${score.foundPairs}/${score.truePairs}`,
        `${score.namedPairs - score.foundPairs}`,
        seconds === null ? "–" : `${seconds.toFixed(1)}s`,
        `${score.namedBeforeDone}`,
        team.spending === null ? "–" : `${own}/${sibling}/${integrator}/${user}`,
        `${score.mostSides}`,
        times((one) => one.microDollars, outcome),
        times((one) => one.wallMs, outcome),
        times((one) => one.tokens, outcome),
        times((one) => one.jj, outcome),
        `${requestsOf(team) ?? "–"}`,
      ]);
    }),
  ].join("\n");
}

/** What a team and the agent alone paid for, and how much of one agent's dollars each is, in Markdown. */
export function spendingTable(outcomes: readonly Outcome[]): string {
  const line = (cells: readonly (string | number)[]): string => `|${cells.join("|")}|`;
  const headings = [
    "set",
    "who",
    "requests",
    "new",
    "written to cache",
    "from cache",
    "output",
    "$",
    "× alone",
  ];
  const rows = outcomes.flatMap(({ name, team, alone }) =>
    [
      ...(team.spending ?? []),
      ...(alone.spending ?? []).map((one) => ({ ...one, who: `alone: ${one.who}` })),
    ].map(({ who, spent: { usage, microDollars, requests } }) =>
      line([
        ...[name, who, requests, usage.input, usage.cacheWrite5m + usage.cacheWrite1h],
        ...[usage.cacheRead, usage.output, (microDollars / 1e6).toFixed(3)],
        (microDollars / alone.microDollars).toFixed(2),
      ]),
    ),
  );
  return [line(headings), line(headings.map(() => "-")), ...rows].join("\n");
}
