import { Segmented } from "../../../kit/segmented.tsx";

/** With a plan, or one agent at once. */
export const HowToRun = ({
  isQuick,
  onQuick,
}: {
  readonly isQuick: boolean;
  readonly onQuick: (isQuick: boolean) => void;
}) => (
  <div className="flex flex-col gap-1">
    <Segmented
      label="How to run"
      value={isQuick ? "quick" : "planned"}
      onChange={(how) => onQuick(how === "quick")}
      options={[
        { value: "planned", label: "With a plan" },
        { value: "quick", label: "Quick: one agent" },
      ]}
    />
    <p className="min-h-10 text-sm text-muted">
      {isQuick
        ? "One agent starts immediately. No plan to approve and no votes: checks run, and you review the diff and land it."
        : "The planner reads the repository and proposes a plan. After you approve it, several agents work in parallel, and validators judge the result."}
    </p>
  </div>
);
