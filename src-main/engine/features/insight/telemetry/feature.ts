import { exportTarget, hostsVariable, type RunExport } from "../../../../metrics/otlp-export.ts";
import type { Feature } from "../../../kernel/feature.ts";
import { warn } from "../../../kernel/notify.ts";
import type { Run } from "../../../ports.ts";

const exports = new WeakMap<Run, Promise<RunExport | null>>();

/** Sends events to an OpenTelemetry collector, if configured. Never blocks a run. */
export const telemetry: Feature<Run> = {
  name: "telemetry",
  show(run) {
    if (run.config.metrics.otlpEndpoint === null || exports.has(run)) return;
    exports.set(run, begin(run));
  },
  async atRunEnd(run) {
    await (await exports.get(run))?.end(run.state.current.stage, run.now());
  },
};

function begin(run: Run): Promise<RunExport | null> {
  const target = exportTarget(run.config.metrics, process.env);
  if (target.kind === "off") return Promise.resolve(null);
  if (target.kind === "refused") {
    warn(
      run,
      `Metrics are not sent to ${target.host}: the repository's configuration sets it, but you have not allowed it.`,
      `Add it to ${hostsVariable} in your environment, or remove metrics.otlp_endpoint.`,
    );
    return Promise.resolve(null);
  }
  const failed = (error: unknown): void =>
    warn(
      run,
      `Metrics could not be sent to ${target.endpoint}: ${error instanceof Error ? error.message : error}`,
      "The run continues. Check the collector, or remove metrics.otlp_endpoint.",
    );
  const begunAt = run.now();
  const opened = import("../../../../metrics/otlp-export.ts").then(({ exportRun }): RunExport | null =>
    exportRun(
      { ...target, run: run.id, provider: run.known?.name ?? "anthropic", onFailure: failed },
      begunAt,
    ),
  );
  const open = opened.catch((error: unknown) => {
    failed(error);
    return null;
  });
  run.metrics.listen({
    entry(worker, entry) {
      const at = run.now();
      void open.then((one) => one?.entry(worker, entry, at)).catch(failed);
    },
    measured(worker, measured) {
      const at = run.now();
      void open.then((one) => one?.measured(worker, measured, at)).catch(failed);
    },
  });
  return open;
}
