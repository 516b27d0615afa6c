/** Where figures may be sent. The file is the repository's and untrusted; the environment is the user's. */
import type { Config } from "../config/config-interface.ts";

export type ExportTarget =
  | { readonly kind: "off" }
  | { readonly kind: "refused"; readonly host: string }
  | {
      readonly kind: "on";
      readonly endpoint: string;
      readonly headers: Readonly<Record<string, string>>;
      readonly withContent: boolean;
    };

/** Names hosts that figures may be sent to, with commas between. */
export const hostsVariable = "HOX_OTLP_HOSTS";

const loopback = ["localhost", "127.0.0.1", "[::1]"];

/** @param environment the user's own */
export function exportTarget(
  { otlpEndpoint, otlpHeadersEnv, otlpContent }: Config["metrics"],
  environment: Readonly<Record<string, string | undefined>>,
): ExportTarget {
  if (otlpEndpoint === null) return { kind: "off" };
  const { hostname } = new URL(otlpEndpoint);
  const allowed = (environment[hostsVariable] ?? "").split(",").map((host) => host.trim());
  if (!loopback.includes(hostname) && !allowed.includes(hostname)) return { kind: "refused", host: hostname };
  const headers = otlpHeadersEnv === null ? "" : (environment[otlpHeadersEnv] ?? "");
  return { kind: "on", endpoint: otlpEndpoint, headers: headersOf(headers), withContent: otlpContent };
}

/** As `OTEL_EXPORTER_OTLP_HEADERS` has it: `name=value`, with commas between. */
const headersOf = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    text.split(",").flatMap((pair) => {
      const at = pair.indexOf("=");
      return at <= 0 ? [] : [[pair.slice(0, at).trim(), pair.slice(at + 1).trim()]];
    }),
  );
