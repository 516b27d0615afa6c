const statusTexts = { 400: "Bad Request", 403: "Forbidden", 502: "Bad Gateway" } as const;
export type AnswerStatus = keyof typeof statusTexts;

/** An HTTP answer with a status and a message. */
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
