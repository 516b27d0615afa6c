import { Check } from "lucide-react";
import { useState } from "react";
import { shownName } from "#shared/domain/text/shown-text.ts";
import { cx } from "../../kit/class-names.ts";
import { TextInput } from "../../kit/field.tsx";
import { Counts } from "./file-section.tsx";
import type { TreeRow } from "./file-tree.ts";
import { isSeen, markOf } from "./viewed.ts";

interface TreeViewProps {
  readonly rows: readonly TreeRow[];
  readonly current: string | null;
  readonly viewed: Readonly<Record<string, string>>;
  readonly onChoose: (path: string) => void;
}

/** The files by their folders; a word finds those whose path holds it. */
export function TreeView({ rows, current, viewed, onChoose }: TreeViewProps) {
  const [words, setText] = useState("");
  const wanted = words.trim().toLowerCase();
  const shown =
    wanted === ""
      ? rows
      : rows.filter((row) => row.kind === "file" && row.file.path.toLowerCase().includes(wanted));
  return (
    <nav
      aria-label="Files of the change"
      className="flex w-64 shrink-0 flex-col border-r bg-canvas max-[900px]:w-44"
    >
      <div className="p-1.5">
        <TextInput
          aria-label="Find a file"
          placeholder="Find a file"
          value={words}
          onChange={(event) => setText(event.target.value)}
        />
      </div>
      <ul className="min-h-0 flex-1 overflow-y-auto px-1.5 pb-2">
        {shown.map((row) =>
          row.kind === "folder" ? (
            <li
              key={row.key}
              className="truncate py-0.5 text-xs text-muted"
              style={{ paddingLeft: 4 + row.depth * 12 }}
              title={row.name}
            >
              {shownName(row.name)}
            </li>
          ) : (
            <li key={row.file.path}>
              <button
                type="button"
                aria-current={row.file.path === current}
                title={row.file.path}
                onClick={() => onChoose(row.file.path)}
                style={{ paddingLeft: 4 + (wanted === "" ? row.depth * 12 : 0) }}
                className={cx(
                  "flex w-full items-center gap-1.5 rounded-md py-0.5 pr-1.5 text-left text-sm",
                  row.file.path === current ? "bg-selected" : "hover:bg-hover",
                )}
              >
                <span
                  className={cx(
                    "min-w-0 flex-1 truncate",
                    isSeen(viewed[row.file.path], markOf(row.file, null)) && "text-faint",
                    row.file.kind === "removed" && "line-through",
                  )}
                >
                  {shownName(wanted === "" ? row.name : row.file.path)}
                </span>
                {isSeen(viewed[row.file.path], markOf(row.file, null)) && (
                  <Check size={12} className="shrink-0 text-success" aria-label="viewed" />
                )}
                <Counts file={row.file} />
              </button>
            </li>
          ),
        )}
      </ul>
    </nav>
  );
}
