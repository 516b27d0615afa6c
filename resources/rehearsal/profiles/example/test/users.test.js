import assert from "node:assert/strict";
import { test } from "node:test";
import { createApp } from "../src/app.js";
import { createStore } from "../src/store.js";

const made = () => createApp(createStore({ now: () => new Date("2026-05-04T10:00:00Z") }));

test("a user is added and found again", async () => {
  const app = made();
  const added = await app.handle({ method: "POST", path: "/users", body: { email: "ann@example.org" } });
  assert.deepEqual(added, {
    status: 201,
    body: { id: "u1", email: "ann@example.org", created_at: "2026-05-04T10:00:00.000Z" },
  });
  assert.deepEqual(await app.handle({ method: "GET", path: "/users/u1" }), { status: 200, body: added.body });
});

test("an address is needed, and needed once", async () => {
  const app = made();
  const add = (email) => app.handle({ method: "POST", path: "/users", body: { email } });
  assert.equal((await add("nobody")).status, 400);
  assert.equal((await add("ann@example.org")).status, 201);
  assert.equal((await add(" ann@example.org ")).status, 409);
});

test("what is not there is told apart", async () => {
  const app = made();
  const code = async (method, path) => (await app.handle({ method, path })).body.error.code;
  assert.equal(await code("GET", "/users/u9"), "no-such-user");
  assert.equal(await code("GET", "/boats"), "no-such-path");
  assert.equal(await code("DELETE", "/users"), "method-not-allowed");
});
