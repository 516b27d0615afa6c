import type { Operation } from "#shared/graph/change.ts";
import { EngineRefusal } from "../../../engine-errors.ts";
import type { RunGraph } from "../../../ports.ts";

const firstRead = 500;
/** A log that is longer is read to here. */
const maxOperationsRead = 50_000;

export interface Moment {
  readonly operation: Operation;
  /** What came after it, the newest first. */
  readonly since: readonly Operation[];
}

/**
 * @param to an operation, by its id or the beginning of it; or a time (ms since 1970), at which the last one before it stood
 * @throws EngineRefusal where the log holds none, or several that begin so
 */
export async function findMoment(
  repository: Pick<RunGraph["repository"], "operations">,
  to: string | number,
): Promise<Moment> {
  for (let limit = firstRead; ; limit = Math.min(maxOperationsRead, limit * 4)) {
    const read = await repository.operations({ limit });
    const fits = ({ id, time, parents }: Operation): boolean =>
      parents.length > 0 && (typeof to === "number" ? time <= to : id.startsWith(to));
    const at = read.findIndex(fits);
    const operation = read[at];
    if (operation) {
      if (typeof to === "string" && read.filter(fits).length > 1)
        throw new EngineRefusal(
          `Several operation IDs start with "${to}".`,
          "Give more characters: see `jj op log`.",
        );
      return { operation, since: read.slice(0, at) };
    }
    if (read.length < limit || limit === maxOperationsRead) throw unknown(to);
  }
}

const unknown = (to: string | number): EngineRefusal =>
  typeof to === "number"
    ? new EngineRefusal(
        "jj's operation log does not go back that far.",
        "Choose a later time: see `jj op log`.",
      )
    : new EngineRefusal(
        `No operation ${to.slice(0, 12)}.`,
        "List operations with `jj op log` or below the graph.",
      );
