import { folderView } from "../api/folder-view.ts";
import { openRepository } from "../jj/open.ts";
import type { Repository } from "../jj/repository-interface.ts";
import { CommandError, type CommonOptions, folderOf } from "./command-line.ts";

/** Opens the jj repository of `--repo` for one command. */
export async function withRepository<T>(
  options: CommonOptions,
  task: (repository: Repository) => Promise<T>,
): Promise<T> {
  const view = await folderView(folderOf(options));
  switch (view.kind) {
    case "jj":
      break;
    case "git":
    case "plain":
      throw new CommandError(
        `${view.root} is not a jj repository.`,
        "Run `hox init` there, or choose another folder with --repo.",
      );
    default:
      throw new CommandError(view.reason, view.remedy);
  }
  const repository = await openRepository(view.root);
  try {
    return await task(repository);
  } finally {
    await repository.close();
  }
}
