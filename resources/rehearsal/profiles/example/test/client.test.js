import assert from "node:assert/strict";
import { test } from "node:test";
import { createApp } from "../src/app.js";
import { createClient, HarbourError } from "../src/client.js";
import { createStore } from "../src/store.js";

test("the client speaks to the app without a socket", async () => {
  const client = createClient(createApp(createStore()).handle);
  const ann = await client.addUser("ann@example.org");
  assert.equal((await client.user(ann.id)).email, "ann@example.org");
  assert.equal((await client.users()).length, 1);
});

test("a refusal becomes an error with its code", async () => {
  const client = createClient(createApp(createStore()).handle);
  await assert.rejects(client.addUser("nobody"), (error) => {
    assert.ok(error instanceof HarbourError);
    assert.equal(error.status, 400);
    assert.equal(error.code, "invalid-email");
    return true;
  });
});
