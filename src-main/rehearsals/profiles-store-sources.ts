/** What the store's agent of the profiles rehearsal writes. */
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

export const storeTest = `import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { ownerField } from "../src/contracts/profile.js";
import { createStore } from "../src/store.js";

const profile = (headline) => ({ [ownerField]: "u1", headline, bio: "" });

test("a user has one profile: saving again replaces it", () => {
  const { profiles } = createStore();
  assert.equal(profiles.get("u1"), null);
  profiles.put(profile("Harbour master"));
  profiles.put(profile("Retired"));
  assert.equal(profiles.get("u1").headline, "Retired");
});

test("profiles outlive the process when there is a folder", () => {
  const folder = mkdtempSync(join(tmpdir(), "harbour-"));
  try {
    createStore({ folder }).profiles.put(profile("Harbour master"));
    assert.deepEqual(createStore({ folder }).profiles.get("u1"), profile("Harbour master"));
  } finally {
    rmSync(folder, { recursive: true });
  }
});
`;
