import { Image, Paperclip, Text, X } from "lucide-react";
import { useRef, useState } from "react";
import {
  type AttachmentLabel,
  attachmentProblem,
  formatAttachment,
} from "#shared/domain/start/attachment.ts";
import { Button, IconButton } from "../../../kit/button.tsx";
import { toBase64 } from "../../../kit/save-file.ts";

export interface Attached extends AttachmentLabel {
  /** Base64. */
  readonly data: string;
}

/** Files that go to the run with its goal. */
export function useAttachments() {
  const [attached, setAttached] = useState<readonly Attached[]>([]);
  const [problem, setProblem] = useState<string | null>(null);
  return {
    attached,
    problem,
    /** As a run takes them. */
    input: () => attached.map(({ name, data }) => ({ name, data })),
    async add(files: readonly File[]): Promise<void> {
      const read = await Promise.all(files.map(readFile));
      setAttached((before) => {
        const next = [...before, ...read.map((one) => withOwnName(one, before))];
        const refused = attachmentProblem(next);
        setProblem(refused);
        return refused === null ? next : before;
      });
    },
    remove(name: string): void {
      setProblem(null);
      setAttached((before) => before.filter((one) => one.name !== name));
    },
  };
}

/** Pasted pictures are all called the same. */
function withOwnName(one: Attached, others: readonly Attached[]): Attached {
  const isTaken = (name: string): boolean => others.some((other) => other.name === name);
  if (!isTaken(one.name) || one.name !== "image.png") return one;
  let count = 2;
  while (isTaken(`image-${count}.png`)) count += 1;
  return { ...one, name: `image-${count}.png` };
}

async function readFile(file: File): Promise<Attached> {
  const isPicture = /^image\/(?:png|jpeg|gif|webp)$/u.test(file.type);
  return {
    ...{ name: file.name, kind: isPicture ? "picture" : "text", bytes: file.size },
    data: await toBase64(file),
  };
}

type AttachmentsFieldProps = Pick<
  ReturnType<typeof useAttachments>,
  "attached" | "problem" | "add" | "remove"
>;

/** What is attached, and the way to attach more; the same height with nothing attached. */
export function AttachmentsField({ attached, problem, add, remove }: AttachmentsFieldProps) {
  const picker = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button size="sm" look="ghost" onClick={() => picker.current?.click()}>
        <Paperclip size={12} aria-hidden />
        Attach…
      </Button>
      <input
        ref={picker}
        type="file"
        multiple
        hidden
        aria-label="Files to attach"
        onChange={(event) => {
          void add([...(event.target.files ?? [])]);
          event.target.value = "";
        }}
      />
      {attached.map((one) => (
        <span
          key={one.name}
          className="inline-flex h-6 min-w-0 items-center gap-1 rounded-md border pl-1.5 text-sm"
        >
          {one.kind === "picture" ? (
            <Image size={12} className="shrink-0 text-faint" aria-hidden />
          ) : (
            <Text size={12} className="shrink-0 text-faint" aria-hidden />
          )}
          <span className="max-w-48 truncate">{formatAttachment(one)}</span>
          <IconButton
            label={`Remove ${one.name}`}
            className="size-6"
            icon={<X size={11} />}
            onClick={() => remove(one.name)}
          />
        </span>
      ))}
      {problem !== null && (
        <span role="alert" className="basis-full text-sm text-danger">
          {problem}
        </span>
      )}
    </>
  );
}
