import assert from "node:assert/strict";
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

test("what is put is kept as it was then, whatever becomes of the object", () => {
  const { profiles } = createStore();
  const mine = profile("Harbour master");
  profiles.put(mine);
  profiles.put(mine);
  mine.headline = "Changed by accident";
  assert.equal(profiles.get("u1").headline, "Harbour master");
});
