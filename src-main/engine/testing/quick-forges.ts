import { type ConnectOptions, createForges, type Forges } from "../../forge/connect.ts";
import { type ForgeClock, systemForgeClock } from "../../forge/forge-http.ts";
import { ownToken } from "../../forge/testing/forge-world.ts";

/** A look every 300 ms; the card waits for the forge, however slow the machine is. */
const quickClock: ForgeClock = {
  ...systemForgeClock,
  after: (ms, work) => systemForgeClock.after(ms < 30_000 ? 120_000 : ms / 100, work),
};

/**
 * Accounts on a stand-in.
 * @param clock between looks; requests have the system's
 * @param ask as `gh` and `glab` answer; default: they are not there, and the token is in the environment
 */
export function forgesOn(
  host: string,
  { clock = quickClock, ask }: { readonly clock?: ForgeClock; readonly ask?: ConnectOptions["ask"] } = {},
): Forges {
  const token = ask ? {} : { GH_ENTERPRISE_TOKEN: ownToken, GITLAB_TOKEN: ownToken };
  const env = { GH_HOST: host, GITLAB_HOST: host, ...token };
  return { ...createForges({ env, clock: systemForgeClock, ask: ask ?? (async () => null) }), clock };
}
