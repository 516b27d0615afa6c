/**
 * What a named person may do on this host, and the log of what they did. Every command comes through here before anything of it
 * is done; the user who started the host owns it and is not asked. A role is looked up each time, so that a removed person can do
 * nothing more. What is done is written down before it is done, and how it ended.
 */
import { ruleOf } from "#shared/contract/command-rules.ts";
import type { CommandInput, CommandName } from "#shared/contract/commands.ts";
import type { SettingsPatch } from "#shared/contract/settings.ts";
import type { RunView } from "#shared/contract/views/run.ts";
import { isEnough, type PersonRole, roleIn } from "#shared/domain/people/role.ts";
import type { Budget } from "#shared/domain/spending/budget.ts";
import { startOf } from "#shared/domain/text/format-text.ts";
import { shellQuote } from "#shared/domain/text/shell-quote.ts";
import { hostOwner, type People } from "../people/people.ts";
import { engineOf, type HostState } from "./host-state.ts";
import type { OpenRepository } from "./open-repository.ts";
import { Refusal, toContractError } from "./refusal.ts";

/** A person's role is too small, or they are no longer known. */
class NotAllowed extends Refusal {
  override readonly name = "NotAllowed";
}

type Host = Pick<HostState, "people" | "opened">;

/** A command as it was given. */
export interface Given {
  readonly name: CommandName;
  /** As its schema parsed it. */
  readonly input: unknown;
}

/** @throws NotAllowed, which names the role that is needed and who can give it */
export async function authorize(host: Host, person: string | undefined, given: Given): Promise<void> {
  if (person === undefined) return;
  const root = repositoryIn(host, given);
  const needed = await neededFor(host, given, root);
  checkRole(host.people, person, root, needed);
}

/** @throws NotAllowed */
function checkRole(people: People, person: string, root: string | null, needed: PersonRole): void {
  const known = people.named(person);
  const owners = people.owners().filter((owner) => owner !== person);
  if (known === null)
    throw new NotAllowed(
      `${person} no longer has access to this host.`,
      `Ask ${listOf(owners)} for an invitation: hox people invite ${shellQuote(person)} --role watch`,
    );
  const has = roleIn(known, root);
  if (isEnough(has, needed)) return;
  throw new NotAllowed(
    `This needs the role ${needed}${root === null ? "" : " in this repository"}; ${has === null ? "you have none" : `yours is ${has}`}.`,
    `Ask ${listOf(owners)}: ${inviteCommand(person, needed, root)}`,
  );
}

/** In a repository it gives the role there and leaves that person's other roles. */
const inviteCommand = (person: string, role: PersonRole, root: string | null): string =>
  `hox people invite ${shellQuote(person)} --role ${role}${root === null ? "" : ` --here --repo ${shellQuote(root)}`}`;

const listOf = (owners: readonly string[]): string =>
  owners.length > 3 ? `${owners.toSpliced(3).join(", ")} or another owner` : owners.join(" or ");

/** The root of the repository that a command is about; null: none that is open. */
function repositoryIn(host: Pick<Host, "opened">, { name, input }: Given): string | null {
  const { repository, path } = (input ?? {}) as { readonly repository?: unknown; readonly path?: unknown };
  if (name === "repository.open") return typeof path === "string" && isOpen(host, path) ? path : null;
  if (name === "people.invite") return null;
  return typeof repository === "string" ? repository : null;
}

function isOpen(host: Pick<Host, "opened">, root: string): boolean {
  try {
    return host.opened(root).repository.root === root;
  } catch {
    return false;
  }
}

/** The least role for what was given: some inputs ask for more than their command. */
async function neededFor(host: Host, { name, input }: Given, root: string | null): Promise<PersonRole> {
  const { least } = ruleOf(name);
  switch (name) {
    case "repository.open":
      // To look at another one that is open.
      return root === null ? least : "watch";
    case "settings.change":
      // Everybody sets up their own windows.
      return isOwnWindow(input as SettingsPatch) ? "watch" : least;
    case "inbox.answer": {
      const { id, run } = input as { readonly id: string; readonly run: string };
      const card = engineOf(host.opened(root ?? undefined))
        .inbox()
        .find((one) => one.id === id && one.run === run);
      // That commands run without a sandbox is a setting of the host.
      return card?.kind === "sandbox" ? "own" : least;
    }
    case "plan.amend":
      return raisesBudget(host.opened(root ?? undefined), input as AmendInput) ? "approve" : least;
    case "run.setLimits":
    case "run.setWorkerLimits":
      return raisesLimits(host.opened(root ?? undefined), input as LimitsInput) ? "approve" : least;
    case "run.start":
    case "change.validate":
      return (await exceedsDefaults(host.opened(root ?? undefined), input as StartInput)) ? "approve" : least;
    default:
      return least;
  }
}

