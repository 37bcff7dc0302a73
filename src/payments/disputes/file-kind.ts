/**
 * The types of evidence files, detected from their first bytes. The declared type and the name of a file are ignored, because the
 * uploader chooses them. Formats that can contain scripts, such as SVG and HTML, are not accepted.
 */

export type FileKind = { contentType: string; extension: string };

/** Number of bytes that `fileKindOf` needs. */
export const HEAD_BYTES = 16;

type Part = { at: number; bytes: readonly number[] };

const text = (at: number, word: string): Part => ({ at, bytes: [...Buffer.from(word, 'latin1')] });

/** Signatures from ISO 32000, the PNG, JPEG, GIF89a and WebP specifications. All parts of a signature must match. */
const signatures: readonly (FileKind & { parts: readonly Part[] })[] = [
  { contentType: 'application/pdf', extension: 'pdf', parts: [text(0, '%PDF-')] },
  {
    contentType: 'image/png',
    extension: 'png',
    parts: [{ at: 0, bytes: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a] }, text(12, 'IHDR')],
  },
  { contentType: 'image/jpeg', extension: 'jpg', parts: [{ at: 0, bytes: [0xff, 0xd8, 0xff] }] },
  { contentType: 'image/gif', extension: 'gif', parts: [text(0, 'GIF87a')] },
  { contentType: 'image/gif', extension: 'gif', parts: [text(0, 'GIF89a')] },
  { contentType: 'image/webp', extension: 'webp', parts: [text(0, 'RIFF'), text(8, 'WEBP')] },
];

export const KINDS = 'PDF, PNG, JPEG, WebP or GIF';

/** Returns the type of a file by its first bytes, or null if it is not accepted. */
export function fileKindOf(head: Uint8Array): FileKind | null {
  const found = signatures.find(({ parts }) =>
    parts.every(({ at, bytes }) => bytes.every((byte, index) => head[at + index] === byte)),
  );
  return found ? { contentType: found.contentType, extension: found.extension } : null;
}

/** The extension of each content type that a file may have. */
const extensions = new Map(signatures.map(({ contentType, extension }) => [contentType, extension]));

const NAME_LENGTH = 100;
/** Control characters, characters that file systems and headers reserve, and marks that change the direction of text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is removed.
const UNSAFE = /[\u0000-\u001f\u007f-\u009f"*/:<>?\\|;%\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufffd]/g;

/**
 * Returns a safe file name: without a path, and with the extension of the detected type instead of the given one, so that a file
 * is never saved with an extension that does not match its content.
 */
export function safeFileName(given: string, contentType: string): string {
  const extension = extensions.get(contentType) ?? 'bin';
  const last = given.split(/[/\\]/).at(-1) ?? '';
  const stem = last.replace(UNSAFE, '').replace(/\.[^.]{1,10}$/, '');
  const kept = [...stem.replace(/^[.\s]+|[.\s]+$/g, '')].slice(0, NAME_LENGTH).join('').toWellFormed();
  return `${kept === '' ? 'file' : kept}.${extension}`;
}
