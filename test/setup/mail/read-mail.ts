/** A mail as a mail client shows it. */
export type ReadMail = { headers: Map<string, string>; subject: string; text: string; html: string };

/** Parses a multipart/alternative mail in the form in which nodemailer prints it. */
export function readMail(raw: string): ReadMail {
  const [head = '', ...rest] = raw.split('\r\n\r\n');
  const headers = readHeaders(head);
  const boundary = /boundary="([^"]+)"/.exec(headers.get('content-type') ?? '')?.[1] ?? '';
  const parts = rest
    .join('\r\n\r\n')
    .split(`--${boundary}`)
    .map((part) => part.replace(/^\r\n/, ''));
  const partOf = (type: string) => {
    const part = parts.find((one) => one.toLowerCase().includes(`content-type: ${type}`)) ?? '';
    const [partHead = '', ...body] = part.split('\r\n\r\n');
    return decode(body.join('\r\n\r\n'), readHeaders(partHead).get('content-transfer-encoding') ?? '7bit');
  };
  return {
    headers,
    subject: decodeWords(headers.get('subject') ?? ''),
    text: partOf('text/plain'),
    html: partOf('text/html'),
  };
}

function readHeaders(head: string): Map<string, string> {
  const lines = head.replaceAll(/\r\n[ \t]+/g, ' ').split('\r\n');
  return new Map(
    lines.flatMap((line) => {
      const [name, ...value] = line.split(': ');
      return name && value.length > 0 ? [[name.toLowerCase(), value.join(': ')] as const] : [];
    }),
  );
}

function decode(body: string, encoding: string): string {
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString('utf8');
  if (encoding !== 'quoted-printable') return body;
  const bytes = body
    .replaceAll('=\r\n', '')
    .replaceAll(/=([0-9A-F]{2})/g, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

function decodeWords(text: string): string {
  return text
    .replaceAll(/\?=\s+=\?/g, '?==?')
    .replaceAll(/=\?UTF-8\?([QB])\?([^?]*)\?=/gi, (_all, kind: string, word: string) =>
      kind.toUpperCase() === 'B'
        ? Buffer.from(word, 'base64').toString('utf8')
        : decode(word.replaceAll('_', ' '), 'quoted-printable'),
    );
}
