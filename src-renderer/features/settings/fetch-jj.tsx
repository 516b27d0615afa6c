import { client } from "../../client.ts";
import { Button } from "../../kit/button.tsx";
import { useHost } from "../../state/host-store.ts";
import { attempt } from "../../state/notify.ts";

const megabytes = (bytes: number): string => (bytes / 1_000_000).toFixed(1);

/** Offers jj's own release where there is none, or one that is too old; shows how far it is, and cancels it. */
export function FetchJj() {
  const progress = useHost((state) => state.app?.jjFetch ?? null);
  if (progress === null)
    return (
      <div className="mt-1.5 flex flex-wrap items-center gap-2">
        <Button size="sm" onClick={() => void attempt("jj was not downloaded", () => client.tools.fetchJj())}>
          Download jj
        </Button>
        <span className="text-sm text-faint">
          Official release of the jj project, about 10 MB, verified and stored in Hox’s cache.
        </span>
      </div>
    );
  const { received, total } = progress;
  return (
    <div className="mt-1.5 flex items-center gap-2 text-sm text-muted">
      <progress
        className="h-1 w-32 accent-(--accent)"
        aria-label="Downloading jj"
        {...(total === null ? {} : { value: received, max: total })}
      />
      <span className="tabular-nums">
        {megabytes(received)} MB{total !== null && ` of ${megabytes(total)} MB`}
      </span>
      <Button
        size="sm"
        look="ghost"
        onClick={() => void attempt("The download was not cancelled", () => client.tools.cancelFetch())}
      >
        Cancel
      </Button>
    </div>
  );
}
