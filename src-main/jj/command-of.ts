/** The command among arguments: `describe` of `-R <folder> --config <setting> describe --stdin`. */
export function commandOf(args: readonly string[]): string {
  const valued = ["-R", "--config", "--config-file"];
  return args.find((word, place) => !word.startsWith("-") && !valued.includes(args[place - 1] ?? "")) ?? "";
}

const groups = ["bookmark", "config", "file", "git", "op", "operation", "tag", "util", "workspace"];

/** The same with its second word, where it has one: `workspace add`. */
export function typedCommandOf(args: readonly string[]): string {
  const command = commandOf(args);
  const next = args[args.indexOf(command) + 1] ?? "";
  return groups.includes(command) && /^[a-z-]+$/u.test(next) && !next.startsWith("-")
    ? `${command} ${next}`
    : command;
}
