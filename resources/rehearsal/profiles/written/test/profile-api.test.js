import assert from "node:assert/strict";
import { test } from "node:test";
import { profileRoutes } from "../src/profiles.js";

/** A store of two users, as small as the routes allow. */
function routes() {
  const profiles = new Map();
  const store = {
    users: { get: (id) => (["u1", "u2"].includes(id) ? { id } : null) },
    profiles: {
      get: (id) => profiles.get(id) ?? null,
      put: (profile) => {
        profiles.set(profile.userId, profile);
        return profile;
      },
    },
  };
  const [get, put] = profileRoutes(store);
  return { get: (id) => get.handle({ id }), put: (id, body) => put.handle({ id }, body) };
}

test("a profile is saved, answered with its user and read again", () => {
  const { get, put } = routes();
  const ann = { userId: "u1", headline: "Harbour master", bio: "" };
  assert.deepEqual(put("u1", { headline: "Harbour master" }), { status: 200, body: ann });
  assert.deepEqual(get("u1"), { status: 200, body: ann });
});

test("a text may be as long as its limit and no longer", () => {
  const { put } = routes();
  assert.equal(put("u1", { headline: "x".repeat(80), bio: "x".repeat(500) }).status, 200);
  assert.equal(put("u1", { headline: "x".repeat(81) }).body.error.code, "invalid-headline");
  assert.equal(put("u1", { bio: 7 }).body.error.code, "invalid-bio");
});

test("a profile belongs to the user in the path", () => {
  const { get, put } = routes();
  assert.equal(put("u1", { userId: "u2" }).body.error.code, "other-user");
  assert.equal(put("u9", {}).body.error.code, "no-such-user");
  assert.equal(get("u2").body.error.code, "no-profile");
});
