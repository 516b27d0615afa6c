import { expect, test } from "vitest";
import { checkoutName, isOnlyCheckout } from "./checkout-name.ts";

test("only undescribed rows of checkouts are left out", () => {
  const name = checkoutName("0123456789abcdef0123456789abcdef01234567", "5f0e-Run");
  expect(name).toBe("checkout-0123456789ab-5f0erun");
  expect(isOnlyCheckout({ description: "", workspaces: [name] })).toBe(true);
  expect(isOnlyCheckout({ description: "", workspaces: [] })).toBe(false);
  expect(isOnlyCheckout({ description: "words\n", workspaces: [name] })).toBe(false);
  expect(isOnlyCheckout({ description: "", workspaces: [name, "default"] })).toBe(false);
  expect(isOnlyCheckout({ description: "", workspaces: ["checkout-of-mine"] })).toBe(false);
});
