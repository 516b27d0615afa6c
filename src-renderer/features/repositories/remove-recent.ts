import type { RecentRepository } from "#shared/contract/views/app.ts";
import { client } from "../../client.ts";
import { attempt, notify } from "../../state/notify.ts";

/** Removes a repository from the list, with a way back. Its folder is kept. */
export async function removeRecent({
  path,
  name,
}: Pick<RecentRepository, "path" | "name">): Promise<boolean> {
  const isRemoved = await attempt(`${name} could not be removed from the list`, () =>
    client.repository.forgetRecent({ path }),
  );
  if (isRemoved)
    notify("info", `Removed ${name} from the list. Its folder is kept.`, null, {
      action: {
        label: "Undo",
        run: () =>
          void attempt(`${name} could not be restored`, () => client.repository.restoreRecent({ path })),
      },
    });
  return isRemoved;
}
