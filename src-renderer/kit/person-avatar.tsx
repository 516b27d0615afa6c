import { initialsOf } from "#shared/domain/people/role.ts";
import { shownLine } from "#shared/domain/text/shown-text.ts";

interface PersonAvatarProps {
  readonly name: string;
  /** What they look at, after their name. */
  readonly detail?: string;
  /** In px. */
  readonly size?: number;
}

/** A person: a ring, where a worker is a disc. */
export function PersonAvatar({ name, detail = "", size = 20 }: PersonAvatarProps) {
  const label = detail === "" ? shownLine(name) : `${shownLine(name)}: ${detail}`;
  return (
    <span
      role="img"
      aria-label={label}
      title={label}
      className="inline-flex shrink-0 items-center justify-center rounded-full border-[1.5px] border-accent bg-surface text-[10px] leading-none font-semibold text-accent-text"
      style={{ width: size, height: size }}
    >
      {initialsOf(name)}
    </span>
  );
}
