/** Passes a file to the browser, which saves it under `name`. */
export function saveFile(parts: BlobPart[], file: { name: string; type: string }): void {
  const url = URL.createObjectURL(new Blob(parts, { type: file.type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = file.name;
  link.click();
  // The browser has read the URL by the next task.
  setTimeout(() => URL.revokeObjectURL(url), 0);
}
