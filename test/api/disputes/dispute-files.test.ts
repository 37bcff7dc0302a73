/** Files of a dispute: allowed types, sizes and callers, and the responses of downloads. */
import { createHash } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { beforeAll, describe, expect, it } from 'vitest';
import { fileOf, gif, type Headers, jpeg, openDisputes, pdf, png, UNKNOWN, webp } from './dispute-ground.ts';

const MIB = 1024 * 1024;
const FILE_LIMIT = 10 * MIB;

let ground: Awaited<ReturnType<typeof openDisputes>>;
let key: Headers;
beforeAll(async () => {
  ground = await openDisputes();
  ({ key } = ground.callers);
});

const filesOf = (paymentIntentId: string) => ground.database.disputeFile.findMany({ where: { paymentIntentId } });
const storedPieces = async (paymentIntentId: string) =>
  ground.database.disputeFilePiece.count({ where: { file: { paymentIntentId } } });

/** Creates earlier uploads of this size. */
const fill = (paymentIntentId: string, sizeBytes: number, count = 1) =>
  ground.database.disputeFile.createMany({
    data: Array.from({ length: count }, () => ({
      ...{ id: crypto.randomUUID(), paymentIntentId, party: 'PAYER' as const, name: 'b.pdf', sizeBytes },
      ...{ contentType: 'application/pdf', sha256: new Uint8Array(32) },
    })),
  });

