type GroupOf<Name> = Name extends `${infer Group}.${string}` ? Group : never;
type Grouped<Table, Group extends string> = {
  [Name in keyof Table as Name extends `${Group}.${infer Verb}` ? Verb : never]: Table[Name];
};

/** A table with names like `run.pause`, as an object of objects: `{ run: { pause } }`. A name without a group stays. */
export type Nested<Table> = { [Group in GroupOf<keyof Table>]: Grouped<Table, Group> } & {
  [Name in keyof Table as GroupOf<Name> extends never ? Name : never]: Table[Name];
};

/**
 * Puts what a table has under `group.verb` into an object for each group.
 *
 * @param table names of at most one dot
 */
export function nested<Table extends object>(table: Table): Nested<Table> {
  const groups: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(table)) {
    const [group = "", verb] = name.split(".");
    groups[group] = verb === undefined ? value : { ...(groups[group] as object | undefined), [verb]: value };
  }
  return groups as Nested<Table>;
}
