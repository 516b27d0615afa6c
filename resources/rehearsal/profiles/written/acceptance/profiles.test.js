// What the goal means, from outside. It passes when the parts are wired together, not before.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createApp } from "../src/app.js";
import { createClient } from "../src/client.js";
import { ownerField } from "../src/contracts/profile.js";
import { createStore } from "../src/store.js";

test("a profile that was saved is read back, and names its user", async () => {
  const client = createClient(createApp(createStore()).handle);
  const ann = await client.addUser("ann@example.org");
  await client.saveProfile(ann.id, { headline: "Harbour master", bio: "Keeps the lights on." });
  assert.deepEqual(await client.profile(ann.id), {
    [ownerField]: ann.id,
    headline: "Harbour master",
    bio: "Keeps the lights on.",
  });
});

test("nobody can save a profile for a user who is not there", async () => {
  const client = createClient(createApp(createStore()).handle);
  await assert.rejects(client.saveProfile("u9", { headline: "Ghost", bio: "" }), { code: "no-such-user" });
});
