import assert from "node:assert/strict";
import { test } from "node:test";
import { bannerOf } from "../../src/board/banner.js";

test("high water is written so that nobody misses it", () => {
  assert.equal(bannerOf({ height: 431, level: "high" }), "HIGH WATER 4.31 m");
  assert.throws(() => bannerOf({ height: 431, level: "wet" }), /no level/u);
});
