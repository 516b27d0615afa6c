import { expect, it } from "vitest";
import { closeDialogOf, openDialog, useSelection } from "./selection-store.ts";

it("work that ends late closes its own dialog, and no other that was opened meanwhile", () => {
  openDialog("open-repository");
  closeDialogOf("open-repository");
  expect(useSelection.getState().dialog).toBeNull();
  openDialog("palette");
  closeDialogOf("open-repository");
  expect(useSelection.getState().dialog).toBe("palette");
});
