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

  it("has models of other providers behind their wires only", () => {
    const usage = { ...noUsage, input: 272_000, output: 1_000_000 };
    expect(priceOf(usage, "gpt-6-luna", "openai-responses")).toBe(527_200);
    // A longer request costs more as a whole.
    expect(priceOf({ ...usage, cacheRead: 1 }, "gpt-6-luna", "openai-responses")).toBe(804_401);
    expect(priceOf(usage, "gemini-3.5-flash", "gemini")).toBe(9_408_000);
    expect(() => priceOf(noUsage, "gpt-6-luna")).toThrow(/gpt-6-luna.*Choose one of: claude-/);
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
