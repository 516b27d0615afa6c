const statusTexts = { 400: "Bad Request", 403: "Forbidden", 502: "Bad Gateway" } as const;
export type AnswerStatus = keyof typeof statusTexts;

/** An answer to somebody who speaks HTTP and gets nothing else. */
export function plainAnswer(status: AnswerStatus, message: string): string {
  const body = `Hox: ${message}\n`;
  return [
    `HTTP/1.1 ${status} ${statusTexts[status]}`,
    "Content-Type: text/plain; charset=utf-8",
    `Content-Length: ${Buffer.byteLength(body)}`,
    "Connection: close",
    "",
    body,
  ].join("\r\n");
}
