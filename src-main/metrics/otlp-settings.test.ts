import { expect, test } from "vitest";
import { defaultConfig } from "../config/settings.ts";
import { exportTarget } from "./otlp-export.ts";

const { metrics } = defaultConfig;
const to = (otlpEndpoint: string, environment: Record<string, string> = {}) =>
  exportTarget({ ...metrics, otlpEndpoint, otlpHeadersEnv: "HOX_OTLP_HEADERS" }, environment);

test("nothing is sent by default, and beyond this machine only if the user's environment says so", () => {
  expect(exportTarget(metrics, { HOX_OTLP_HOSTS: "example.org" })).toEqual({ kind: "off" });
  expect(to("http://localhost:4318")).toMatchObject({ kind: "on", headers: {}, withContent: false });
  expect(to("http://[::1]:4318")).toMatchObject({ kind: "on" });
  expect(to("https://otlp.example.org/x")).toEqual({ kind: "refused", host: "otlp.example.org" });
  expect(to("http://localhost.example.org")).toMatchObject({ kind: "refused" });
  expect(to("http://localhost@example.org")).toMatchObject({ kind: "refused" });
  expect(to("https://otlp.example.org/x", { HOX_OTLP_HOSTS: "a.b, otlp.example.org" })).toMatchObject({
    kind: "on",
  });
});

test("headers come from the named variable, as names and values", () => {
  const environment = { HOX_OTLP_HEADERS: "authorization=Bearer a=b, x-team = hox,nonsense" };
  expect(to("http://127.0.0.1:4318", environment)).toMatchObject({
    headers: { authorization: "Bearer a=b", "x-team": "hox" },
  });
});
