import assert from "node:assert/strict";
import { test } from "node:test";
import { createApp } from "../src/app.js";
import { createClient } from "../src/client.js";
import { ownerField, profileFields } from "../src/contracts/profile.js";
import { createStore } from "../src/store.js";

test("client, routes and store agree on what a profile is", async () => {
  const client = createClient(createApp(createStore()).handle);
  const ann = await client.addUser("ann@example.org");
  const saved = await client.saveProfile(ann.id, { headline: "Harbour master", bio: "Keeps the lights on." });
  assert.deepEqual(Object.keys(saved), profileFields);
  assert.equal(saved[ownerField], ann.id);
  assert.deepEqual(await client.profile(ann.id), saved);
});

test("a user without a profile is told apart from no user", async () => {
  const client = createClient(createApp(createStore()).handle);
  const ann = await client.addUser("ann@example.org");
  await assert.rejects(client.profile(ann.id), { code: "no-profile" });
  await assert.rejects(client.profile("u9"), { code: "no-such-user" });
});
