import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import { undecidedWorkflow, type Workflow } from "#shared/domain/workflow/workflow.ts";
import { WorkflowView } from "./workflow-view.tsx";

const workflow: Workflow = {
  ...undecidedWorkflow,
  contracts: { mode: "off", by: "condition", reason: "There is only one task." },
  panel: { mode: "on", by: "configuration", reason: "Set in .hox/config.toml (workflow.panel)." },
};

const buttons = (markup: string): readonly string[] =>
  [...markup.matchAll(/<button[^>]*aria-label="([^"]+)"/gu)].map(([, label = ""]) => label);

describe("WorkflowView", () => {
  it("shows each stage with its reason, and a menu where the stage can still change", () => {
    const markup = renderToStaticMarkup(
      <WorkflowView
        workflow={workflow}
        choices={undefined}
        onEdit={() => undefined}
        settled={["integrator"]}
      />,
    );
    expect(markup).toContain("There is only one task.");
    expect(markup).toContain("Set in .hox/config.toml (workflow.panel).");
    expect(buttons(markup)).toEqual([
      "Contracts: no contracts",
      "Reviews: reviews if needed",
      "Learning: learning if there is something to learn",
    ]);
  });

  it("has no menus when it is read-only", () => {
    expect(buttons(renderToStaticMarkup(<WorkflowView workflow={workflow} choices={undefined} />))).toEqual(
      [],
    );
  });
});
