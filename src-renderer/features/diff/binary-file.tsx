import type { FileSide } from "#shared/contract/commands/graph.ts";
import { formatBytes } from "#shared/domain/text/bytes.ts";
import { shownName } from "#shared/domain/text/shown-text.ts";
import { client } from "../../client.ts";
import { LoadFailure } from "../../kit/load-failure.tsx";
import { shownValue, useLoaded } from "../../state/use-loaded.ts";

interface BinaryFileProps {
  readonly commitId: string;
  readonly path: string;
  readonly source: string;
}

/** What is no text: how large it was and is, and its pictures side by side. */
export function BinaryFile({ commitId, path, source }: BinaryFileProps) {
  const loaded = useLoaded(`${commitId} ${path}`, () => client.change.fileSides({ commitId, path, source }));
  const sides = shownValue(loaded);
  if (loaded.kind === "failed") return <LoadFailure failure={loaded.failure} again={loaded.again} />;
  if (!sides) return <div className="h-12" aria-busy="true" />;
  const { before, after } = sides;
  const hasImage = before?.image != null || after?.image != null;
  return (
    <div className="flex flex-col gap-2 px-4 py-3 text-sm">
      <p className="text-muted">
        {hasImage ? "Image" : "Binary file"}: {formatSizeChange(before, after)}
      </p>
      {hasImage && (
        <div className="grid grid-cols-2 gap-3">
          <Picture side={before} path={source} name="Before" />
          <Picture side={after} path={path} name="After" />
        </div>
      )}
    </div>
  );
}

function formatSizeChange(before: FileSide | null, after: FileSide | null): string {
  if (before === null) return after === null ? "no content" : `${formatBytes(after.bytes)}, new`;
  if (after === null) return `${formatBytes(before.bytes)}, deleted`;
  const more = after.bytes - before.bytes;
  const change =
    more === 0 ? "same size" : `${formatBytes(Math.abs(more))} ${more > 0 ? "larger" : "smaller"}`;
  return `${formatBytes(before.bytes)} → ${formatBytes(after.bytes)}, ${change}`;
}

const types: Readonly<Record<string, string>> = { jpg: "jpeg", svg: "svg+xml", ico: "x-icon" };

function Picture({
  side,
  path,
  name,
}: {
  readonly side: FileSide | null;
  readonly path: string;
  readonly name: string;
}) {
  const ending = path.split(".").at(-1)?.toLowerCase() ?? "";
  return (
    <figure className="flex min-w-0 flex-col gap-1">
      <figcaption className="text-xs text-faint">{name}</figcaption>
      {side?.image == null ? (
        <div className="grid min-h-24 place-items-center rounded-md border border-dashed text-xs text-faint">
          {side === null ? "does not exist" : "too large to show"}
        </div>
      ) : (
        // A picture runs nothing, also one that is a document.
        <img
          src={`data:image/${types[ending] ?? ending};base64,${side.image}`}
          alt={`${name}: ${shownName(path)}`}
          className="max-h-96 max-w-full self-start rounded-md border bg-sunken object-contain"
        />
      )}
    </figure>
  );
}
