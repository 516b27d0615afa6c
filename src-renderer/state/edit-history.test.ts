import { beforeEach, describe, expect, it } from "vitest";
import {
  type Edit,
  editsWritten,
  forgetNewest,
  openHistory,
  recordEdit,
  recordWrite,
  step,
  useEditHistory,
} from "./edit-history.ts";

const operation = (id: string): Edit => ({ kind: "operation", operation: id });
const past = () => useEditHistory.getState().past.map(({ what }) => what);
const future = () => useEditHistory.getState().future.map(({ what }) => what);

describe("the one history of edits", () => {
  beforeEach(() => {
    useEditHistory.setState({ path: null, past: [], future: [] });
    openHistory("/one");
    recordEdit("a", operation("1"));
    recordEdit("b", operation("2"));
  });

  it("goes back and forth, and keeps what undoes the undoing", () => {
    step("undo", operation("3"));
    expect([past(), future()]).toEqual([["a"], ["b"]]);
    expect(useEditHistory.getState().future).toEqual([{ what: "b", edit: operation("3") }]);
    step("redo", operation("4"));
    expect([past(), future()]).toEqual([["a", "b"], []]);
    expect(useEditHistory.getState().past.at(-1)?.edit).toEqual(operation("4"));
  });

  it("forgets undone edits after a new one, and edits that cannot be undone", () => {
    step("undo", operation("3"));
    recordEdit("c", operation("5"));
    expect([past(), future()]).toEqual([["a", "c"], []]);
    forgetNewest("undo");
    expect(past()).toEqual(["a"]);
  });

  it("is complete when what is being written has been recorded, or has failed", async () => {
    const written = Promise.withResolvers<void>();
    void recordWrite(
      "c",
      written.promise.then(() => ({ operation: "3" })),
    );
    const failed = recordWrite(
      "d",
      written.promise.then(() => Promise.reject(new Error("not written"))),
    );
    const seen = editsWritten().then(past);
    expect(past()).toEqual(["a", "b"]);
    written.resolve();
    await expect(failed).rejects.toThrow("not written");
    expect(await seen).toEqual(["a", "b", "c"]);
  });

  it("belongs to one repository, and has a maximum length", () => {
    for (let at = 0; at < 150; at += 1) recordEdit(String(at), operation(String(at)));
    expect(past()).toHaveLength(100);
    openHistory("/two");
    expect(past()).toEqual([]);
  });
});
