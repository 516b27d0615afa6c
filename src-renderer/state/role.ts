/** What this window's person may do, where several share this host. */
import { ruleOf } from "#shared/contract/command-rules.ts";
import { type CommandName, commands } from "#shared/contract/commands.ts";
import { isEnough, roleIn } from "#shared/domain/people/role.ts";
import { type HostStoreState, useHost } from "./host-store.ts";
import { notify } from "./notify.ts";

/** Why this window's person may not give a command here, with who can change that; null: they may. */
export function refusalOf(
  { app, repository }: Pick<HostStoreState, "app" | "repository">,
  name: CommandName,
): string | null {
  const { least } = ruleOf(name);
  if (!app?.me) return null;
  const has = roleIn(app.me, commands[name].about === "app" ? null : (repository?.path ?? null));
  if (isEnough(has, least)) return null;
  const owners = app.me.owners.filter((owner) => owner !== app.me?.name);
  return `This needs the role ${least}; ${has === null ? "you have none here" : `yours is ${has}`}. ${owners.slice(0, 3).join(" or ")} can give it to you.`;
}

/** The same, followed. */
export const useRefusal = (name: CommandName): string | null => useHost((state) => refusalOf(state, name));

/** Whether they may not, for what begins with a drag or a key; why not is then said. */
export function isRefused(name: CommandName): boolean {
  const refusal = refusalOf(useHost.getState(), name);
  if (refusal !== null) notify("info", refusal);
  return refusal !== null;
}
