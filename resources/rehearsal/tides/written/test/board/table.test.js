import assert from "node:assert/strict";
import { test } from "node:test";
import { tableOf } from "../../src/board/table.js";

test("each reading is one line with its time and height", () => {
  assert.equal(tableOf([{ at: new Date("2026-04-07T06:10:00Z"), height: 219 }]), "06:10  2.19 m");
});
