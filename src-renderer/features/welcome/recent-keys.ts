import type { KeyTable } from "../../kit/key-table.ts";

export const recentKeys: KeyTable<{ readonly remove: () => void }> = {
  place: "At a recent repository",
  rows: [
    {
      keys: "Delete",
      also: ["Backspace"],
      what: "remove it from the list (the folder is kept)",
      run: ({ remove }) => remove(),
    },
  ],
};