/** Whether a change of settings is one of those that each person has for themselves. */
export const isOwnWindow = (patch: SettingsPatch): boolean =>
  Object.keys(patch).every((key) => key === "window" || key === "theme");

type LimitsInput = Partial<CommandInput<"run.setWorkerLimits">> & { readonly run: string };
interface AmendInput {
  readonly run: string;
  readonly edits: readonly ({ readonly kind: string } & Partial<Budget>)[];
}
type StartInput = Pick<CommandInput<"run.start">, "maxTokens" | "maxMicroDollars">;

const exceeds = (wanted: number | null | undefined, known: number | null): boolean =>
  wanted !== undefined && known !== null && (wanted === null || wanted > known);

function raisesLimits(open: OpenRepository, { run: id, worker, ...amounts }: LimitsInput): boolean {
  if (amounts.tokens === undefined && amounts.microDollars === undefined) return false;
  // Where a budget is spent, any new limit answers the card that asks for more.
  const isAsked = engineOf(open)
    .inbox()
    .some((card) => card.kind === "budget" && card.run === id && card.worker === (worker ?? null));
  if (isAsked) return true;
  const found = runIn(open, id);
  const budget =
    worker === undefined ? found?.budget : found?.workers.find((one) => one.name === worker)?.budget;
  // The engine says what is wrong with a run or a worker that is not there.
  return (
    budget !== undefined &&
    (exceeds(amounts.tokens, budget.limitTokens) || exceeds(amounts.microDollars, budget.limitMicroDollars))
  );
}

/** A budget in a plan becomes that of its run. */
const raisesBudget = (open: OpenRepository, { run, edits }: AmendInput): boolean =>
  edits.some((edit) => edit.kind === "budget" && raisesLimits(open, { ...edit, run }));

function runIn(open: OpenRepository, id: string): RunView | undefined {
  const { run, otherRuns } = engineOf(open).state();
  return [...(run ? [run] : []), ...otherRuns.map((one) => one.run)].find((one) => one.id === id);
}

async function exceedsDefaults(
  open: OpenRepository,
  { maxTokens, maxMicroDollars }: StartInput,
): Promise<boolean> {
  if (maxTokens === undefined && maxMicroDollars === undefined) return false;
  const { limits }: { readonly limits: Budget } = await engineOf(open).execute("start.choices");
  return exceeds(maxTokens, limits.tokens) || exceeds(maxMicroDollars, limits.microDollars);
}

/**
 * Checks that somebody may give a command, and executes it.
 *
 * @param person undefined: the user who started the host
 * @param work gets the name of who is named for it; undefined where one user has the host to themselves
 * @throws NotAllowed, and what `work` throws
 */
export async function executeAs<Result>(
  host: Host,
  person: string | undefined,
  given: Given,
  work: (by: string | undefined) => Promise<Result> | Result,
): Promise<Result> {
  const { people } = host;
  const by = person ?? (people.any() ? hostOwner() : undefined);
  const did = didOf(given);
  if (by === undefined || did === null) {
    await authorize(host, person, given);
    return work(by);
  }
  const { run } = given.input as { readonly run?: unknown };
  const line = {
    ...{ name: by, did, repository: repositoryIn(host, given) },
    run: typeof run === "string" ? run : null,
  };
  try {
    await authorize(host, person, given);
  } catch (error) {
    people.refused(line);
    throw error;
  }
  const entry = people.begun(line);
  try {
    const result = await work(by);
    people.ended(entry, "done");
    return result;
  } catch (error) {
    // A refusal says what to do; anything else is a mistake of ours.
    people.ended(entry, toContractError(error) === error ? "failed" : "refused");
    throw error;
  }
}

/** In words, with what it was about; null where nothing is written down. */
function didOf({ name, input }: Given): string | null {
  const { did } = ruleOf(name);
  if (did === null) return null;
  if (name === "settings.change" && isOwnWindow(input as SettingsPatch)) return null;
  const given = (input ?? {}) as Readonly<Record<string, unknown>>;
  const of = [
    given.worker,
    given.who,
    given.name,
    given.card,
    given.id,
    given.changeId,
    given.bookmark,
    given.branch,
    given.path,
  ];
  const about = of.find((one) => typeof one === "string" && one !== "");
  // A card's id begins with that of its run.
  return about === undefined ? did : `${did} ${startOf(String(about).replace(/^[0-9a-f-]{36}\//u, ""), 120)}`;
}
