import { DISPUTE_BYTES, FILE_BYTES, FILES } from '../../../payments/disputes/evidence.ts';
import type { JsonSchema } from '../openapi/json-schema.ts';
import { SLOWEST_BYTES_PER_SECOND } from './receive-file.ts';

/** The content types that a file may have, detected from its first bytes. */
const kinds = ['application/pdf', 'image/png', 'image/jpeg', 'image/webp', 'image/gif'];

/**
 * The operations that upload and download files of a dispute, which have no GraphQL document. They are derived from
 * `POST /disputes/:id/evidence` and `GET /disputes/:id`, and have the same callers and errors.
 */
export function describeDisputeFiles(like: { submit: JsonSchema; read: JsonSchema }): {
  [path: string]: Record<string, JsonSchema>;
} {
  return {
    '/disputes/{id}/files': { post: describeUpload(like.submit) },
    '/disputes/{id}/files/{fileId}': { get: describeDownload(like.read) },
  };
}

function describeUpload(submit: JsonSchema): JsonSchema {
  const { 200: done, ...errors } = Object(submit.responses);
  const [id, ...rest] = [submit.parameters].flat();
  const file = { $ref: '#/components/schemas/DisputeFile' };
  const schema = {
    type: 'object',
    properties: { success: { type: 'boolean', const: true }, data: file },
    required: ['success', 'data'],
  };
  return {
    operationId: 'uploadDisputeFile',
    tags: submit.tags,
    summary: "Uploads a file for the caller's side to an open dispute",
    description: [
      `The body is the file itself: a PDF or a PNG, JPEG, WebP or GIF image of 1 to ${FILE_BYTES} bytes. The content type is detected from the first bytes, regardless of the Content-Type header; other content is rejected with 415. A file above the limit, or one with which the files of the dispute would exceed ${DISPUTE_BYTES} bytes in total, is rejected with 413, and a body that arrives at less than ${SLOWEST_BYTES_PER_SECOND} bytes a second with 400. Each side can upload at most ${FILES} files. A file cannot be changed or withdrawn, and the other side and the arbiter can see it. INVALID_STATE unless the dispute is OPEN.`,
      callersIn(submit),
    ].join('\n\n'),
    security: submit.security,
    parameters: [
      id,
      {
        name: 'name',
        in: 'query',
        required: true,
        description:
          'Name of the file. A path and unsafe characters are removed, and the extension is replaced by that of the content type.',
        schema: { type: 'string', minLength: 1, maxLength: 255, examples: ['delivery note.pdf'] },
      },
      ...rest,
    ],
    requestBody: {
      required: true,
      content: Object.fromEntries([...kinds, 'application/octet-stream'].map((type) => [type, {}])),
    },
    responses: {
      200: { ...done, content: { 'application/json': { schema, example: exampleOf() } } },
      ...errors,
    },
  };
}

function describeDownload(read: JsonSchema): JsonSchema {
  const { 200: done, ...errors } = Object(read.responses);
  const { headers } = Object(done);
  return {
    operationId: 'downloadDisputeFile',
    tags: read.tags,
    summary: 'Downloads a file of a dispute',
    description: [
      'The response is always an attachment; browsers do not display it in a page. Treat it as an untrusted file: its content type was checked, but its content was not.',
      callersIn(read),
    ].join('\n\n'),
    security: read.security,
    parameters: [
      ...[read.parameters].flat(),
      {
        name: 'fileId',
        in: 'path',
        required: true,
        description: "The file's UUID.",
        schema: { type: 'string', format: 'uuid' },
      },
    ],
    responses: {
      200: {
        description: 'The file.',
        headers: {
          ...headers,
          'Content-Disposition': { description: '`attachment`, with a safe file name.', schema: { type: 'string' } },
        },
        content: Object.fromEntries(kinds.map((type) => [type, {}])),
      },
      ...errors,
    },
  };
}

/** Returns the last paragraph of an operation's description, which names its callers. */
function callersIn({ description }: JsonSchema): string {
  return String(description).split('\n\n').at(-1) ?? '';
}

function exampleOf(): JsonSchema {
  const id = '0199f3a2-7c1e-7b3a-9d54-6f2f0c9a1b11';
  return {
    success: true,
    data: {
      id,
      paymentIntentId: id,
      party: 'MERCHANT',
      submittedBy: 'ada@example.com',
      name: 'delivery note.pdf',
      contentType: 'application/pdf',
      sizeBytes: 48_213,
      sha256: `0x${'5d'.repeat(32)}`,
      createdAt: '2026-03-01T12:00:00.000Z',
    },
  };
}
