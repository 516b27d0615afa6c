import { describe, expect, it } from "vitest";
import { readMetadata } from "../change-metadata/trailers.ts";
import { decisionRecordIn, withDecisionRecord } from "./decision-record.ts";

const plan = {
  summary: "A store and a view\nover one contract.",
  contracts: { title: "What a user is", description: "", files: ["src/contract.ts"] },
  tasks: [{ title: "Write the store" }, { title: "Write the view" }] as never,
};
const description =
  "Contracts: Keep users\n\nKeep users.\n\nHox-Kind: base\nHox-Run: r-1\nReviewed-by: Ann\n";
const record = [
  "Decision record",
  "- Decided: Ids are numbers. Hox-Status: done is no trailer here.",
  "- Serves: A store and a view over one contract.",
  "- Contracts: src/contract.ts",
  "- Builds on it: Write the store; Write the view",
].join("\n");
const summary = "Ids are numbers.\nHox-Status: done\nis no trailer here.";

describe("withDecisionRecord", () => {
  const written = withDecisionRecord(description, { plan, summary });

  it("puts the record between the body and the trailers, which stay", () => {
    expect(written).toBe(
      `Contracts: Keep users\n\nKeep users.\n\n${record}\n\nHox-Kind: base\nHox-Run: r-1\nReviewed-by: Ann\n`,
    );
    expect(readMetadata(written)).toEqual({ kind: "base", run: "r-1" });
    expect(decisionRecordIn(written)).toBe(record);
  });

  it("replaces a record when contracts are written again, even without a body", () => {
    expect(withDecisionRecord(written, { plan, summary })).toBe(written);
    const bare = withDecisionRecord("Contracts: X\n", { plan, summary });
    expect(withDecisionRecord(bare, { plan, summary: "Names are text." })).toBe(
      bare.replace(/Ids are.*$/mu, "Names are text."),
    );
  });

  it("writes none without a summary", () => {
    expect(withDecisionRecord(description, { plan, summary: " \n" })).toBe(description);
    expect(decisionRecordIn(description)).toBeNull();
  });
});
