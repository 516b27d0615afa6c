/** Hands a text to the person as a file: a browser puts it among the downloads, Electron asks where. */
export function saveFile(name: string, type: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  // The download has begun with the click; it reads the text at once.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
