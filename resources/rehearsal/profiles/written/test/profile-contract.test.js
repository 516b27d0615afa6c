import assert from "node:assert/strict";
import { test } from "node:test";
import { limits, ownerField, profileFields } from "../src/contracts/profile.js";

test("a profile names its user first, then every text that has a limit", () => {
  assert.deepEqual(profileFields, [ownerField, "headline", "bio"]);
  assert.deepEqual(limits, { headline: 80, bio: 500 });
});
