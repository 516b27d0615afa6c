import type { Look, Present } from "#shared/domain/people/role.ts";
import { PersonAvatar } from "../../kit/person-avatar.tsx";
import { useHost } from "../../state/host-store.ts";
import { useOthers } from "../../state/people.ts";

/** Beyond these only a number is shown. */
const maxShown = 4;

/** Who else is connected, and what they look at. */
export function PeopleHere() {
  const others = useOthers();
  const repository = useHost((state) => state.repository?.path ?? null);
  const run = useHost((state) => state.run?.id ?? null);
  if (others.length === 0) return null;
  const more = others.length - maxShown;
  return (
    <ul aria-label="People here" className="flex shrink-0 items-center gap-1">
      {others.slice(0, maxShown).map((one) => (
        <li key={one.name} className="flex">
          <PersonAvatar name={one.name} detail={lookText(one, { repository, run })} />
        </li>
      ))}
      {more > 0 && <li className="text-xs text-muted">+{more}</li>}
    </ul>
  );
}

function lookText(
  { repository, run, worker, card }: Present,
  here: Pick<Look, "repository" | "run">,
): string {
  if (repository === null) return "";
  if (repository !== here.repository) return "in another repository";
  if (run !== here.run && run !== null) return "in another run";
  if (card !== null) return "answering a card";
  return worker === null ? "here" : `looking at ${worker}`;
}
