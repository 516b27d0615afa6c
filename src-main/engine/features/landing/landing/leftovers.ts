/** What runs that are over have left: workspaces, branches of agents, messages, and work that has not landed. */
import type { CleanUp, Leftovers } from "#shared/contract/views/leftovers.ts";
import { parseDescription } from "#shared/domain/graph-words/trailers.ts";
import type { Change } from "#shared/graph/change.ts";
import type { Repository } from "../../../../jj/repository-interface.ts";
import type { Journal } from "../../../../journal/journal.ts";
import { recordedState } from "../../../recorded-state.ts";
import { workspacesLeft } from "../../../workspaces/clean-up.ts";
import { abandonScaffolding } from "./tidy-graph.ts";

export const overRuns = (journal: Journal): readonly string[] =>
  journal.runs().flatMap(({ id, endedAt }) => (endedAt === null ? [] : [id]));

/** Assignments as Hox names them, of every run that is not going on, those too that the journal has forgotten. */
async function branchesLeft(repository: Repository, journal: Journal): Promise<readonly string[]> {
  const [refs, shown] = await Promise.all([repository.refs(), repository.branches()]);
  const names = [...new Set([...Object.keys(refs.bookmarks), ...Object.keys(shown)])].filter((name) =>
    /^O-[A-Z]-\d+\/\S+$/u.test(name),
  );
  const going = goingOn(journal);
  if (going === null) return names;
  const own = new Set(
    Object.values(recordedState(journal, going).workers).map(({ name, parent }) => `${parent ?? ""}/${name}`),
  );
  return names.filter((name) => !own.has(name));
}

const goingOn = (journal: Journal): string | null =>
  journal.runs().find(({ endedAt, input }) => endedAt === null && !input.isWatch)?.id ?? null;

export async function leftoversOf(repository: Repository, journal: Journal): Promise<Leftovers> {
  const goals = new Map(journal.runs().map(({ id, input }) => [id, input.goal]));
  const over = { except: goingOn(journal) };
  const [branches, messages, left] = await Promise.all([
    branchesLeft(repository, journal),
    repository.messagesOf(over),
    repository.workOf(over),
  ]);
  const byRun = Map.groupBy(left, (change: Change) => change.metadata.run ?? "");
  return {
    workspaces: workspacesLeft(journal, overRuns(journal)),
    branches,
    messages: messages.length,
    work: [...byRun].map(([run, changes]) => ({
      run,
      goal: goals.get(run) ?? "",
      changes: changes.map(({ changeId, description }) => ({
        changeId,
        title: parseDescription(description).subject,
      })),
    })),
  };
}

/** Takes branches and messages away. Work that has not landed stays: only a person knows what it is worth. */
export async function removeLeftovers(
  repository: Repository,
  journal: Journal,
): Promise<Pick<CleanUp, "branches" | "messages">> {
  const branches = await branchesLeft(repository, journal);
  await repository.removeBranches(branches, { actor: "hox" });
  const messages = await abandonScaffolding(
    repository,
    await repository.messagesOf({ except: goingOn(journal) }),
  );
  return { branches, messages };
}
