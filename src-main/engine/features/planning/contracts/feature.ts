import { section } from "#shared/domain/text/prompt-text.ts";
import { type Action, background, type Feature, type OrchestratorTool } from "../../../kernel/feature.ts";
import type { Run } from "../../../ports.ts";
import { contractsFor, parentOf, scoped } from "../../../workers/hierarchy.ts";
import { requireSandbox } from "../../../workspaces/sandbox-gate.ts";
import { contractsInConflict, untilContractsHold } from "./broken-contracts.ts";
import { writeContracts } from "./contracts.ts";
import { correctContracts } from "./contracts-in-conflict.ts";

interface CorrectContracts extends Action {
  readonly orchestrator: string;
}

/** Contracts are files like any other. */
const writing: readonly OrchestratorTool<Run>[] = [
  "report_done",
  "write_file",
  "edit_file",
  "move_file",
  "delete_file",
].map((name, index) => ({ name, answers: { contracts: index + 1, "contracts in conflict": index + 1 } }));

/** What everybody below an orchestrator builds on: written once, and corrected when something below contradicts it. */
export const contracts: Feature<Run> = {
  name: "contracts",
  services: (run) => ({
    contracts: { waitForContracts: (worker, signal) => untilContractsHold(run, worker, signal) },
  }),
  agents: {
    prompt: {
      contracts: (run, { worker }) => [section("Contracts", contractsFor(run, parentOf(run, worker)))],
    },
  },
  course: {
    WriteContracts: {
      title: "The contracts could not be written",
      async perform(run, { orchestrator }, signal) {
        await requireSandbox(run);
        await writeContracts(run, orchestrator, signal);
      },
    },
  },
  orchestratorTools: writing,
  background: [
    background<Run, CorrectContracts>({
      desired: (run) =>
        contractsInConflict(run).map((orchestrator) => ({ id: `contracts/${orchestrator}`, orchestrator })),
      perform: (run, { orchestrator }) => correctContracts(run, orchestrator),
      failure: ({ orchestrator }) => ({
        title: `The contracts of ${orchestrator} are in conflict`,
        worker: orchestrator,
        isAsked: true,
        of: scoped(orchestrator, "contracts-in-conflict"),
      }),
    }),
  ],
};
