import { expect, expectTypeOf, test } from "vitest";
import {
  type CamelCase,
  type CamelCased,
  camelCase,
  camelCased,
  snakeCase,
  snakeCased,
} from "./camel-case.ts";
import { configKeys } from "./settings.ts";

test("a camel case name matches its type", () => {
  const name = camelCase("every_n_iterations");
  expectTypeOf(name).toEqualTypeOf<"everyNIterations">();
  expect(name).toBe("everyNIterations");
  expectTypeOf<CamelCase<"allow">>().toEqualTypeOf<"allow">();
  expect(camelCase("allow")).toBe("allow");
});

test("every name of the file survives a round trip", () => {
  const names = configKeys.flatMap((key) => key.split("."));
  expect(names.length).toBeGreaterThan(100);
  for (const name of names) expect(snakeCase(camelCase(name)), name).toBe(name);
});

test("names change in tables and lists at any depth, values never", () => {
  const file = {
    slow_checks: [{ command: "a_b c", every_n_iterations: 3 }],
    max_usd: null,
    by_name: { first_port: 1, hosts: ["a_b.example"] },
  };
  const program = camelCased(file);
  expectTypeOf(program).toEqualTypeOf<{
    readonly slowChecks: readonly { readonly command: string; readonly everyNIterations: number }[];
    readonly maxUsd: null;
    readonly byName: { readonly firstPort: number; readonly hosts: readonly string[] };
  }>();
  expectTypeOf<CamelCased<{ on_end: "run-complete" } | null>>().toEqualTypeOf<{
    readonly onEnd: "run-complete";
  } | null>();
  expect(program).toEqual({
    slowChecks: [{ command: "a_b c", everyNIterations: 3 }],
    maxUsd: null,
    byName: { firstPort: 1, hosts: ["a_b.example"] },
  });
  expect(snakeCased(program)).toEqual(file);
});
