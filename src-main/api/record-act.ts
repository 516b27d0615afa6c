/** Writes down what people do on a shared host: before it is done, and how it ended. */
import { ruleOf } from "#shared/contract/command-rules.ts";
import type { SettingsPatch } from "#shared/contract/settings.ts";
import { startOf } from "#shared/domain/text/format-text.ts";
import { hostOwner } from "../people/people.ts";
import { authorize, type Given, isOwnWindow, repositoryIn } from "./authorize.ts";
import type { HostState } from "./host-state.ts";
import { toContractError } from "./refusal.ts";

type Host = Pick<HostState, "people" | "opened">;

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
