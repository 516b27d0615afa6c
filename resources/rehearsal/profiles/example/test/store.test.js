import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { createStore } from "../src/store.js";

test("rows outlive the process when there is a folder", () => {
  const folder = mkdtempSync(join(tmpdir(), "harbour-"));
  try {
    const { id } = createStore({ folder }).users.add({ email: "ann@example.org" });
    assert.equal(createStore({ folder }).users.get(id)?.email, "ann@example.org");
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("a row that was handed out cannot change the table", () => {
  const store = createStore();
  const user = store.users.add({ email: "ann@example.org" });
  user.email = "bob@example.org";
  assert.equal(store.users.get(user.id).email, "ann@example.org");
});
