import { kinds, messageTypes, priorities, statuses } from "../graph-words/metadata.ts";
import { metricNames } from "../metrics/metrics-trailer.ts";

/** A revset function that Hox adds to jj's. */
export interface HoxFunction {
  readonly name: string;
  /** The description in the filter box. */
  readonly description: string;
  readonly takes: /** One or more of these words. */
    | { readonly kind: "words"; readonly trailer: string; readonly words: readonly string[] }
    /** One or more names with `*` and `?` as wildcards. */
    | { readonly kind: "names"; readonly trailer: string; readonly what: string }
    /** One or more recipients or addresses. */
    | { readonly kind: "addresses"; readonly trailer: string }
    /** Nothing, or comparisons with one of these figures; of the score, which has no name, with none before them. */
    | { readonly kind: "figures"; readonly figures: readonly string[] }
    | { readonly kind: "nothing" };
}

/** Every function that Hox adds. (HOX-2.3) */
export const hoxFunctions: readonly HoxFunction[] = [
  {
    name: "priority",
    description: "changes of these priorities",
    takes: { kind: "words", trailer: "Hox-Priority", words: priorities },
  },
  {
    name: "status",
    description: "changes in these states",
    takes: { kind: "words", trailer: "Hox-Status", words: statuses },
  },
  {
    name: "kind",
    description: "changes of these kinds",
    takes: { kind: "words", trailer: "Hox-Kind", words: kinds },
  },
  {
    name: "msg_type",
    description: "messages of these types",
    takes: { kind: "words", trailer: "Hox-Msg-Type", words: messageTypes },
  },
  {
    name: "agent",
    description: "changes of these agents",
    takes: { kind: "names", trailer: "Hox-Agent", what: "an agent's name" },
  },
  {
    name: "orchestrator",
    description: "changes of these orchestrators",
    takes: { kind: "names", trailer: "Hox-Orchestrator", what: "an orchestrator's name" },
  },
  {
    name: "run",
    description: "changes of these runs",
    takes: { kind: "names", trailer: "Hox-Run", what: "the name of a run" },
  },
  {
    name: "msg_to",
    description: "messages to a recipient, or to an address with this prefix",
    takes: { kind: "addresses", trailer: "Hox-Msg-To" },
  },
  {
    name: "metrics",
    description: "changes with matching metrics: metrics(failures>3)",
    takes: { kind: "figures", figures: metricNames },
  },
  {
    name: "score",
    description: "changes with a matching score: score(>0.8)",
    takes: { kind: "figures", figures: [] },
  },
  { name: "ready", description: "tasks that an agent can start now", takes: { kind: "nothing" } },
];

const byName = new Map(hoxFunctions.map((entry) => [entry.name, entry]));

/** The Hox function of that name; undefined for jj's own and for aliases. */
export const hoxFunction = (name: string): HoxFunction | undefined => byName.get(name);
