import type { OpenRepositoryView } from "#shared/contract/views/app.ts";
import { startOf } from "#shared/domain/text/format-text.ts";
import { shownLine } from "#shared/domain/text/shown-text.ts";
import { client } from "../../client.ts";
import { confirm } from "../../kit/dialog.tsx";
import { useHost } from "../../state/host-store.ts";
import { attempt } from "../../state/notify.ts";
import { nameAmong } from "../../state/repositories.ts";
import { runsInterrupted } from "./repository-lines.ts";

/** Closes an open repository; asks first where that pauses a run. */
export async function closeRepository(view: OpenRepositoryView): Promise<void> {
  const name = nameAmong(view, useHost.getState().open);
  const runs = runsInterrupted(view);
  const [first, ...more] = runs;
  if (first) {
    const goals = runs.map(({ goal }) => `“${shownLine(startOf(goal, 60))}”`).join(", ");
    const yes = await confirm({
      title: `Close ${name}?`,
      body:
        more.length > 0
          ? `${runs.length} runs are not finished: ${goals}. Their work is saved. They stay paused until you open ${name} again.`
          : `A run is not finished: ${goals}. Its work is saved. It stays paused until you open ${name} again.`,
      action: `Close ${name}`,
    });
    if (!yes) return;
  }
  await attempt(`${name} was not closed`, () => client.repository.close({ path: view.path }));
}

/** Closes the one on screen. */
export function closeShownRepository(): void {
  const { open, repository } = useHost.getState();
  const view = open.find(({ path }) => path === repository?.path);
  if (view) void closeRepository(view);
}