describe('an upload', () => {
  it.each([
    ['application/pdf', 'pdf', pdf()],
    ['image/png', 'png', png()],
    ['image/jpeg', 'jpg', jpeg()],
    ['image/webp', 'webp', webp()],
    ['image/gif', 'gif', gif()],
  ])('of %s is recognized by its content and downloaded as an attachment', async (contentType, extension, bytes) => {
    const { id, intent, clientSecret } = await ground.disputeIn();
    const headers = { ...key, 'content-type': 'text/html' };
    const { status, body } = await ground.upload(id, bytes, { headers, name: '../../Lieferschein "ü".html' });
    expect(status).toBe(200);
    expect(body.data).toEqual({
      id: expect.any(String),
      paymentIntentId: intent.id,
      party: 'MERCHANT',
      submittedBy: expect.stringMatching(/^sk_test_/),
      name: `Lieferschein ü.${extension}`,
      contentType,
      sizeBytes: bytes.length,
      sha256: `0x${createHash('sha256').update(bytes).digest('hex')}`,
      createdAt: expect.any(String),
    });
    for (const reader of [{ 'x-client-secret': clientSecret }, ground.callers.viewer, ground.callers.arbiter]) {
      const file = await ground.download(id, body.data.id, reader);
      expect(file.status).toBe(200);
      expect(Buffer.from(await file.arrayBuffer()).equals(bytes)).toBe(true);
      expect(Object.fromEntries(file.headers)).toMatchObject({
        'content-type': contentType,
        'content-length': String(bytes.length),
        'content-disposition': `attachment; filename="Lieferschein _.${extension}"; filename*=UTF-8''Lieferschein%20%C3%BC.${extension}`,
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'; sandbox",
        'cross-origin-resource-policy': 'same-origin',
        'cache-control': 'no-store',
      });
    }
    const head = await ground.download(id, body.data.id, key, 'HEAD');
    expect([head.status, await head.text()]).toEqual([200, '']);
    const [event] = await ground.database.event.findMany({ where: { resourceId: id } });
    expect(event).toMatchObject({
      type: 'dispute.evidence_submitted',
      data: { submission: { kind: 'FILE', id: body.data.id, party: 'MERCHANT', contentType, sizeBytes: bytes.length } },
    });
  });

  it.each([
    ['SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')],
    ['HTML', Buffer.from('<!doctype html><script>alert(1)</script>')],
    ['HTML before a PDF', Buffer.from('<script>alert(1)</script>%PDF-1.7')],
    ['a ZIP archive', fileOf('PK\x03\x04', 64)],
    ['a program', fileOf('MZ', 64)],
    ['half a signature', Buffer.from('%PD')],
    ['a PNG signature without its header', fileOf('\x89PNG\r\n\x1a\n', 64)],
    ['RIFF that is sound', fileOf('RIFF\0\0\0\0WAVE', 64)],
    ['multipart', Buffer.from('--x\r\ncontent-disposition: form-data; name="file"\r\n\r\n%PDF-1.7\r\n--x--')],
  ])('of %s with an allowed type and name is refused', async (_what, bytes) => {
    const { id, intent } = await ground.disputeIn();
    const headers = { ...key, 'content-type': 'application/pdf' };
    const { status, code } = await ground.upload(id, bytes, { headers, name: 'receipt.pdf' });
    expect([status, code]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
    expect(await filesOf(intent.id)).toEqual([]);
  });

  it('that is empty, encoded or unnamed is refused', async () => {
    const { id, intent } = await ground.disputeIn();
    const empty = await ground.upload(id, Buffer.alloc(0), { headers: key });
    expect([empty.status, empty.code]).toEqual([400, 'VALIDATION_ERROR']);
    const encoded = await ground.upload(id, pdf(), { headers: { ...key, 'content-encoding': 'gzip' } });
    expect([encoded.status, encoded.code]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
    for (const name of ['', 'x'.repeat(256)]) {
      const named = await ground.upload(id, pdf(), { headers: key, name });
      expect([named.status, named.body.error.details[0].param]).toEqual([400, 'name']);
    }
    const unsafe = await ground.upload(id, pdf(), { headers: key, name: '..\u202e\r\n\0/.' });
    expect(unsafe.body.data.name).toBe('file.pdf');
    expect(await filesOf(intent.id)).toHaveLength(1);
  });

  it('of exactly 10 MiB is stored whole, and a larger one is refused, whatever its headers declare', async () => {
    const { id, intent } = await ground.disputeIn();
    const largestFile = pdf(FILE_LIMIT);
    largestFile.fill(crypto.randomUUID(), 1_000, FILE_LIMIT - 1_000);
    const stored = await ground.upload(id, largestFile, { headers: key });
    expect(stored.body.data.sizeBytes).toBe(FILE_LIMIT);
    const file = await ground.download(id, stored.body.data.id, key);
    expect(Buffer.from(await file.arrayBuffer()).equals(largestFile)).toBe(true);
    const declared = await ground.upload(id, pdf(FILE_LIMIT + 1), { headers: key });
    expect([declared.status, declared.code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
    const chunked = await ground.upload(id, streamOf(pdf(FILE_LIMIT + 1)), { headers: key });
    expect([chunked.status, chunked.code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
    expect(await filesOf(intent.id)).toHaveLength(1);
    expect(await storedPieces(intent.id)).toBe(20);
  });

  it('that arrives in single bytes is recognized', async () => {
    const { id } = await ground.disputeIn();
    const bytes = png(40);
    const stored = await ground.upload(id, streamOf(bytes, 1), { headers: key });
    expect(stored.body.data).toMatchObject({ contentType: 'image/png', sizeBytes: 40 });
    const file = await ground.download(id, stored.body.data.id, key);
    expect(Buffer.from(await file.arrayBuffer()).equals(bytes)).toBe(true);
  });

  it('that is interrupted leaves nothing stored', async () => {
    const { id, intent } = await ground.disputeIn();
    const url = new URL(`${ground.url}/disputes/${id}/files?name=a.pdf`);
    await new Promise<void>((resolve) => {
      const call = httpRequest(url, { method: 'POST', headers: { ...key, 'content-length': '5000' } });
      call.on('error', () => resolve());
      call.write(pdf(1_000), () => call.destroy(new Error('gone')));
    });
    // The first upload left nothing that another one would wait for.
    expect((await ground.upload(id, pdf(), { headers: key })).status).toBe(200);
    expect(await filesOf(intent.id)).toHaveLength(1);
    expect(await storedPieces(intent.id)).toBe(1);
  });

  it('that is too slow is refused after a few seconds and releases its slot, with a key or without', async () => {
    const { id, intent } = await ground.disputeIn();
    const slow = [key, { ...key, 'idempotency-key': 'slow' }].map((headers) => dripped(id, headers));
    const answers = await Promise.all(slow);
    for (const { status, message, elapsedMs } of answers) {
      expect([status, message]).toEqual([400, 'The body arrived at less than 65536 bytes a second.']);
      expect(elapsedMs).toBeLessThan(15_000);
    }
    expect((await ground.upload(id, pdf(), { headers: key })).status).toBe(200);
    expect(await filesOf(intent.id)).toHaveLength(1);
  }, 40_000);

  it('is limited to two of four slots for each address, whoever sends it', async () => {
    const first = await ground.disputeIn();
    const others = [await ground.disputeIn(), await ground.disputeIn()];
    const slow = [first, ...others].map(({ id, clientSecret }) => dripped(id, { 'x-client-secret': clientSecret }));
    const answers = await Promise.all(slow);
    const started = answers.map(({ elapsedMs }) => elapsedMs).sort((left, right) => left - right);
    // The third one started after the first two had released their slots.
    expect(started[2]).toBeGreaterThan(9_000);
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 400]);
  }, 60_000);

  it('cannot exceed the limit of the dispute, even concurrently', async () => {
    const { id, intent, clientSecret } = await ground.disputeIn();
    await fill(intent.id, FILE_LIMIT, 4);
    await fill(intent.id, 4 * MIB);
    // 6 MiB are free. Both pass the first check, and one of them the check under the lock.
    const both = await Promise.all([
      ground.upload(id, streamOf(pdf(4 * MIB)), { headers: key }),
      ground.upload(id, streamOf(pdf(4 * MIB)), { headers: { 'x-client-secret': clientSecret } }),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 413]);
    const declared = await ground.upload(id, pdf(2 * MIB + 1), { headers: key });
    expect([declared.status, declared.code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
    expect((await ground.upload(id, pdf(2 * MIB), { headers: key })).status).toBe(200);
    expect((await ground.upload(id, pdf(20), { headers: key })).status).toBe(413);
    const sum = (await filesOf(intent.id)).reduce((total, { sizeBytes }) => total + sizeBytes, 0);
    expect(sum).toBe(50 * MIB);
  });

  it('succeeds among many concurrent ones, though few are in memory at a time', async () => {
    const { id } = await ground.disputeIn();
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => ground.upload(id, pdf(2 * MIB), { headers: key })),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 12 }, () => 200));
  });

  it('is refused after 50 files of its side', async () => {
    const { id, intent, clientSecret } = await ground.disputeIn();
    await fill(intent.id, 10, 50);
    const answer = await ground.upload(id, pdf(), { headers: { 'x-client-secret': clientSecret } });
    expect([answer.status, answer.code]).toEqual([409, 'INVALID_STATE']);
    expect((await ground.upload(id, pdf(), { headers: key })).status).toBe(200);
  });

  it('requires a permitted credential before its body is read', async () => {
    const { id, intent } = await ground.disputeIn();
    const { clientSecret: other } = await ground.disputeIn();
    const { viewer, arbiter, operator, publishable, stranger, developer, wallet } = ground.callers;
    const attempts: [Headers, number, string | undefined][] = [
      [{}, 401, 'AUTHENTICATION_ERROR'],
      [{ 'x-client-secret': 'cs_wrong' }, 401, 'AUTHENTICATION_ERROR'],
      [viewer, 403, 'AUTHORIZATION_ERROR'],
      [arbiter, 403, 'AUTHORIZATION_ERROR'],
      [operator, 403, 'AUTHORIZATION_ERROR'],
      [publishable, 403, 'AUTHORIZATION_ERROR'],
      [stranger, 404, 'NOT_FOUND'],
      [{ 'x-client-secret': other }, 404, 'NOT_FOUND'],
      [developer, 200, undefined],
      [wallet, 200, undefined],
    ];
    for (const [headers, status, code] of attempts) {
      const answer = await ground.upload(id, pdf(), { headers });
      expect([answer.status, answer.code]).toEqual([status, code]);
    }
    expect((await filesOf(intent.id)).map(({ party }) => party).sort()).toEqual(['MERCHANT', 'PAYER']);
    // The response arrives although the body is never sent.
    for (const [headers, status] of [
      [{}, 401],
      [stranger, 404],
    ] as const) {
      expect(await statusBeforeBody(id, headers)).toBe(status);
    }
    expect((await ground.upload(UNKNOWN, pdf(), { headers: key })).status).toBe(404);
    expect((await ground.upload('nonsense', pdf(), { headers: key })).status).toBe(400);
  });

  it('is refused after the dispute is resolved, before its body is read', async () => {
    const { id } = await ground.disputeIn('RESOLVED_MERCHANT');
    const answer = await ground.upload(id, pdf(), { headers: key });
    expect([answer.status, answer.code]).toEqual([409, 'INVALID_STATE']);
    expect(await statusBeforeBody(id, key)).toBe(409);
  });

  it('is replayed for the same key and bytes, and refused for other bytes', async () => {
    const { id, intent, clientSecret } = await ground.disputeIn();
    const keyed = { ...key, 'idempotency-key': 'file-1' };
    const first = await ground.upload(id, pdf(100), { headers: keyed });
    const again = await ground.upload(id, pdf(100), { headers: keyed });
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    const other = await ground.upload(id, pdf(101), { headers: keyed });
    expect([other.status, other.code]).toEqual([422, 'IDEMPOTENCY_MISMATCH']);
    const payers = await ground.upload(id, pdf(100), {
      headers: { 'x-client-secret': clientSecret, 'idempotency-key': 'file-1' },
    });
    expect(payers.status).toBe(200);
    expect(await filesOf(intent.id)).toHaveLength(2);
    await ground.database.dispute.update({ where: { id }, data: { status: 'RESOLVED_PAYER' } });
    const late = await ground.upload(id, pdf(100), { headers: keyed });
    expect([late.status, late.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
    const fresh = await ground.upload(id, pdf(100), { headers: { ...key, 'idempotency-key': 'file-2' } });
    expect([fresh.status, fresh.code]).toEqual([409, 'INVALID_STATE']);
    // With an unused key, the body is not read either.
    expect(await statusBeforeBody(id, { ...key, 'idempotency-key': 'file-3' })).toBe(409);
  });
});

describe('a download', () => {
  it('returns the same error for strangers as for a missing file', async () => {
    const { id } = await ground.disputeIn();
    const other = await ground.disputeIn();
    const { body } = await ground.upload(id, pdf(), { headers: key });
    const fileId = body.data.id;
    const status = async (disputeId: string, file: string, headers: Headers) =>
      (await ground.download(disputeId, file, headers)).status;
    expect(await status(id, fileId, {})).toBe(401);
    expect(await status(id, fileId, ground.callers.publishable)).toBe(403);
    expect(await status(id, fileId, ground.callers.operator)).toBe(403);
    expect(await status(id, fileId, ground.callers.stranger)).toBe(404);
    expect(await status(id, fileId, { 'x-client-secret': other.clientSecret })).toBe(404);
    expect(await status(other.id, fileId, key)).toBe(404);
    expect(await status(id, UNKNOWN, key)).toBe(404);
    expect(await status(id, 'nonsense', key)).toBe(400);
    expect((await ground.download(id, fileId, key, 'DELETE')).status).toBe(405);
    const list = await fetch(`${ground.url}/disputes/${id}/files`, { headers: key });
    expect([list.status, list.headers.get('allow')]).toEqual([405, 'POST, OPTIONS']);
  });

  it('and an upload with a client secret are open to pages of other origins', async () => {
    const { id, clientSecret } = await ground.disputeIn();
    const preflight = await fetch(`${ground.url}/disputes/${id}/files`, { method: 'OPTIONS' });
    expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([204, '*']);
    expect(preflight.headers.get('access-control-allow-headers')).toContain('x-client-secret');
    expect(preflight.headers.get('access-control-allow-headers')).not.toContain('x-api-key');
    const { body, headers } = await ground.upload(id, pdf(), { headers: { 'x-client-secret': clientSecret } });
    expect(headers.get('access-control-allow-origin')).toBe('*');
    const file = await ground.download(id, body.data.id, { 'x-client-secret': clientSecret });
    expect(file.headers.get('access-control-allow-origin')).toBe('*');
    await file.arrayBuffer();
  });
});

/** Sent in chunks, without a declared length. */
function streamOf(bytes: Buffer, size = 64 * 1024): ReadableStream {
  let from = 0;
  return new ReadableStream({
    pull(controller) {
      if (from >= bytes.length) return controller.close();
      controller.enqueue(new Uint8Array(bytes.subarray(from, from + size)));
      from += size;
    },
  });
}

/** An upload of a declared MiB, of which a few bytes are sent each second. */
function dripped(disputeId: string, headers: Headers) {
  return new Promise<{ status: number | undefined; message: string; elapsedMs: number }>((resolve, reject) => {
    const url = new URL(`${ground.url}/disputes/${disputeId}/files?name=a.pdf`);
    const startMs = performance.now();
    const call = httpRequest(url, { method: 'POST', headers: { ...headers, 'content-length': String(MIB) } });
    const drip = setInterval(() => call.write(Buffer.alloc(100)), 1_000);
    call.write(pdf(64));
    call.on('error', (error) => {
      clearInterval(drip);
      reject(error);
    });
    call.on('response', async (response) => {
      clearInterval(drip);
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk);
      const { message } = JSON.parse(Buffer.concat(chunks).toString()).error;
      resolve({ status: response.statusCode, message, elapsedMs: performance.now() - startMs });
      call.destroy();
    });
  });
}

/** The status of an upload of which only the head is sent. */
function statusBeforeBody(disputeId: string, headers: Headers): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const url = new URL(`${ground.url}/disputes/${disputeId}/files?name=a.pdf`);
    const call = httpRequest(url, { method: 'POST', headers: { ...headers, 'content-length': '5000' } });
    call.on('response', (response) => {
      resolve(response.statusCode);
      call.destroy();
    });
    call.on('error', reject);
    call.flushHeaders();
  });
}
