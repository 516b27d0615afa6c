import { expect, it, vi } from "vitest";
import { answerPermission } from "./acp-options.ts";

it("describes a call only for a user who is asked", async () => {
  const describe = vi.fn(() => null);
  const request = {
    ...{ request: "1", toolCall: { toolCallId: "1", title: "Write" } },
    options: [{ optionId: "yes", name: "Allow", kind: "allow_once" }],
  } as never;
  const { signal } = new AbortController();
  expect(await answerPermission(request, describe, "sandbox", [], signal)).toMatchObject({ option: "yes" });
  expect(describe).not.toHaveBeenCalled();
  expect(await answerPermission(request, describe, async () => "yes", [], signal)).toMatchObject({
    option: "yes",
  });
  expect(describe).toHaveBeenCalledOnce();
});
