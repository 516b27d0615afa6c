/** What the store's agent of the profiles rehearsal writes. */
import { paths } from "./profiles-sources.ts";
import { writtenFile } from "./written-files.ts";

export const storeImport = `import { ownerField } from "./contracts/profile.js";\n`;
export const storeTable = `  const profiles = table(folder, "profiles");\n`;
export const storeFirst = `    profiles: {
      get: (id) => profiles.find((profile) => profile[ownerField] === id),
      put: (profile) => profiles.add(profile),
    },
`;
export const storePut = {
  before: "      put: (profile) => profiles.add(profile),\n",
  after: "      put: (profile) => profiles.put((row) => row[ownerField] === profile[ownerField], profile),\n",
};
export const tablePut = `    put: (fits, row) => {
      const place = rows.findIndex(fits);
      if (place < 0) rows.push(row);
      else rows[place] = row;
      save();
      return { ...row };
    },
`;

/** The line of it that a review finds: the caller's object becomes the row. */
export const keptAsGiven = "      else rows[place] = row;";
export const tableKeepsCopies = (source: string): string =>
  source
    .replace("      if (place < 0) rows.push(row);\n", "      if (place < 0) rows.push({ ...row });\n")
    .replace(keptAsGiven, "      else rows[place] = { ...row };");
export const storeCopyTest = `
test("what is put is kept as it was then, whatever becomes of the object", () => {
  const { profiles } = createStore();
  const mine = profile("Harbour master");
  profiles.put(mine);
  profiles.put(mine);
  mine.headline = "Changed by accident";
  assert.equal(profiles.get("u1").headline, "Harbour master");
});
`;

export const storeTest = writtenFile("profiles", paths.storeTest);
