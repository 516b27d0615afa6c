import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { noUsage } from "#shared/domain/spending/usage.ts";
import { loadPriceTable, modelFacts, PriceTableBroken, priceOf } from "./price-table.ts";

describe("price table", () => {
  const models = loadPriceTable();
  it("has the cost and the window of each model, also under a dated name", () => {
    expect(models.date).toMatch(/^2026-/);
    const million = { ...noUsage, output: 1_000_000 };
    expect(priceOf(million, "claude-sonnet-5-5")).toBe(10_000_000);
    expect(priceOf({ ...million, input: 100_000 }, "claude-haiku-5-5-20261001")).toBe(510_000);
    expect(priceOf({ ...million, input: 100_001 }, "claude-haiku-5-5")).toBe(2_550_001);
    expect(modelFacts(models)("claude-opus-5-5").contextWindow).toBe(1_000_000);
  });

  it("refuses spending on a model without a price or with a broken file", () => {
    expect(() => priceOf(noUsage, "claude-sonnet-4")).toThrow(/claude-sonnet-4.*Choose one of/);
    const folder = mkdtempSync(join(tmpdir(), "hox-prices-"));
    const path = join(folder, "prices.json");
    writeFileSync(path, JSON.stringify({ date: "yesterday", models: {} }));
    expect(() => loadPriceTable(path)).toThrow(PriceTableBroken);
    expect(() => loadPriceTable(join(folder, "gone.json"))).toThrow(/Reinstall Hox/);
    rmSync(folder, { recursive: true });
  });
});
