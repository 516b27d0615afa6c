const form =
  /^bookmark: (.+) \[(add|move forward|move sideways|move backward|delete)(?: from ([0-9a-f]+))?(?: to ([0-9a-f]+))?\]$/u;

const short = (commit = ""): string => commit.slice(0, 8);

/** One line of what jj lists before a push, as a sentence; a line of another form stays as it is. */
export function pushMoveText(line: string): string {
  const [, name, what, from, to] = form.exec(line) ?? [];
  if (what === undefined) return line;
  if (what === "add") return `Creates ${name} at ${short(to)}`;
  if (what === "delete") return `Deletes ${name}, now at ${short(from)}`;
  const isForced = what !== "move forward";
  return `Moves ${name} from ${short(from)} to ${short(to)}${isForced ? ", replacing commits there" : ""}`;
}
